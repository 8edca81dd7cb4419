// Which tiles products read where they come from, and that values stay what the interpreter says.
#include "core/passes/direct_operands.h"

#include <fmt/format.h>

#include "core/ir/visit.h"
#include "core/passes/plan_threads.h"
#include "tests/unit/llvm/build_kernel.h"
#include "tests/unit/passes/pass_kernel.h"

namespace tw::test {
namespace {

class Copies final : public ir::Visitor {
public:
    int count = 0;
    using ir::Visitor::visit;
    void visit(const ir::OpCall& call) override
    {
        count += call.op == ir::OpId::kCopy ? 1 : 0;
        ir::Visitor::visit(call);
    }
};

int copiesOf(const ir::Function& f)
{
    Copies copies;
    static_cast<ir::Visitor&>(copies).visit(f.body);
    return copies.count;
}

// How many copies go. The interpreter's answers before and behind the pass and those of the compiled code are equal to the bit.
int copiesGone(interp::TextKernel& kernel)
{
    passes::PassRun run("cpu");
    const ir::Function planned = run(&passes::planThreads, *kernel.function);
    const ir::Function after = run(&passes::directOperands, planned);
    passes::expectSameResults(kernel, after);
    interp::Arguments compiled = kernel.arguments;
    kernel.runWell();
    const Outcome outcome = runOnCpu(*kernel.function, compiled);
    EXPECT_TRUE(outcome.ok) << (outcome.diagnostics.empty() ? "" : outcome.diagnostics[0].message);
    for (const auto& [name, tensor] : kernel.arguments.tensors)
        EXPECT_EQ(compiled.tensors.at(name).bytes, tensor.bytes) << name << "\n" << ir::print(after).text;
    return copiesOf(planned) - copiesOf(after);
}

// A product of 2 x 2 blocks and 3 steps with room for changes: `body` is the loop's, `more` stands behind it.
struct Shape {
    std::string m = "48", n = "64", k = "96";
    std::string type = "T.float32", tile = "T.float32", result = "T.float32";
    std::string head = "for k in T.Pipelined(3, num_stages=2):";
    std::string before{}, more{};
};

interp::TextKernel product(const std::string& body, const Shape& s = {})
{
    return interp::TextKernel(fmt::format(R"(
@T.prim_func
def f(A: T.Tensor(({m}, {k}), {type}), B: T.Tensor(({k}, {n}), {type}), W: T.Tensor((24, 32), {tile}), C: T.Tensor(({m}, {n}), {result})):
    with T.Kernel(2, 2, threads=128) as (bx, by):
        a = T.alloc_shared((24, 32), {tile})
        b = T.alloc_shared((32, 32), {tile})
        acc = T.alloc_fragment((24, 32), {result})
        T.clear(acc)
        {before}
        {head}
            {body}
        {more}
        T.copy(acc, C[by * 24, bx * 32])
)", fmt::arg("m", s.m), fmt::arg("n", s.n), fmt::arg("k", s.k), fmt::arg("type", s.type), fmt::arg("tile", s.tile), fmt::arg("result", s.result),
                                          fmt::arg("before", s.before), fmt::arg("head", s.head), fmt::arg("body", body), fmt::arg("more", s.more)),
                              "f");
}

const std::string kBring = "T.copy(A[by * 24, k * 32], a); T.copy(B[k * 32, bx * 32], b)";
const std::string kPlain = kBring + "; T.gemm(a, b, acc)";

int goneOf(const std::string& body, const Shape& shape = {})
{
    interp::TextKernel kernel = product(body, shape);
    return kernel.function ? copiesGone(kernel) : -1;
}

TEST(DirectOperands, PipelinedAndSerialLoops)
{
    EXPECT_EQ(goneOf(kPlain), 2);
    EXPECT_EQ(goneOf(kPlain, {.head = "for k in range(3):"}), 2);
    EXPECT_EQ(goneOf(kPlain, {.before = "T.annotate_layout({a: tilelang.layout.make_swizzled_layout(a)})"}), 2);
}

TEST(DirectOperands, EveryTypeWithAMicroKernel)
{
    for (const char* type : {"T.float16", "T.bfloat16", "T.float64"})
        EXPECT_EQ(goneOf(kPlain, {.type = type, .tile = type, .result = std::string(type) == "T.float64" ? type : "T.float32"}), 2) << type;
    EXPECT_EQ(goneOf(kPlain, {.type = "T.int8", .tile = "T.int8", .result = "T.int32"}), 2);
    EXPECT_EQ(goneOf(kPlain, {.type = "T.float16", .tile = "T.float16", .result = "T.float16"}), 0);
}

// Rows of a tensor a line and more apart, and pages; slices of B that are full and a last one that is not.
TEST(DirectOperands, EveryOrientationOfTensorsWithNearAndFarRows)
{
    for (const auto& [pitch, type] : {std::pair{160, "T.float32"}, {164, "T.float32"}, {1024, "T.float32"}, {1024, "T.float16"}})
        for (const bool ta : {false, true})
            for (const bool tb : {false, true}) {
                SCOPED_TRACE(fmt::format("{} {} {} {}", pitch, type, ta, tb));
                interp::TextKernel kernel(fmt::format(R"(
@T.prim_func
def f(A: T.Tensor((96, {p}), {type}), B: T.Tensor((160, {p}), {type}), C: T.Tensor((96, 160), T.float32)):
    with T.Kernel(2, 2, threads=128) as (bx, by):
        a = T.alloc_shared({sa}, {type})
        b = T.alloc_shared({sb}, {type})
        acc = T.alloc_fragment((48, 80), T.float32)
        T.clear(acc)
        for k in T.Pipelined(3, num_stages=3):
            T.copy(A[{at}], a)
            T.copy(B[{bt}], b)
            T.gemm(a, b, acc, transpose_A={ta}, transpose_B={tb})
        T.copy(acc, C[by * 48, bx * 80])
)", fmt::arg("p", pitch), fmt::arg("type", type), fmt::arg("sa", ta ? "(32, 48)" : "(48, 32)"), fmt::arg("sb", tb ? "(80, 32)" : "(32, 80)"),
                                                      fmt::arg("at", ta ? "k * 32, by * 48" : "by * 48, k * 32"),
                                                      fmt::arg("bt", tb ? "bx * 80, k * 32" : "k * 32, bx * 80"), fmt::arg("ta", ta ? "True" : "False"),
                                                      fmt::arg("tb", tb ? "True" : "False")),
                                          "f");
                EXPECT_EQ(copiesGone(kernel), 2);
            }
}

// The last tiles hang over: the copy's zeros are what products have to see.
TEST(DirectOperands, TilesAtAnEdgeStay)
{
    EXPECT_EQ(goneOf(kPlain, {.m = "47"}), 1);
    EXPECT_EQ(goneOf(kPlain, {.n = "50"}), 1);
    EXPECT_EQ(goneOf(kPlain, {.k = "90"}), 0);
}

TEST(DirectOperands, PartsOfATileAndSeveralReaders)
{
    EXPECT_EQ(goneOf(kPlain + "; T.gemm(a, b, acc)"), 2);
    EXPECT_EQ(goneOf(kBring + "; T.gemm(a[:, 0:16], b[0:16, :], acc); T.gemm(a[:, 16:32], b[16:32, :], acc)"), 2);
    EXPECT_EQ(goneOf("T.copy(B[k * 32, bx * 32], b); T.gemm(b[0:24, :], b, acc)"), 1);
}

TEST(DirectOperands, WhatAnythingElseReadsStays)
{
    EXPECT_EQ(goneOf(kPlain + "; T.copy(a, W)", {.head = "for k in range(1):"}), 1);
    EXPECT_EQ(goneOf(kPlain, {.more = "T.copy(a, W)"}), 1);                // behind the loop
    EXPECT_EQ(goneOf(kPlain, {.more = "acc[0, 0] += a[0, 0]"}), 1);        // an element
    EXPECT_EQ(goneOf(kPlain, {.before = "v = T.view(a, (32, 24))", .more = "acc[0, 0] += v[0, 1]"}), 1);
    EXPECT_EQ(goneOf("if k < 2:\n                T.gemm(a, b, acc)", {.before = "k = 0; T.copy(A[by * 24, 0], a); T.copy(B[0, bx * 32], b)"}), 0);
}

TEST(DirectOperands, WhatIsWrittenTwiceStays)
{
    EXPECT_EQ(goneOf(kPlain, {.before = "T.clear(a)"}), 1);
    EXPECT_EQ(goneOf(kBring + "; a[0, 0] = 2; T.gemm(a, b, acc)"), 1);
    EXPECT_EQ(goneOf("T.gemm(a, b, acc); " + kBring, {.before = "T.clear(a); T.clear(b)"}), 0);  // what the last iteration brought
}

TEST(DirectOperands, OtherTypesStay)
{
    EXPECT_EQ(goneOf(kPlain, {.type = "T.float32", .tile = "T.float16"}), 0);
    EXPECT_EQ(goneOf(kPlain, {.type = "T.float16", .tile = "T.float32"}), 0);
}

// One block, in place: the product reads what the copy read, not what was written since.
TEST(DirectOperands, WhatIsOverwrittenInBetweenStays)
{
    const auto kernel = [](const std::string& between, const std::string& behind) {
        return interp::TextKernel(fmt::format(R"(
@T.prim_func
def f(A: T.Tensor((32, 32), T.float32), B: T.Tensor((32, 32), T.float32), C: T.Tensor((32, 32), T.float32)):
    with T.Kernel(1, threads=128) as bx:
        a = T.alloc_shared((32, 32), T.float32)
        b = T.alloc_shared((32, 32), T.float32)
        acc = T.alloc_fragment((32, 32), T.float32)
        T.fill(acc, 1)
        for k in range(2):
            T.copy(A, a)
            T.copy(B, b)
            {}
            T.gemm(a, b, acc)
            {}
        T.copy(acc, C)
)", between, behind), "f");
    };
    for (const char* write : {"T.copy(acc, A)", "T.copy(acc, C)", "A[3, 4] = 7"}) {
        auto inside = kernel(write, "");
        EXPECT_EQ(copiesGone(inside), 0) << write;
        auto later = kernel("", write);
        EXPECT_EQ(copiesGone(later), 2) << write;
    }
    auto straight = kernel("T.gemm(a, b, A)", "");
    EXPECT_EQ(copiesGone(straight), 0);
}

// An index that memory decides may be another one when the product comes.
TEST(DirectOperands, GatheredTilesStay)
{
    EXPECT_EQ(goneOf("T.copy(A[by * 24, step[0] * 32], a); T.copy(B[k * 32, bx * 32], b); T.gemm(a, b, acc)",
                     {.before = "step = T.alloc_var(T.int32, init=1)"}),
              1);
}

// Of a tensor with more axes the last two are the tile's.
TEST(DirectOperands, BatchesOfMatrices)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def f(A: T.Tensor((3, 32, 64), T.float32), B: T.Tensor((64, 3, 32), T.float32), C: T.Tensor((3, 32, 32), T.float32)):
    with T.Kernel(3, threads=128) as bz:
        a = T.alloc_shared((32, 64), T.float32)
        b = T.alloc_shared((64, 32), T.float32)
        acc = T.alloc_fragment((32, 32), T.float32)
        T.copy(A[bz, :, :], a)
        T.copy(B[:, bz, :], b)
        T.gemm(a, b, acc, clear_accum=True)
        T.copy(acc, C[bz, :, :])
)", "f");
    EXPECT_EQ(copiesGone(kernel), 1);
}

}  // namespace
}  // namespace tw::test

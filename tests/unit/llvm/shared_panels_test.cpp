// Packed operands that blocks share: which ones, that each is packed once and afresh in every run, and that values stay what the
// interpreter says.
#include <thread>

#include <fmt/format.h>

#include "codegen/llvm/jit.h"
#include "codegen/llvm/operand_sharing.h"
#include "codegen/llvm/panel_store.h"
#include "codegen/llvm/runtime.h"
#include "codegen/llvm/thread_pool.h"
#include "core/ir/visit.h"
#include "core/passes/pass.h"
#include "tests/unit/interp/text_kernel.h"
#include "tests/unit/llvm/build_kernel.h"

namespace tw::test {
namespace {

using Axes = std::optional<std::vector<std::size_t>>;
Axes axes(std::vector<std::size_t> list) { return list; }

std::shared_ptr<const ir::Function> lowered(const ir::Function& function)
{
    DiagnosticSink sink;
    const target::Target cpu = target::parse("cpu").value();
    passes::PassContext context{cpu, sink, {}};
    return passes::runPipeline(std::make_shared<const ir::Function>(function), context).function;
}

class Products final : public ir::Visitor {
public:
    const ir::Launch* launch = nullptr;
    std::vector<ir::OpCall> calls;
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* found = ir::as<ir::Launch>(s))
            launch = found;
        ir::Visitor::visit(s);
    }
    void visit(const ir::OpCall& call) override
    {
        if (call.op == ir::OpId::kGemm)
            calls.push_back(call);
        ir::Visitor::visit(call);
    }
};

// The axes that A and B of the first product do not depend on.
std::pair<Axes, Axes> freeAxes(const std::string& text)
{
    const interp::TextKernel kernel(text, "f");
    if (!kernel.function)
        return {};
    const auto function = lowered(*kernel.function);
    Products products;
    static_cast<ir::Visitor&>(products).visit(function->body);
    const llvm_backend::OperandSharing sharing(*products.launch);
    const auto of = [&](std::size_t i) { return sharing.freeAxes(std::get<ir::Region>(products.calls.at(0).operands[i])); };
    return {of(0), of(1)};
}

struct Shape {
    std::string before = "pass", behind = "pass";
    std::string a = "by * 32, k * 32", b = "k * 32, bx * 32";
};

std::string product(const Shape& s)
{
    return fmt::format(R"(
@T.prim_func
def f(A: T.Tensor((96, 96), T.float32), B: T.Tensor((96, 96), T.float32), P: T.Tensor((8,), T.int32), C: T.Tensor((5, 96, 96), T.float32)):
    with T.Kernel(3, 2, 5, threads=128) as (bx, by, bz):
        acc = T.alloc_fragment((32, 32), T.float32)
        T.clear(acc)
        {}
        for k in range(3):
            T.gemm(A[{}:{} + 32, {}:{} + 32], B[{}:{} + 32, {}:{} + 32], acc)
        T.copy(acc, C[bz, by * 32, bx * 32])
        {}
)", s.before, s.a.substr(0, s.a.find(',')), s.a.substr(0, s.a.find(',')), s.a.substr(s.a.find(',') + 2), s.a.substr(s.a.find(',') + 2),
                       s.b.substr(0, s.b.find(',')), s.b.substr(0, s.b.find(',')), s.b.substr(s.b.find(',') + 2), s.b.substr(s.b.find(',') + 2), s.behind);
}

TEST(OperandSharing, AxesThatAPlaceDoesNotDependOn)
{
    EXPECT_EQ(freeAxes(product({})), std::pair(axes({0, 2}), axes({1, 2})));
    EXPECT_EQ(freeAxes(product({.before = "row = by * 32 + bz * 0 + bx", .a = "(row - bx) // 32 * 32, k * 32"})).first, axes({2}));  // through a variable
    EXPECT_EQ(freeAxes(product({.a = "0, k * 32", .b = "k * 32, (bx + by + bz) % 3 * 32"})), std::pair(axes({0, 1, 2}), axes({})));
}

TEST(OperandSharing, NothingThatMayChangeOrThatMemoryDecides)
{
    EXPECT_EQ(freeAxes(product({.b = "k * 32, P[0] * 32"})), std::pair(axes({0, 2}), Axes()));
    EXPECT_EQ(freeAxes(product({.before = "p = P[bz]", .b = "k * 32, p * 32"})), std::pair(axes({0, 2}), Axes()));
    EXPECT_EQ(freeAxes(product({.behind = "B[0, 0] = 1"})), std::pair(axes({0, 2}), Axes()));
    EXPECT_EQ(freeAxes(product({.behind = "T.copy(acc, A[0:32, 0:32])"})), std::pair(Axes(), axes({1, 2})));
    EXPECT_EQ(freeAxes(product({.behind = "T.atomic_add(A[0, bx], 1)"})), std::pair(Axes(), axes({1, 2})));
}

// Every orientation and type, rows near and far, slices that are not full, and tiles that no panel is made of: twice, with other
// values, on one worker and on several.
void checkValues(const std::string& text)
{
    interp::TextKernel kernel(text, "f");
    ASSERT_TRUE(kernel.function);
    DiagnosticSink sink;
    const auto compiled = llvm_backend::compileForCpu(lowered(*kernel.function), sink);
    ASSERT_TRUE(compiled);
    for (int round = 0; round < 4; ++round) {
        int k = round;
        for (const char* name : {"A", "B"})
            kernel.fill(name, [&](std::int64_t) { return (k = (k * 5 + 3) % 17) % 5 - 2; });
        interp::poison(kernel.tensor("C"));
        interp::Arguments arguments = kernel.arguments;
        kernel.runWell();
        std::string log;
        ASSERT_TRUE(compiled->run(arguments, round < 2 ? 1 : 4, log, sink, {}));
        EXPECT_EQ(arguments.tensors.at("C").bytes, kernel.arguments.tensors.at("C").bytes) << round << text;
    }
}

TEST(SharedPanels, ValuesOfEveryOrientation)
{
    for (const auto& [pitch, type, shift] : {std::tuple{512, "T.float32", 0}, {544, "T.float16", 0}, {544, "T.float32", 8}})
        for (const bool ta : {false, true})
            for (const bool tb : {false, true}) {
                const std::string row = fmt::format("by * 48 + {}", shift), column = fmt::format("bx * 80 + {}", shift);
                checkValues(fmt::format(R"(
@T.prim_func
def f(A: T.Tensor({sa}, {type}), B: T.Tensor({sb}, {type}), C: T.Tensor((240, 400), T.float32)):
    with T.Kernel(5, 5, threads=128) as (bx, by):
        acc = T.alloc_fragment((48, 80), T.float32)
        T.clear(acc)
        for k in range(3 if {shift} == 0 else by % 3):
            T.gemm(A[{at}], B[{bt}], acc, transpose_A={ta}, transpose_B={tb})
        T.copy(acc, C[by * 48, bx * 80])
)", fmt::arg("type", type), fmt::arg("shift", shift), fmt::arg("ta", ta ? "True" : "False"), fmt::arg("tb", tb ? "True" : "False"),
                                        fmt::arg("sa", fmt::format(fmt::runtime(ta ? "(128, {})" : "(248, {})"), pitch)),
                                        fmt::arg("sb", fmt::format(fmt::runtime(tb ? "(408, {})" : "(128, {})"), pitch)),
                                        fmt::arg("at", fmt::format(fmt::runtime(ta ? "k * 32:k * 32 + 32, {0}:{0} + 48" : "{0}:{0} + 48, k * 32:k * 32 + 32"), row)),
                                        fmt::arg("bt", fmt::format(fmt::runtime(tb ? "{0}:{0} + 80, k * 32:k * 32 + 32" : "k * 32:k * 32 + 32, {0}:{0} + 80"), column))));
            }
}

// Compiled code outside of this program may be given tensors that overlap. C lies on A: each block has to see what the blocks
// before it wrote.
TEST(SharedPanels, NoneOfATensorThatOverlapsAResult)
{
    const interp::TextKernel kernel(R"(
@T.prim_func
def f(A: T.Tensor((32, 512), T.float32), B: T.Tensor((64, 512), T.float32), C: T.Tensor((32, 512), T.float32)):
    with T.Kernel(4, threads=128) as bx:
        acc = T.alloc_fragment((32, 128), T.float32)
        T.clear(acc)
        T.gemm(A[:, 0:64], B[:, bx * 128:bx * 128 + 128], acc)
        T.copy(acc, C[0, bx * 128])
)", "f");
    ASSERT_TRUE(kernel.function);
    DiagnosticSink sink;
    const auto function = lowered(*kernel.function);
    const auto code = llvm_backend::compileToMemory(*function, sink);
    ASSERT_TRUE(code);
    std::vector<float> memory(3 * 32 * 512), b(64 * 512);
    for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<float>(i % 5) - 2;
    for (std::size_t i = 0; i < b.size(); ++i)
        b[i] = static_cast<float>(i % 7) - 3;
    for (const std::size_t place : {std::size_t{0}, std::size_t{32 * 512 - 200}, std::size_t{32 * 512}}) {  // of C behind A: on it, on its end, apart
        std::vector<float> want = memory;
        for (std::size_t block = 0; block < 4; ++block) {
            const std::vector<float> before = want;
            for (std::size_t i = 0; i < 32; ++i)
                for (std::size_t j = 0; j < 128; ++j) {
                    float sum = 0;
                    for (std::size_t k = 0; k < 64; ++k)
                        sum = std::fma(before[i * 512 + k], b[k * 512 + block * 128 + j], sum);
                    want[place + i * 512 + block * 128 + j] = sum;
                }
        }
        std::vector<float> got = memory;
        void* const tensors[] = {got.data(), b.data(), got.data() + place};
        llvm_backend::ThreadPool pool(1);
        llvm_backend::PanelMemory panels;
        llvm_backend::RunState run;
        run.pool = &pool;
        run.panelMemory = &panels;
        run.diagnostics = &sink;
        code->host(&run, tensors, nullptr, nullptr);
        EXPECT_EQ(got, want) << place;
    }
}

TEST(PanelStore, OnePanelForAllAndMemoryThatStays)
{
    llvm_backend::PanelMemory memory;
    const void* first = nullptr;
    for (int run = 0; run < 2; ++run) {
        llvm_backend::PanelStores stores(memory);
        std::array<llvm_backend::PanelStore*, 4> seen{};
        std::vector<std::thread> workers;
        for (std::size_t w = 0; w < seen.size(); ++w)
            workers.emplace_back([&, w] { seen[w] = stores.open(3, 100, 4096); });
        for (std::thread& worker : workers)
            worker.join();
        for (const llvm_backend::PanelStore* store : seen)
            EXPECT_EQ(store, seen[0]);
        EXPECT_EQ(seen[0]->count, 100);
        for (std::size_t i = 0; i < 100; ++i)
            EXPECT_EQ(seen[0]->states[i].exchange(llvm_backend::PanelStore::kPacked), llvm_backend::PanelStore::kNone);
        EXPECT_NE(stores.open(4, 100, 4096), seen[0]);
        EXPECT_EQ(stores.open(5, std::int64_t{1} << 40, 4096)->count, 0);  // more than anybody has
        if (run == 0)
            first = seen[0]->memory.memory.get();
        else
            EXPECT_TRUE(first == seen[0]->memory.memory.get() || first == stores.open(4, 100, 4096)->memory.memory.get());
    }
}

}  // namespace
}  // namespace tw::test

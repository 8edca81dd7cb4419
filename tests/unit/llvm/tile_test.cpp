#include <gtest/gtest.h>

#include "tests/unit/llvm/build_kernel.h"

namespace tw::test {
namespace {

using ir::MemoryScope;
using ir::OpId;

std::vector<double> counting(std::int64_t n)
{
    std::vector<double> values;
    for (std::int64_t i = 0; i < n; ++i)
        values.push_back(static_cast<double>(i % 17) - 8);
    return values;
}

// A 70 x 50 copy through 32 x 32 shared tiles: the tail reads zeros and nothing outside is written.
TEST(Tiles, CopyClipsAtTheEdge)
{
    const ir::Buffer a = globalBuffer("A", ir::kFloat32, {ir::intImm(70), ir::intImm(50)});
    const ir::Buffer b = globalBuffer("B", ir::kFloat32, {ir::intImm(70), ir::intImm(50)});
    const ir::Buffer sums = globalBuffer("S", ir::kFloat32, {ir::intImm(6), ir::intImm(32)});
    const ir::Buffer s = chipBuffer("s", ir::kFloat32, {32, 32}, MemoryScope::kShared);
    const ir::Buffer r = chipBuffer("r", ir::kFloat32, {32}, MemoryScope::kFragment);
    const ir::Var bx = intVar("bx"), by = intVar("by");
    const std::vector<ir::Expr> at{ir::mul(by, ir::intImm(32)), ir::mul(bx, ir::intImm(32))};
    const auto f = kernel({a, b, sums}, {{ir::intImm(2), ir::intImm(3)}, {bx, by}},
                          {std::make_shared<ir::Allocate>(s), std::make_shared<ir::Allocate>(r), op(OpId::kFill, {whole(s), ir::floatImm(99)}),
                           op(OpId::kCopy, {tile(a, at, {32, 32}), whole(s)}), op(OpId::kReduceSum, {whole(s), whole(r)}, {{"dim", std::int64_t{1}}}),
                           op(OpId::kCopy, {whole(s), tile(b, at, {32, 32})}),
                           op(OpId::kCopy, {whole(r), tile(sums, {ir::add(ir::mul(by, ir::intImm(2)), bx), ir::intImm(0)}, {1, 32})})});
    interp::Arguments arguments;
    arguments.tensors["A"] = tensor(ir::kFloat32, {70, 50}, counting(3500));
    arguments.tensors["B"] = interp::makeTensor(ir::kFloat32, {70, 50});
    arguments.tensors["S"] = interp::makeTensor(ir::kFloat32, {6, 32});
    const Outcome outcome = runOnCpu(f, arguments);
    ASSERT_TRUE(outcome.ok) << (outcome.diagnostics.empty() ? "" : outcome.diagnostics[0].message);
    EXPECT_EQ(arguments.tensors["A"], arguments.tensors["B"]);
    for (std::int64_t y = 0; y < 3; ++y)
        for (std::int64_t x = 0; x < 2; ++x)
            for (std::int64_t i = 0; i < 32; ++i) {
                double want = 0;
                for (std::int64_t j = 0; j < 32; ++j)
                    if (y * 32 + i < 70 && x * 32 + j < 50)
                        want += arguments.tensors["A"].floatAt((y * 32 + i) * 50 + x * 32 + j);
                EXPECT_EQ(arguments.tensors["S"].floatAt((y * 2 + x) * 32 + i), want);
            }
}

struct GemmCase {
    ir::DType in, out;
    bool transposeA, transposeB;
    std::int64_t m, n, k;
};

void checkGemm(const GemmCase& c)
{
    const std::vector<std::int64_t> shapeA = c.transposeA ? std::vector{c.k, c.m} : std::vector{c.m, c.k};
    const std::vector<std::int64_t> shapeB = c.transposeB ? std::vector{c.n, c.k} : std::vector{c.k, c.n};
    const auto shape = [](const std::vector<std::int64_t>& s) { return std::vector<ir::Expr>{ir::intImm(s[0]), ir::intImm(s[1])}; };
    const ir::Buffer a = globalBuffer("A", c.in, shape(shapeA)), b = globalBuffer("B", c.in, shape(shapeB));
    const ir::Buffer o = globalBuffer("C", c.out, {ir::intImm(c.m), ir::intImm(c.n)});
    const ir::Buffer as = chipBuffer("as", c.in, shapeA, MemoryScope::kShared), bs = chipBuffer("bs", c.in, shapeB, MemoryScope::kShared);
    const ir::Buffer acc = chipBuffer("acc", c.out, {c.m, c.n}, MemoryScope::kFragment);
    const ir::Var bx = intVar("bx");
    const ir::Attrs attrs{{"transpose_A", c.transposeA}, {"transpose_B", c.transposeB}};
    const auto f = kernel({a, b, o}, {{ir::intImm(1)}, {bx}},
                          {std::make_shared<ir::Allocate>(as), std::make_shared<ir::Allocate>(bs), std::make_shared<ir::Allocate>(acc),
                           op(OpId::kCopy, {whole(a), whole(as)}), op(OpId::kCopy, {whole(b), whole(bs)}), op(OpId::kClear, {whole(acc)}),
                           op(OpId::kGemm, {whole(as), whole(bs), whole(acc)}, attrs), op(OpId::kGemm, {whole(as), whole(bs), whole(acc)}, attrs),
                           op(OpId::kCopy, {whole(acc), whole(o)})});
    interp::Arguments arguments;
    std::vector<double> x, y;
    const int low = c.in.isUnsigned() ? 0 : 1;  // unsigned operands stay positive
    for (std::int64_t i = 0; i < c.m * c.k; ++i)
        x.push_back(static_cast<double>((i * 7) % 5) - 2 * low);
    for (std::int64_t i = 0; i < c.k * c.n; ++i)
        y.push_back(static_cast<double>((i * 11) % 7) - 3 * low);
    arguments.tensors["A"] = tensor(c.in, shapeA, x);
    arguments.tensors["B"] = tensor(c.in, shapeB, y);
    arguments.tensors["C"] = interp::makeTensor(c.out, {c.m, c.n});
    const Outcome outcome = runOnCpu(f, arguments);
    ASSERT_TRUE(outcome.ok) << (outcome.diagnostics.empty() ? "" : outcome.diagnostics[0].message);
    int wrong = 0;
    for (std::int64_t i = 0; i < c.m; ++i)
        for (std::int64_t j = 0; j < c.n; ++j) {
            double want = 0;
            for (std::int64_t k = 0; k < c.k; ++k)
                want += 2 * x[static_cast<std::size_t>(c.transposeA ? k * c.m + i : i * c.k + k)] *
                        y[static_cast<std::size_t>(c.transposeB ? j * c.k + k : k * c.n + j)];
            const interp::Tensor& got = arguments.tensors["C"];
            const double value = c.out.isFloating() ? got.floatAt(i * c.n + j) : static_cast<double>(got.intAt(i * c.n + j));
            if (value != want && ++wrong < 4)
                ADD_FAILURE() << c.in.name() << " " << c.transposeA << c.transposeB << " " << c.m << "x" << c.n << "x" << c.k << " at " << i << "," << j << ": "
                              << value << " instead of " << want;
        }
}

TEST(Tiles, ProductsOfEveryTypeAndOrientation)
{
    for (const bool ta : {false, true})
        for (const bool tb : {false, true})
            for (const auto& [in, out] : {std::pair{ir::kFloat32, ir::kFloat32}, {ir::kFloat16, ir::kFloat32}, {ir::kBFloat16, ir::kFloat32},
                                          {ir::kInt8, ir::kInt32}, {ir::kUInt8, ir::kInt32}, {ir::kFloat64, ir::kFloat64}, {ir::kFloat16, ir::kFloat16}})
                for (const auto& [m, n, k] : {std::tuple{37, 49, 19}, {16, 128, 64}})
                    checkGemm({in, out, ta, tb, m, n, k});
}

}  // namespace
}  // namespace tw::test

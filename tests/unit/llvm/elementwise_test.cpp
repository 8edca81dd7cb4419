#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "core/ir/number.h"
#include "tests/unit/llvm/build_kernel.h"

namespace tw::test {
namespace {

using ir::BinaryOp;
using ir::DType;

std::string messages(const Outcome& outcome)
{
    std::string text;
    for (const Diagnostic& d : outcome.diagnostics)
        text += d.message + "\n";
    return text;
}

// Y[i] = f(X[i]) over n elements, one block for each 64.
interp::Tensor map(DType in, DType out, const std::vector<double>& x, const std::function<ir::Expr(ir::Expr)>& f)
{
    const auto n = static_cast<std::int64_t>(x.size());
    const ir::Buffer a = globalBuffer("X", in, {ir::intImm(n)});
    const ir::Buffer b = globalBuffer("Y", out, {ir::intImm(n)});
    const ir::Var bx = intVar("bx");
    const ir::Var i = intVar("i");
    const ir::Expr at = ir::add(ir::mul(bx, ir::intImm(64)), i);
    const auto body = loop(ir::ForKind::kParallel, {i}, {64}, store(b, {at}, f(load(a, {at}))));
    interp::Arguments arguments;
    arguments.tensors["X"] = tensor(in, {n}, x);
    arguments.tensors["Y"] = interp::makeTensor(out, {n});
    interp::poison(arguments.tensors["Y"]);
    const Outcome outcome = runOnCpu(kernel({a, b}, {{ir::intImm((n + 63) / 64)}, {bx}}, {body}), arguments);
    EXPECT_TRUE(outcome.ok) << messages(outcome);
    return arguments.tensors["Y"];
}

TEST(Elementwise, AddsWithARaggedEnd)
{
    std::vector<double> x;
    for (int i = 0; i < 200; ++i)
        x.push_back(i * 0.5);
    const auto y = map(ir::kFloat32, ir::kFloat32, x, [](ir::Expr v) { return ir::binary(BinaryOp::kAdd, v, ir::floatImm(1)); });
    for (int i = 0; i < 200; ++i)
        EXPECT_EQ(y.floatAt(i), i * 0.5 + 1);
}

// A quotient by zero and its remainder are 0, as in the interpreter; the one quotient that overflows wraps.
TEST(Elementwise, QuotientsByZeroAreZero)
{
    for (const DType type : {ir::kInt32, ir::kUInt32})
        for (const BinaryOp op : {BinaryOp::kFloorDiv, BinaryOp::kFloorMod}) {
            const auto y = map(type, type, {0, 7, 3}, [&](ir::Expr v) { return ir::binary(op, ir::constant(type, std::int64_t{21}), v); });
            EXPECT_EQ(y.intAt(0), 0);
            EXPECT_EQ(y.intAt(1), op == BinaryOp::kFloorDiv ? 3 : 0);
            EXPECT_EQ(y.intAt(2), op == BinaryOp::kFloorDiv ? 7 : 0);
        }
    const auto least = map(ir::kInt32, ir::kInt32, {-1, 0}, [](ir::Expr v) {
        return ir::binary(BinaryOp::kFloorDiv, ir::constant(ir::kInt32, std::int64_t{INT32_MIN}), v);
    });
    EXPECT_EQ(least.intAt(0), INT32_MIN);
    EXPECT_EQ(least.intAt(1), 0);
}

TEST(Elementwise, HalfRoundsAfterEveryOperation)
{
    // 2048 + 1 is not a half; (2048 + 1) + 1 stays 2048 if every step rounds.
    const auto y = map(ir::kFloat16, ir::kFloat16, {2048, 1, 0.1, 65504}, [](ir::Expr v) {
        const ir::Expr one = ir::floatImm(1, ir::kFloat16);
        return ir::binary(BinaryOp::kAdd, ir::binary(BinaryOp::kAdd, v, one), one);
    });
    EXPECT_EQ(y.floatAt(0), 2048);
    EXPECT_EQ(y.floatAt(1), 3);
    EXPECT_EQ(y.floatAt(3), 65504);
}

// Every conversion of float32 to a narrow type equals core/ir/number, and every code decodes to its value.
TEST(Elementwise, NarrowFloatsAreThoseOfTheNumberTable)
{
    std::mt19937 random(1);
    std::vector<double> x{0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 448, 464, 480, 57344, 61440, 65504, 65520, 1e30, -1e30, 0x1p-24, 0x1p-25, 3 * 0x1p-26};
    for (int i = 0; i < 3000; ++i) {
        const auto bits = static_cast<std::uint32_t>(random());
        float f = 0;
        std::memcpy(&f, &bits, 4);
        x.push_back(f);
        x.push_back(std::ldexp(1 + static_cast<double>(random() % 4096) / 4096, static_cast<int>(random() % 40) - 20));
    }
    for (double& v : x)
        v = static_cast<float>(v);
    using ir::Scalar;
    for (const Scalar scalar : {Scalar::kFloat16, Scalar::kBFloat16, Scalar::kTFloat32, Scalar::kFloat8E4M3FN, Scalar::kFloat8E5M2, Scalar::kFloat8E4M3FNUZ,
                                Scalar::kFloat8E5M2FNUZ, Scalar::kFloat8E4M3B11FNUZ, Scalar::kFloat8E3M4, Scalar::kFloat8E8M0FNU, Scalar::kFloat6E2M3FN,
                                Scalar::kFloat6E3M2FN, Scalar::kFloat4E2M1FN, Scalar::kFloat4E2M1Unpacked}) {
        const DType type{scalar};
        const auto y = map(ir::kFloat32, type, x, [&](ir::Expr v) { return ir::cast(type, v); });
        std::vector<double> stored;
        int shown = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double want = ir::roundTo(type, x[i]);
            const double got = y.floatAt(static_cast<std::int64_t>(i));
            stored.push_back(got);
            const bool same = std::isnan(want) ? std::isnan(got) : want == got && std::signbit(want) == std::signbit(got);
            if (!same && ++shown < 4)
                ADD_FAILURE() << type.name() << " of " << x[i] << ": " << got << " instead of " << want;
        }
        shown = 0;
        const auto back = map(type, ir::kFloat32, stored, [](ir::Expr v) { return ir::cast(ir::kFloat32, v); });
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double got = back.floatAt(static_cast<std::int64_t>(i));
            if (!(std::isnan(stored[i]) ? std::isnan(got) : stored[i] == got) && ++shown < 4)
                ADD_FAILURE() << type.name() << " code of " << stored[i] << " decodes to " << got;
        }
    }
}

TEST(Elementwise, IntegersWrapAndFloor)
{
    const auto q = map(ir::kInt32, ir::kInt32, {7, -7, 8, -8, 0}, [](ir::Expr v) { return ir::floorDiv(v, ir::intImm(3)); });
    EXPECT_EQ(q.intAt(0), 2);
    EXPECT_EQ(q.intAt(1), -3);
    EXPECT_EQ(q.intAt(3), -3);
    const auto m = map(ir::kInt32, ir::kInt32, {7, -7, 8, -8, 0}, [](ir::Expr v) { return ir::floorMod(v, ir::intImm(3)); });
    EXPECT_EQ(m.intAt(1), 2);
    const auto w = map(ir::kInt32, ir::kInt8, {127, 128, -129, 256}, [](ir::Expr v) { return ir::cast(ir::kInt8, v); });
    EXPECT_EQ(w.intAt(1), -128);
    EXPECT_EQ(w.intAt(2), 127);
    const auto f = map(ir::kFloat32, ir::kInt8, {1.9, -1.9, 300, -300, NAN}, [](ir::Expr v) { return ir::cast(ir::kInt8, v); });
    EXPECT_EQ(f.intAt(0), 1);
    EXPECT_EQ(f.intAt(1), -1);
    EXPECT_EQ(f.intAt(2), 127);
    EXPECT_EQ(f.intAt(3), -128);
    EXPECT_EQ(f.intAt(4), 0);
}

// Units in the last place of float32, against double.
void expectUlp(ir::OpId op, double (*exact)(double), double low, double high, double limit)
{
    std::mt19937_64 random(7);
    std::vector<double> x;
    for (int i = 0; i < 20000; ++i)
        x.push_back(static_cast<float>(low + (high - low) * static_cast<double>(random() % 1000003) / 1000003));
    const auto y = map(ir::kFloat32, ir::kFloat32, x, [&](ir::Expr v) { return ir::call(ir::kFloat32, ir::OpCall{op, {v}, {}}); });
    double worst = 0;
    double at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double want = exact(x[i]);
        const double got = y.floatAt(static_cast<std::int64_t>(i));
        const double unit = std::ldexp(1.0, std::max(-149, std::ilogb(want == 0 ? 1e-45 : want) - 23));
        if (std::abs(got - want) / unit > worst) {
            worst = std::abs(got - want) / unit;
            at = x[i];
        }
    }
    EXPECT_LE(worst, limit) << ir::info(op).name << " at " << at;
}

TEST(Elementwise, MathStaysWithinFourUnits)
{
    expectUlp(ir::OpId::kExp, std::exp, -100, 88, 2);
    expectUlp(ir::OpId::kExp2, std::exp2, -140, 127, 2);
    expectUlp(ir::OpId::kLog, std::log, 1e-4, 10, 2.5);
    expectUlp(ir::OpId::kLog2, std::log2, 0.5, 2, 3);
    expectUlp(ir::OpId::kLog2, std::log2, 1e-4, 1000, 3);
    expectUlp(ir::OpId::kSin, std::sin, -1000, 1000, 1);
    expectUlp(ir::OpId::kCos, std::cos, -1e6, 1e6, 1);
    expectUlp(ir::OpId::kTanh, std::tanh, -10, 10, 3);
    expectUlp(ir::OpId::kErf, std::erf, -5, 5, 3);
    expectUlp(ir::OpId::kTan, std::tan, -1, 1, 2);
    const auto special = map(ir::kFloat32, ir::kFloat32, {0, -INFINITY, INFINITY, NAN, 89, -104}, [&](ir::Expr v) {
        return ir::call(ir::kFloat32, ir::OpCall{ir::OpId::kExp, {v}, {}});
    });
    EXPECT_EQ(special.floatAt(0), 1);
    EXPECT_EQ(special.floatAt(1), 0);
    EXPECT_EQ(special.floatAt(2), INFINITY);
    EXPECT_TRUE(std::isnan(special.floatAt(3)));
}

}  // namespace
}  // namespace tw::test

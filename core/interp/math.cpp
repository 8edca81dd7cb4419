// The mathematical operations of the language, computed in double and rounded to the operand's type by the caller.
#include <bit>
#include <cfenv>
#include <cmath>

#include "core/interp/arith.h"
#include "core/interp/element.h"

namespace tw::interp {

namespace {

using ir::DType;
using ir::OpId;
using ir::Scalar;

template <double (*f)(double)>
void mapFloat(const ElementArgs& x)
{
    for (std::size_t k = 0; k < x.n; ++k)
        x.out[k].f = f(x.in[0][k].f);
}
template <double (*f)(double, double)>
void mapFloat2(const ElementArgs& x)
{
    for (std::size_t k = 0; k < x.n; ++k)
        x.out[k].f = f(x.in[0][x.stride[0] != 0 ? k : 0].f, x.in[1][x.stride[1] != 0 ? k : 0].f);
}
template <std::int64_t (*f)(std::int64_t, int)>
void mapBits(const ElementArgs& x)
{
    for (std::size_t k = 0; k < x.n; ++k)
        x.out[k].i = f(x.in[0][k].i, x.type.bits());
}
template <bool (*f)(double)>
void test(const ElementArgs& x)
{
    for (std::size_t k = 0; k < x.n; ++k)
        x.out[k].i = f(x.in[0][k].f) ? 1 : 0;
}

double exp10Of(double x) { return std::pow(10.0, x); }
double rsqrtOf(double x) { return 1.0 / std::sqrt(x); }
double reciprocalOf(double x) { return 1.0 / x; }
double sigmoidOf(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double roundAwayOf(double x) { return std::round(x); }
double ldexpOf(double x, double n) { return std::ldexp(x, static_cast<int>(n)); }
double powOf(double x, double y) { return std::pow(x, y); }
bool nanTest(double x) { return std::isnan(x); }
bool infTest(double x) { return std::isinf(x); }
bool finiteTest(double x) { return std::isfinite(x); }

std::uint64_t lowBits(std::int64_t x, int bits)
{
    return bits == 64 ? static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x) & ((1ULL << bits) - 1);
}
std::int64_t popcountOf(std::int64_t x, int bits) { return std::popcount(lowBits(x, bits)); }
std::int64_t clzOf(std::int64_t x, int bits) { return std::countl_zero(lowBits(x, bits)) - (64 - bits); }
std::int64_t ffsOf(std::int64_t x, int bits)
{
    const std::uint64_t u = lowBits(x, bits);
    return u == 0 ? 0 : std::countr_zero(u) + 1;
}

void absInt(const ElementArgs& x)
{
    for (std::size_t k = 0; k < x.n; ++k)
        x.out[k].i = x.in[0][k].i < 0 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x.in[0][k].i)) : x.in[0][k].i;
}

void powInt(const ElementArgs& x)
{
    for (std::size_t k = 0; k < x.n; ++k) {
        auto base = static_cast<std::uint64_t>(x.in[0][x.stride[0] != 0 ? k : 0].i);
        std::int64_t exponent = x.in[1][x.stride[1] != 0 ? k : 0].i;
        std::uint64_t result = exponent < 0 ? 0 : 1;
        for (; exponent > 0; exponent >>= 1, base *= base)
            if (exponent & 1)
                result *= base;
        x.out[k].i = static_cast<std::int64_t>(result);
    }
}

void fmaOf(const ElementArgs& x)
{
    for (std::size_t k = 0; k < x.n; ++k) {
        const double a = x.in[0][x.stride[0] != 0 ? k : 0].f;
        const double b = x.in[1][x.stride[1] != 0 ? k : 0].f;
        const double c = x.in[2][x.stride[2] != 0 ? k : 0].f;
        // In float where the result is float: the double result would be rounded twice.
        x.out[k].f = x.type.scalar == Scalar::kFloat32
                         ? static_cast<double>(std::fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)))
                         : std::fma(a, b, c);
    }
}

// The number after `a` towards `b` among those of a type: a whole number of its smallest steps away.
double nextOf(DType type, double a, double b)
{
    if (type.scalar == Scalar::kFloat64)
        return std::nextafter(a, b);
    if (type.scalar == Scalar::kFloat32)
        return static_cast<double>(std::nextafterf(static_cast<float>(a), static_cast<float>(b)));
    if (std::isnan(a) || std::isnan(b) || a == b)
        return a == b ? b : a + b;
    const double toward = b > a ? 1.0 : -1.0;
    // Just below a power of two the steps are half as long.
    const double inside = std::nextafter(a, b);
    return a + toward * ulpOf(type, std::fabs(inside) < std::fabs(a) ? inside : a);
}
void nextafterOf(const ElementArgs& x)
{
    for (std::size_t k = 0; k < x.n; ++k)
        x.out[k].f = nextOf(x.type, x.in[0][x.stride[0] != 0 ? k : 0].f, x.in[1][x.stride[1] != 0 ? k : 0].f);
}

void fnsOf(const ElementArgs& x)
{
    for (std::size_t k = 0; k < x.n; ++k) {
        const auto mask = static_cast<std::uint32_t>(x.in[0][x.stride[0] != 0 ? k : 0].i);
        const auto base = static_cast<int>(x.in[1][x.stride[1] != 0 ? k : 0].i);
        auto offset = static_cast<int>(x.in[2][x.stride[2] != 0 ? k : 0].i);
        std::int64_t found = 0xFFFFFFFF;
        const int step = offset < 0 ? -1 : 1;
        offset = offset < 0 ? -offset : offset;
        if (offset == 0) {
            if (base >= 0 && base < 32 && ((mask >> base) & 1U) != 0)
                found = base;
        } else {
            for (int at = base; at >= 0 && at < 32; at += step)
                if (((mask >> at) & 1U) != 0 && --offset == 0) {
                    found = at;
                    break;
                }
        }
        x.out[k].i = found;
    }
}

// Arithmetic in the type itself under another rounding mode of the processor.
template <class Real, OpId op>
void ieee(const ElementArgs& x, int mode)
{
    const int before = std::fegetround();
    std::fesetround(mode);
    for (std::size_t k = 0; k < x.n; ++k) {
        volatile Real a = static_cast<Real>(x.in[0][x.stride[0] != 0 ? k : 0].f);
        volatile Real b = x.in[1] ? static_cast<Real>(x.in[1][x.stride[1] != 0 ? k : 0].f) : Real(1);
        volatile Real c = x.in[2] ? static_cast<Real>(x.in[2][x.stride[2] != 0 ? k : 0].f) : Real(0);
        volatile Real r = 0;
        if constexpr (op == OpId::kIeeeAdd)
            r = a + b;
        else if constexpr (op == OpId::kIeeeSub)
            r = a - b;
        else if constexpr (op == OpId::kIeeeMul)
            r = a * b;
        else if constexpr (op == OpId::kIeeeDiv)
            r = a / b;
        else if constexpr (op == OpId::kIeeeFma)
            r = std::fma(a, b, c);
        else if constexpr (op == OpId::kIeeeRcp)
            r = Real(1) / a;
        else
            r = std::sqrt(a);
        x.out[k].f = static_cast<double>(r);
    }
    std::fesetround(before);
}
template <OpId op, int mode>
void ieeeIn(const ElementArgs& x)
{
    if (x.type.scalar == Scalar::kFloat64)
        ieee<double, op>(x, mode);
    else
        ieee<float, op>(x, mode);
}
template <OpId op>
ElementOp ieeeOp(const std::string& mode)
{
    if (mode == "rz")
        return {ieeeIn<op, FE_TOWARDZERO>};
    if (mode == "ru")
        return {ieeeIn<op, FE_UPWARD>};
    if (mode == "rd")
        return {ieeeIn<op, FE_DOWNWARD>};
    return {ieeeIn<op, FE_TONEAREST>};
}

ElementOp intMath(OpId op, DType type)
{
    switch (op) {
    case OpId::kAbs: case OpId::kAbs2: return {absInt, Finish::kWrap};
    case OpId::kPopcount: return {mapBits<popcountOf>};
    case OpId::kClz: return {mapBits<clzOf>};
    case OpId::kFfs: return {mapBits<ffsOf>};
    case OpId::kFns: return {fnsOf};
    case OpId::kPow: return {powInt, Finish::kWrap};
    case OpId::kAdd2: return binaryOp(ir::BinaryOp::kAdd, type);
    case OpId::kSub2: return binaryOp(ir::BinaryOp::kSub, type);
    case OpId::kMul2: return binaryOp(ir::BinaryOp::kMul, type);
    case OpId::kMax2: return binaryOp(ir::BinaryOp::kMax, type);
    case OpId::kMin2: return binaryOp(ir::BinaryOp::kMin, type);
    default: return {};
    }
}

template <double (*f)(double)>
constexpr ElementOp inexact()
{
    return {mapFloat<f>, Finish::kRound, true};
}
template <double (*f)(double)>
constexpr ElementOp exact()
{
    return {mapFloat<f>, Finish::kRound};
}

}  // namespace

ElementOp mathOp(OpId op, DType type, const std::string& mode)
{
    if (!type.isFloating())
        return intMath(op, type);
    switch (op) {
    case OpId::kExp: case OpId::kFastExp: return inexact<std::exp>();
    case OpId::kExp2: return inexact<std::exp2>();
    case OpId::kExp10: case OpId::kFastExp10: return inexact<exp10Of>();
    case OpId::kLog: case OpId::kFastLog: return inexact<std::log>();
    case OpId::kLog2: case OpId::kFastLog2: return inexact<std::log2>();
    case OpId::kLog10: case OpId::kFastLog10: return inexact<std::log10>();
    case OpId::kLog1p: return inexact<std::log1p>();
    case OpId::kSqrt: return exact<std::sqrt>();
    case OpId::kRsqrt: return inexact<rsqrtOf>();
    case OpId::kIeeeRsqrt: return exact<rsqrtOf>();
    case OpId::kSin: case OpId::kFastSin: return inexact<std::sin>();
    case OpId::kCos: case OpId::kFastCos: return inexact<std::cos>();
    case OpId::kTan: case OpId::kFastTan: return inexact<std::tan>();
    case OpId::kAsin: return inexact<std::asin>();
    case OpId::kAcos: return inexact<std::acos>();
    case OpId::kAtan: return inexact<std::atan>();
    case OpId::kSinh: return inexact<std::sinh>();
    case OpId::kCosh: return inexact<std::cosh>();
    case OpId::kTanh: return inexact<std::tanh>();
    case OpId::kAsinh: return inexact<std::asinh>();
    case OpId::kAcosh: return inexact<std::acosh>();
    case OpId::kAtanh: return inexact<std::atanh>();
    case OpId::kErf: return inexact<std::erf>();
    case OpId::kSigmoid: return inexact<sigmoidOf>();
    case OpId::kFastRcp: return inexact<reciprocalOf>();
    case OpId::kFloor: return exact<std::floor>();
    case OpId::kCeil: return exact<std::ceil>();
    case OpId::kTrunc: return exact<std::trunc>();
    case OpId::kNearbyint: return exact<std::nearbyint>();
    case OpId::kRound: return mode == "ties-away-from-zero" ? exact<roundAwayOf>() : exact<std::nearbyint>();
    case OpId::kAbs: case OpId::kAbs2: return {mapFloat<std::fabs>};
    case OpId::kIsNan: return {test<nanTest>};
    case OpId::kIsInf: return {test<infTest>};
    case OpId::kIsFinite: return {test<finiteTest>};
    case OpId::kPow: return {mapFloat2<powOf>, Finish::kRound, true};
    case OpId::kFmod: return {mapFloat2<std::fmod>, Finish::kRound};
    case OpId::kAtan2: return {mapFloat2<std::atan2>, Finish::kRound, true};
    case OpId::kHypot: return {mapFloat2<std::hypot>, Finish::kRound, true};
    case OpId::kCopysign: return {mapFloat2<std::copysign>};
    case OpId::kLdexp: return {mapFloat2<ldexpOf>, Finish::kRound};
    case OpId::kNextafter: return {nextafterOf, Finish::kRound};
    case OpId::kFma: case OpId::kFma2: return {fmaOf, Finish::kRound};
    case OpId::kAdd2: return binaryOp(ir::BinaryOp::kAdd, type);
    case OpId::kSub2: return binaryOp(ir::BinaryOp::kSub, type);
    case OpId::kMul2: return binaryOp(ir::BinaryOp::kMul, type);
    case OpId::kMax2: return binaryOp(ir::BinaryOp::kMax, type);
    case OpId::kMin2: return binaryOp(ir::BinaryOp::kMin, type);
    case OpId::kIeeeAdd: return ieeeOp<OpId::kIeeeAdd>(mode);
    case OpId::kIeeeSub: return ieeeOp<OpId::kIeeeSub>(mode);
    case OpId::kIeeeMul: return ieeeOp<OpId::kIeeeMul>(mode);
    case OpId::kIeeeDiv: return ieeeOp<OpId::kIeeeDiv>(mode);
    case OpId::kIeeeFma: return ieeeOp<OpId::kIeeeFma>(mode);
    case OpId::kIeeeRcp: return ieeeOp<OpId::kIeeeRcp>(mode);
    case OpId::kIeeeSqrt: return ieeeOp<OpId::kIeeeSqrt>(mode);
    default: return {};
    }
}

}  // namespace tw::interp

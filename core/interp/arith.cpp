#include "core/interp/arith.h"

#include <cmath>

#include "core/support/floor_division.h"

namespace tw::interp {

namespace {

using ir::BinaryOp;
using ir::DType;
using ir::Scalar;

template <class F>
void overPairs(const ElementArgs& x, F&& f)
{
    const Lane* a = x.in[0];
    const Lane* b = x.in[1];
    if (x.stride[0] != 0 && x.stride[1] != 0) {
        for (std::size_t k = 0; k < x.n; ++k)
            f(x.out[k], a[k], b[k]);
    } else if (x.stride[0] != 0) {
        const Lane right = *b;
        for (std::size_t k = 0; k < x.n; ++k)
            f(x.out[k], a[k], right);
    } else {
        const Lane left = *a;
        const int step = x.stride[1];
        for (std::size_t k = 0; k < x.n; ++k)
            f(x.out[k], left, b[static_cast<std::size_t>(step) * k]);
    }
}

#define TW_PAIRS(expression) \
    [](const ElementArgs& x) { overPairs(x, [](Lane& d, const Lane& a, const Lane& b) { expression; }); }

std::int64_t truncDivide(std::int64_t a, std::int64_t b)
{
    if (b == -1)
        return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
    return b == 0 ? 0 : a / b;
}
std::int64_t truncModulo(std::int64_t a, std::int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
std::uint64_t bitsOf(const Lane& l) { return static_cast<std::uint64_t>(l.i); }
std::int64_t shiftLeft(std::int64_t a, std::int64_t n)
{
    return n < 0 || n > 63 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << n);
}
std::int64_t shiftRight(std::int64_t a, std::int64_t n) { return a >> (n < 0 || n > 63 ? 63 : n); }
double floorModulo(double a, double b)
{
    const double r = std::fmod(a, b);
    return r != 0.0 && (r < 0.0) != (b < 0.0) ? r + b : r;
}

ElementOp floatOp(BinaryOp op)
{
    switch (op) {
    case BinaryOp::kAdd: return {TW_PAIRS(d.f = a.f + b.f), Finish::kRound};
    case BinaryOp::kSub: return {TW_PAIRS(d.f = a.f - b.f), Finish::kRound};
    case BinaryOp::kMul: return {TW_PAIRS(d.f = a.f * b.f), Finish::kRound};
    case BinaryOp::kDiv: return {TW_PAIRS(d.f = a.f / b.f), Finish::kRound};
    case BinaryOp::kFloorDiv: return {TW_PAIRS(d.f = std::floor(a.f / b.f)), Finish::kRound};
    case BinaryOp::kFloorMod: return {TW_PAIRS(d.f = floorModulo(a.f, b.f)), Finish::kRound};
    case BinaryOp::kTruncDiv: return {TW_PAIRS(d.f = std::trunc(a.f / b.f)), Finish::kRound};
    case BinaryOp::kTruncMod: return {TW_PAIRS(d.f = std::fmod(a.f, b.f)), Finish::kRound};
    // As fminf and fmaxf: a NaN loses against a number.
    case BinaryOp::kMin: return {TW_PAIRS(d.f = a.f < b.f || std::isnan(b.f) ? a.f : b.f)};
    case BinaryOp::kMax: return {TW_PAIRS(d.f = a.f > b.f || std::isnan(b.f) ? a.f : b.f)};
    case BinaryOp::kEq: return {TW_PAIRS(d.i = a.f == b.f)};
    case BinaryOp::kNe: return {TW_PAIRS(d.i = a.f != b.f)};
    case BinaryOp::kLt: return {TW_PAIRS(d.i = a.f < b.f)};
    case BinaryOp::kLe: return {TW_PAIRS(d.i = a.f <= b.f)};
    case BinaryOp::kGt: return {TW_PAIRS(d.i = a.f > b.f)};
    case BinaryOp::kGe: return {TW_PAIRS(d.i = a.f >= b.f)};
    case BinaryOp::kAnd: return {TW_PAIRS(d.i = a.f != 0.0 && b.f != 0.0)};
    case BinaryOp::kOr: return {TW_PAIRS(d.i = a.f != 0.0 || b.f != 0.0)};
    default: return {};
    }
}

// Only uint64 needs functions of its own: every other unsigned value is a non-negative int64.
ElementOp wideUnsignedOp(BinaryOp op)
{
    switch (op) {
    case BinaryOp::kDiv: case BinaryOp::kFloorDiv: case BinaryOp::kTruncDiv:
        return {TW_PAIRS(d.i = b.i == 0 ? 0 : static_cast<std::int64_t>(bitsOf(a) / bitsOf(b)))};
    case BinaryOp::kFloorMod: case BinaryOp::kTruncMod:
        return {TW_PAIRS(d.i = b.i == 0 ? 0 : static_cast<std::int64_t>(bitsOf(a) % bitsOf(b)))};
    case BinaryOp::kMin: return {TW_PAIRS(d.i = bitsOf(a) < bitsOf(b) ? a.i : b.i)};
    case BinaryOp::kMax: return {TW_PAIRS(d.i = bitsOf(a) > bitsOf(b) ? a.i : b.i)};
    case BinaryOp::kLt: return {TW_PAIRS(d.i = bitsOf(a) < bitsOf(b))};
    case BinaryOp::kLe: return {TW_PAIRS(d.i = bitsOf(a) <= bitsOf(b))};
    case BinaryOp::kGt: return {TW_PAIRS(d.i = bitsOf(a) > bitsOf(b))};
    case BinaryOp::kGe: return {TW_PAIRS(d.i = bitsOf(a) >= bitsOf(b))};
    case BinaryOp::kShr: return {TW_PAIRS(d.i = bitsOf(b) > 63 ? 0 : static_cast<std::int64_t>(bitsOf(a) >> b.i))};
    default: return {};
    }
}

ElementOp intOp(BinaryOp op)
{
    switch (op) {
    case BinaryOp::kAdd: return {TW_PAIRS(d.i = static_cast<std::int64_t>(bitsOf(a) + bitsOf(b))), Finish::kWrap};
    case BinaryOp::kSub: return {TW_PAIRS(d.i = static_cast<std::int64_t>(bitsOf(a) - bitsOf(b))), Finish::kWrap};
    case BinaryOp::kMul: return {TW_PAIRS(d.i = static_cast<std::int64_t>(bitsOf(a) * bitsOf(b))), Finish::kWrap};
    case BinaryOp::kFloorDiv: return {TW_PAIRS(d.i = b.i == 0 ? 0 : floorDivide(a.i, b.i)), Finish::kWrap};
    case BinaryOp::kFloorMod: return {TW_PAIRS(d.i = b.i == 0 ? 0 : floorRemainder(a.i, b.i))};
    case BinaryOp::kDiv: case BinaryOp::kTruncDiv: return {TW_PAIRS(d.i = truncDivide(a.i, b.i)), Finish::kWrap};
    case BinaryOp::kTruncMod: return {TW_PAIRS(d.i = truncModulo(a.i, b.i))};
    case BinaryOp::kMin: return {TW_PAIRS(d.i = a.i < b.i ? a.i : b.i)};
    case BinaryOp::kMax: return {TW_PAIRS(d.i = a.i > b.i ? a.i : b.i)};
    case BinaryOp::kShl: return {TW_PAIRS(d.i = shiftLeft(a.i, b.i)), Finish::kWrap};
    case BinaryOp::kShr: return {TW_PAIRS(d.i = shiftRight(a.i, b.i))};
    case BinaryOp::kBitAnd: return {TW_PAIRS(d.i = a.i & b.i)};
    case BinaryOp::kBitOr: return {TW_PAIRS(d.i = a.i | b.i)};
    case BinaryOp::kBitXor: return {TW_PAIRS(d.i = a.i ^ b.i)};
    case BinaryOp::kAnd: return {TW_PAIRS(d.i = a.i != 0 && b.i != 0)};
    case BinaryOp::kOr: return {TW_PAIRS(d.i = a.i != 0 || b.i != 0)};
    case BinaryOp::kEq: return {TW_PAIRS(d.i = a.i == b.i)};
    case BinaryOp::kNe: return {TW_PAIRS(d.i = a.i != b.i)};
    case BinaryOp::kLt: return {TW_PAIRS(d.i = a.i < b.i)};
    case BinaryOp::kLe: return {TW_PAIRS(d.i = a.i <= b.i)};
    case BinaryOp::kGt: return {TW_PAIRS(d.i = a.i > b.i)};
    case BinaryOp::kGe: return {TW_PAIRS(d.i = a.i >= b.i)};
    }
    return {};
}

#undef TW_PAIRS

void select(const ElementArgs& x)
{
    const auto s0 = static_cast<std::size_t>(x.stride[0]);
    const auto s1 = static_cast<std::size_t>(x.stride[1]);
    const auto s2 = static_cast<std::size_t>(x.stride[2]);
    for (std::size_t k = 0; k < x.n; ++k)
        x.out[k] = x.in[0][s0 * k].i != 0 ? x.in[1][s1 * k] : x.in[2][s2 * k];
}

}  // namespace

ElementOp unaryOp(ir::UnaryOp op, DType type)
{
    switch (op) {
    case ir::UnaryOp::kNegate:
        if (type.isFloating())
            return {[](const ElementArgs& x) {
                for (std::size_t k = 0; k < x.n; ++k)
                    x.out[k].f = -x.in[0][k].f;
            }};
        return {[](const ElementArgs& x) {
                    for (std::size_t k = 0; k < x.n; ++k)
                        x.out[k].i = static_cast<std::int64_t>(0 - bitsOf(x.in[0][k]));
                },
                Finish::kWrap};
    case ir::UnaryOp::kNot:
        return {[](const ElementArgs& x) {
            for (std::size_t k = 0; k < x.n; ++k)
                x.out[k].i = x.in[0][k].i == 0 ? 1 : 0;
        }};
    case ir::UnaryOp::kInvert:
        if (type.isBool())
            return unaryOp(ir::UnaryOp::kNot, type);
        return {[](const ElementArgs& x) {
                    for (std::size_t k = 0; k < x.n; ++k)
                        x.out[k].i = ~x.in[0][k].i;
                },
                Finish::kWrap};
    }
    return {};
}

ElementOp binaryOp(BinaryOp op, DType type)
{
    if (type.isFloating())
        return floatOp(op);
    if (type.scalar == Scalar::kUInt64)
        if (const ElementOp wide = wideUnsignedOp(op); wide.fn)
            return wide;
    return intOp(op);
}

ElementFn selectOp() { return select; }

}  // namespace tw::interp

#include "profiler/device/index_value.h"

#include "core/ir/number.h"

namespace tw::device {
namespace {

std::int64_t floorDiv(std::int64_t a, std::int64_t b)
{
    const std::int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

// Wraps instead of overflowing: the callers only search for values.
std::int64_t wrapping(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::optional<std::int64_t> binaryValue(ir::BinaryOp op, std::int64_t a, std::int64_t b)
{
    const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
    const bool divides = b != 0 && b != -1;
    using Op = ir::BinaryOp;
    switch (op) {
        case Op::kAdd: return wrapping(ua + ub);
        case Op::kSub: return wrapping(ua - ub);
        case Op::kMul: return wrapping(ua * ub);
        case Op::kFloorDiv: return divides ? floorDiv(a, b) : b == -1 ? std::optional(wrapping(-ua)) : std::nullopt;
        case Op::kFloorMod: return divides ? a - floorDiv(a, b) * b : b == -1 ? std::optional<std::int64_t>(0) : std::nullopt;
        case Op::kTruncDiv: return divides ? a / b : b == -1 ? std::optional(wrapping(-ua)) : std::nullopt;
        case Op::kTruncMod: return divides ? a % b : b == -1 ? std::optional<std::int64_t>(0) : std::nullopt;
        case Op::kMin: return std::min(a, b);
        case Op::kMax: return std::max(a, b);
        case Op::kShl: return b >= 0 && b < 63 ? std::optional(wrapping(ua << b)) : std::nullopt;
        case Op::kShr: return b >= 0 && b < 63 ? std::optional(a >> b) : std::nullopt;
        case Op::kBitAnd: return a & b;
        case Op::kBitOr: return a | b;
        case Op::kBitXor: return a ^ b;
        case Op::kAnd: return a != 0 && b != 0;
        case Op::kOr: return a != 0 || b != 0;
        case Op::kEq: return a == b;
        case Op::kNe: return a != b;
        case Op::kLt: return a < b;
        case Op::kLe: return a <= b;
        case Op::kGt: return a > b;
        case Op::kGe: return a >= b;
        case Op::kDiv: return std::nullopt;
    }
    return std::nullopt;
}

std::optional<std::int64_t> unaryValue(ir::UnaryOp op, std::int64_t a)
{
    switch (op) {
        case ir::UnaryOp::kNegate: return wrapping(0 - static_cast<std::uint64_t>(a));
        case ir::UnaryOp::kNot: return a == 0;
        case ir::UnaryOp::kInvert: return ~a;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> indexValue(const ir::Expr& e, const LeafValue& leaf)
{
    if (const std::int64_t* constant = ir::asInt(e))
        return *constant;
    if (e->kind == ir::ExprKind::kVar || e->kind == ir::ExprKind::kLoad)
        return leaf(e);
    if (const auto* binary = ir::as<ir::Binary>(e)) {
        const auto a = indexValue(binary->a, leaf);
        const auto b = a ? indexValue(binary->b, leaf) : std::nullopt;
        return a && b ? binaryValue(binary->op, *a, *b) : std::nullopt;
    }
    if (const auto* unary = ir::as<ir::Unary>(e)) {
        const auto a = indexValue(unary->a, leaf);
        return a ? unaryValue(unary->op, *a) : std::nullopt;
    }
    if (const auto* cast = ir::as<ir::Cast>(e); cast && (cast->dtype.isInteger() || cast->dtype.isBool())) {
        const auto a = indexValue(cast->value, leaf);
        return a ? std::optional(ir::wrapInt(cast->dtype, *a)) : std::nullopt;
    }
    if (const auto* select = ir::as<ir::Select>(e)) {
        const auto c = indexValue(select->condition, leaf);
        return c ? indexValue(*c ? select->then : select->otherwise, leaf) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace tw::device

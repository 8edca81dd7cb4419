#include "core/arith/evaluate.h"

#include <algorithm>
#include <numeric>

#include "core/ir/number.h"
#include "core/support/floor_division.h"

namespace tw::arith {

using ir::as;
using ir::BinaryOp;

namespace {

using I = std::int64_t;
using U = std::uint64_t;

std::optional<I> divide(BinaryOp op, I a, I b)
{
    if (b == 0)
        return {};
    switch (op) {
    case BinaryOp::kFloorDiv: return floorDivide(a, b);
    case BinaryOp::kFloorMod: return floorRemainder(a, b);
    case BinaryOp::kTruncDiv: return b == -1 ? floorDivide(a, b) : a / b;  // exact, so both round alike
    default: return b == -1 ? 0 : a % b;
    }
}

std::optional<I> apply(BinaryOp op, I a, I b)
{
    switch (op) {
    // Modulo 2^64, as constants fold.
    case BinaryOp::kAdd: return static_cast<I>(static_cast<U>(a) + static_cast<U>(b));
    case BinaryOp::kSub: return static_cast<I>(static_cast<U>(a) - static_cast<U>(b));
    case BinaryOp::kMul: return static_cast<I>(static_cast<U>(a) * static_cast<U>(b));
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncMod: return divide(op, a, b);
    case BinaryOp::kMin: return std::min(a, b);
    case BinaryOp::kMax: return std::max(a, b);
    case BinaryOp::kShl: return b < 0 || b > 62 ? std::optional<I>{} : static_cast<I>(static_cast<U>(a) << b);
    case BinaryOp::kShr: return b < 0 || b > 63 ? std::optional<I>{} : a >> b;
    case BinaryOp::kBitAnd:
    case BinaryOp::kAnd: return a & b;
    case BinaryOp::kBitOr:
    case BinaryOp::kOr: return a | b;
    case BinaryOp::kBitXor: return a ^ b;
    case BinaryOp::kEq: return a == b;
    case BinaryOp::kNe: return a != b;
    case BinaryOp::kLt: return a < b;
    case BinaryOp::kLe: return a <= b;
    case BinaryOp::kGt: return a > b;
    case BinaryOp::kGe: return a >= b;
    case BinaryOp::kDiv: break;
    }
    return {};
}

}  // namespace

bool Evaluation::add(const ir::Expr& e, std::span<const ir::ExprNode* const> vars)
{
    if (!e || e->dtype.lanes != 1)
        return false;
    for (std::size_t i = 0; i < vars.size(); ++i)
        if (vars[i] == e.get()) {
            steps_.push_back({Code::kVariable, 0, e->dtype, static_cast<I>(i)});
            return true;
        }
    if (const auto* value = ir::asInt(e)) {
        steps_.push_back({Code::kConstant, 0, e->dtype, *value});
        return true;
    }
    if (const auto* b = as<ir::Binary>(e)) {
        if (!b->a->dtype.isInteger() && !b->a->dtype.isBool())
            return false;
        if (!add(b->a, vars) || !add(b->b, vars))
            return false;
        steps_.push_back({Code::kBinary, static_cast<std::uint8_t>(b->op), e->dtype});
        return true;
    }
    if (const auto* u = as<ir::Unary>(e)) {
        if (!add(u->a, vars))
            return false;
        steps_.push_back({Code::kUnary, static_cast<std::uint8_t>(u->op), e->dtype});
        return true;
    }
    if (const auto* s = as<ir::Select>(e)) {
        if (!add(s->condition, vars) || !add(s->then, vars) || !add(s->otherwise, vars))
            return false;
        steps_.push_back({Code::kSelect, 0, e->dtype});
        return true;
    }
    if (const auto* c = as<ir::Cast>(e); c && (e->dtype.isInteger() || e->dtype.isBool())) {
        if (!add(c->value, vars))
            return false;
        steps_.push_back({Code::kWrap, 0, e->dtype});
        return true;
    }
    return false;
}

std::optional<Evaluation> Evaluation::compile(const ir::Expr& e, std::span<const ir::ExprNode* const> vars)
{
    Evaluation evaluation;
    if (!evaluation.add(e, vars))
        return {};
    evaluation.stack_.reserve(evaluation.steps_.size());
    return evaluation;
}

std::optional<I> Evaluation::run(std::span<const I> values)
{
    stack_.clear();
    const auto pop = [&] {
        const I top = stack_.back();
        stack_.pop_back();
        return top;
    };
    for (const Step& step : steps_) {
        switch (step.code) {
        case Code::kConstant: stack_.push_back(step.value); break;
        case Code::kVariable: stack_.push_back(values[static_cast<std::size_t>(step.value)]); break;
        case Code::kBinary: {
            const I b = pop(), a = pop();
            const auto result = apply(static_cast<BinaryOp>(step.op), a, b);
            if (!result)
                return {};
            stack_.push_back(*result);
            break;
        }
        case Code::kUnary: {
            const I a = pop();
            const auto op = static_cast<ir::UnaryOp>(step.op);
            stack_.push_back(op == ir::UnaryOp::kNegate ? -a : op == ir::UnaryOp::kNot || step.type.isBool() ? a == 0 : ~a);
            break;
        }
        case Code::kSelect: {
            const I otherwise = pop(), then = pop();
            stack_.push_back(pop() ? then : otherwise);
            break;
        }
        case Code::kWrap: stack_.push_back(ir::wrapInt(step.type, pop())); break;
        }
    }
    return stack_.back();
}

namespace {

// a = a op b, element by element. The operations that index arithmetic is made of have loops of their own, which compilers turn into
// vector code.
bool applyRow(BinaryOp op, std::vector<I>& a, const std::vector<I>& b)
{
    const auto all = [&](auto f) {
        for (std::size_t k = 0; k < a.size(); ++k)
            a[k] = f(a[k], b[k]);
        return true;
    };
    switch (op) {
    case BinaryOp::kAdd: return all([](I x, I y) { return x + y; });
    case BinaryOp::kSub: return all([](I x, I y) { return x - y; });
    case BinaryOp::kMul: return all([](I x, I y) { return x * y; });
    case BinaryOp::kBitXor: return all([](I x, I y) { return x ^ y; });
    case BinaryOp::kBitAnd: return all([](I x, I y) { return x & y; });
    default: break;
    }
    for (std::size_t k = 0; k < a.size(); ++k) {
        const auto result = apply(op, a[k], b[k]);
        if (!result)
            return false;
        a[k] = *result;
    }
    return true;
}

}  // namespace

bool Evaluation::runAlong(std::span<const I> values, std::size_t along, std::span<I> results)
{
    std::vector<std::vector<I>> rows;  // the stack
    std::size_t depth = 0;
    const auto push = [&]() -> std::vector<I>& {
        if (rows.size() <= depth)
            rows.emplace_back();
        rows[depth].resize(results.size());
        return rows[depth++];
    };
    for (const Step& step : steps_) {
        switch (step.code) {
        case Code::kConstant: std::ranges::fill(push(), step.value); break;
        case Code::kVariable:
            if (std::vector<I>& row = push(); static_cast<std::size_t>(step.value) == along)
                std::iota(row.begin(), row.end(), I{0});
            else
                std::ranges::fill(row, values[static_cast<std::size_t>(step.value)]);
            break;
        case Code::kBinary:
            --depth;
            if (!applyRow(static_cast<BinaryOp>(step.op), rows[depth - 1], rows[depth]))
                return false;
            break;
        case Code::kUnary: {
            const auto op = static_cast<ir::UnaryOp>(step.op);
            for (I& a : rows[depth - 1])
                a = op == ir::UnaryOp::kNegate ? -a : op == ir::UnaryOp::kNot || step.type.isBool() ? a == 0 : ~a;
            break;
        }
        case Code::kSelect:
            depth -= 2;
            for (std::size_t k = 0; k < results.size(); ++k)
                rows[depth - 1][k] = rows[depth - 1][k] ? rows[depth][k] : rows[depth + 1][k];
            break;
        case Code::kWrap:
            for (I& a : rows[depth - 1])
                a = ir::wrapInt(step.type, a);
            break;
        }
    }
    std::ranges::copy(rows.front(), results.begin());
    return true;
}

}  // namespace tw::arith

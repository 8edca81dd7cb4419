// Every answer about random expressions is compared with brute force over all values of their variables.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/arith/facts.h"
#include "core/ir/build.h"
#include "core/ir/print.h"

namespace tw::arith {
namespace {

using ir::as;
using ir::BinaryOp;
using ir::Expr;

using Values = std::map<const ir::ExprNode*, std::int64_t>;

// Python's semantics, written apart from the library's own folding.
std::int64_t evaluate(const Expr& e, const Values& values)
{
    if (const auto* value = ir::asInt(e))
        return *value;
    if (e->kind == ir::ExprKind::kVar)
        return values.at(e.get());
    if (const auto* u = as<ir::Unary>(e))
        return u->op == ir::UnaryOp::kNegate ? -evaluate(u->a, values) : evaluate(u->a, values) == 0;
    const auto* b = as<ir::Binary>(e);
    const std::int64_t x = evaluate(b->a, values), y = evaluate(b->b, values);
    const auto quotient = [&] { return static_cast<std::int64_t>(std::floor(static_cast<double>(x) / static_cast<double>(y))); };
    switch (b->op) {
    case BinaryOp::kAdd: return x + y;
    case BinaryOp::kSub: return x - y;
    case BinaryOp::kMul: return x * y;
    case BinaryOp::kFloorDiv: return quotient();
    case BinaryOp::kFloorMod: return x - y * quotient();
    case BinaryOp::kTruncDiv: return x / y;
    case BinaryOp::kTruncMod: return x % y;
    case BinaryOp::kMin: return std::min(x, y);
    case BinaryOp::kMax: return std::max(x, y);
    case BinaryOp::kBitXor: return x ^ y;
    case BinaryOp::kBitAnd: return x & y;
    case BinaryOp::kEq: return x == y;
    case BinaryOp::kNe: return x != y;
    case BinaryOp::kLt: return x < y;
    case BinaryOp::kLe: return x <= y;
    case BinaryOp::kAnd: return x && y;
    case BinaryOp::kOr: return x || y;
    default: ADD_FAILURE() << "an operator that the generator does not make"; return 0;
    }
}

class Generator {
public:
    explicit Generator(std::uint32_t seed) : random_(seed)
    {
        for (const char* name : {"a", "b", "c"})
            vars_.push_back(std::make_shared<ir::VarNode>(ir::kInt32, name));
    }

    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

    Expr integer(int depth)
    {
        if (depth == 0 || pick(0, 5) == 0)
            return pick(0, 3) == 0 ? ir::intImm(pick(-9, 9)) : vars_[static_cast<std::size_t>(pick(0, 2))];
        const Expr a = integer(depth - 1);
        switch (pick(0, 9)) {
        case 0:
        case 1: return ir::add(a, integer(depth - 1));
        case 2: return ir::sub(a, integer(depth - 1));
        case 3: return ir::mul(a, ir::intImm(pick(-6, 6)));
        case 4: return ir::floorDiv(a, ir::intImm(pick(1, 12)));
        case 5: return ir::floorMod(a, ir::intImm(pick(1, 12)));
        case 6: return pick(0, 1) ? ir::min(a, integer(depth - 1)) : ir::max(a, integer(depth - 1));
        case 7: return ir::binary(pick(0, 1) ? BinaryOp::kTruncDiv : BinaryOp::kTruncMod, a, ir::intImm(pick(1, 8)));
        case 8: return ir::binary(pick(0, 1) ? BinaryOp::kBitXor : BinaryOp::kBitAnd, a, integer(depth - 1));
        default: return ir::mul(a, integer(depth - 1));
        }
    }

    Expr condition(int depth)
    {
        static constexpr BinaryOp kOps[] = {BinaryOp::kEq, BinaryOp::kNe, BinaryOp::kLt, BinaryOp::kLe};
        const Expr compare = ir::binary(kOps[pick(0, 3)], integer(depth), integer(depth));
        if (pick(0, 4) != 0)
            return compare;
        return ir::binary(pick(0, 1) ? BinaryOp::kAnd : BinaryOp::kOr, compare, condition(depth));
    }

    const std::vector<Expr>& vars() const { return vars_; }

private:
    std::mt19937 random_;
    std::vector<Expr> vars_;
};

struct Case {
    explicit Case(std::uint32_t seed) : generator(seed)
    {
        for (std::size_t i = 0; i < 3; ++i) {
            low[i] = generator.pick(-8, 4);
            high[i] = low[i] + generator.pick(0, 9);
            facts.bound(generator.vars()[i], {low[i], high[i]});
        }
    }

    // Calls `f` with every assignment that satisfies `guard` (if any).
    template <class F>
    void each(const Expr& guard, F f) const
    {
        Values values;
        for (std::int64_t a = low[0]; a <= high[0]; ++a)
            for (std::int64_t b = low[1]; b <= high[1]; ++b)
                for (std::int64_t c = low[2]; c <= high[2]; ++c) {
                    values[generator.vars()[0].get()] = a;
                    values[generator.vars()[1].get()] = b;
                    values[generator.vars()[2].get()] = c;
                    if (!guard || evaluate(guard, values))
                        f(values);
                }
    }

    Generator generator;
    Facts facts;
    std::array<std::int64_t, 3> low{}, high{};
};

constexpr std::uint32_t kSeeds = 1500;

TEST(RandomArith, ValuesBoundsAndDivisors)
{
    for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
        Case test(seed);
        const Expr e = test.generator.integer(4);
        const Expr simple = test.facts.simplify(e);
        const Interval bounds = test.facts.bounds(e);
        const std::int64_t divisor = test.facts.divisor(e);
        test.each({}, [&](const Values& values) {
            const std::int64_t value = evaluate(e, values);
            ASSERT_EQ(evaluate(simple, values), value) << "seed " << seed << ": " << ir::print(e) << " became " << ir::print(simple);
            ASSERT_TRUE((!bounds.low || *bounds.low <= value) && (!bounds.high || value <= *bounds.high))
                << "seed " << seed << ": " << ir::print(e) << " = " << value;
            ASSERT_TRUE(divisor == 0 ? value == 0 : value % divisor == 0) << "seed " << seed << ": " << ir::print(e) << " % " << divisor;
        });
        if (HasFatalFailure())
            return;
    }
}

TEST(RandomArith, ProofsUnderGuards)
{
    int decided = 0;
    for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
        Case test(seed + 100000);
        const Expr guard = test.generator.condition(2);
        const Expr goal = test.generator.condition(2);
        test.facts.assume(guard);
        const Truth answer = test.facts.prove(goal);
        decided += answer != Truth::kUnknown;
        test.each(guard, [&](const Values& values) {
            if (answer == Truth::kUnknown)
                return;
            ASSERT_EQ(evaluate(goal, values) != 0, answer == Truth::kProved)
                << "seed " << seed << ": " << ir::print(guard) << " => " << ir::print(goal);
        });
        if (HasFatalFailure())
            return;
    }
    EXPECT_GT(decided, static_cast<int>(kSeeds) / 5);
}

}  // namespace
}  // namespace tw::arith

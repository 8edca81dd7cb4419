// Differences of index expressions as polynomials in their atoms, so that (bx + 1) * 64 - bx * 64 is 64.
#include <map>

#include "core/ir/visit.h"
#include "core/staging/trace/expressions.h"

namespace tw::staging {

using ir::Expr;

namespace {

// Coefficients by product of atoms; the empty product is the constant.
using Polynomial = std::map<std::vector<int>, std::int64_t>;

class Polynomials {
public:
    // Empty if it grows too large to be worth it.
    std::optional<Polynomial> of(const Expr& e)
    {
        if (const auto* i = ir::asInt(e))
            return Polynomial{{{}, *i}};
        if (const auto* c = ir::as<ir::Cast>(e); c && c->value->dtype.isInteger() && c->dtype.isInteger())
            return of(c->value);
        if (const auto* u = ir::as<ir::Unary>(e); u && u->op == ir::UnaryOp::kNegate)
            return scaled(of(u->a), -1);
        if (const auto* b = ir::as<ir::Binary>(e)) {
            if (b->op == ir::BinaryOp::kAdd)
                return sum(of(b->a), of(b->b), 1);
            if (b->op == ir::BinaryOp::kSub)
                return sum(of(b->a), of(b->b), -1);
            if (b->op == ir::BinaryOp::kMul)
                return product(of(b->a), of(b->b));
        }
        return Polynomial{{{atom(e)}, 1}};
    }

    static std::optional<Polynomial> sum(std::optional<Polynomial> a, const std::optional<Polynomial>& b, std::int64_t sign)
    {
        if (!a || !b)
            return std::nullopt;
        for (const auto& [key, coefficient] : *b)
            if (((*a)[key] += sign * coefficient) == 0)
                a->erase(key);
        return a;
    }

private:
    static constexpr std::size_t kMaxTerms = 64;

    static std::optional<Polynomial> scaled(std::optional<Polynomial> a, std::int64_t factor)
    {
        if (a)
            for (auto& [key, coefficient] : *a)
                coefficient *= factor;
        return a;
    }

    static std::optional<Polynomial> product(const std::optional<Polynomial>& a, const std::optional<Polynomial>& b)
    {
        if (!a || !b || a->size() * b->size() > kMaxTerms)
            return std::nullopt;
        Polynomial result;
        for (const auto& [ka, ca] : *a)
            for (const auto& [kb, cb] : *b) {
                std::vector<int> key = ka;
                key.insert(key.end(), kb.begin(), kb.end());
                std::sort(key.begin(), key.end());
                if ((result[key] += ca * cb) == 0)
                    result.erase(key);
            }
        return result;
    }

    int atom(const Expr& e)
    {
        for (std::size_t i = 0; i < atoms_.size(); ++i)
            if (ir::equal(atoms_[i], e))
                return static_cast<int>(i);
        atoms_.push_back(e);
        return static_cast<int>(atoms_.size()) - 1;
    }

    std::vector<Expr> atoms_;
};

std::optional<std::int64_t> constantDifference(const Expr& upper, const Expr& lower)
{
    Polynomials polynomials;
    const auto a = polynomials.of(upper);
    const auto d = Polynomials::sum(a, polynomials.of(lower), -1);
    if (!d)
        return std::nullopt;
    if (d->empty())
        return 0;
    if (d->size() == 1 && d->begin()->first.empty())
        return d->begin()->second;
    return std::nullopt;
}

}  // namespace

Expr difference(const Expr& upper, const Expr& lower)
{
    if (const auto constant = constantDifference(upper, lower))
        return ir::intImm(*constant, ir::kInt32, upper->where);
    // start + extent minus start, whatever the extent is made of
    if (const auto* sum = ir::as<ir::Binary>(upper); sum && sum->op == ir::BinaryOp::kAdd) {
        if (ir::equal(sum->a, lower))
            return sum->b;
        if (ir::equal(sum->b, lower))
            return sum->a;
    }
    return ir::sub(upper, lower);
}

bool provablyEqual(const Expr& a, const Expr& b)
{
    return constantDifference(a, b) == std::optional<std::int64_t>(0);
}

}  // namespace tw::staging

#include "profiler/analysis/domain.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/analysis/walk.h"
#include "core/arith/evaluate.h"
#include "core/arith/facts.h"
#include "core/ir/build.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"

namespace tw::profile_analysis {
namespace {

using ir::Expr;
using ir::ExprNode;

constexpr double kMostPoints = 250'000;

// Replaces variables that are known by name.
class Known final : public ir::Rewriter {
public:
    Known(const Values& values, const std::vector<Binder>& bound) : values_(values)
    {
        for (const Binder& b : bound)
            bound_.insert(b.var.get());
    }
    using ir::Rewriter::rewrite;
    Expr rewrite(const Expr& e) override
    {
        const auto* var = ir::as<ir::VarNode>(e);
        if (!var)
            return e ? rewriteChildren(e) : e;
        const auto found = values_.find(var->name);
        return found == values_.end() || bound_.contains(var) ? e : ir::intImm(found->second, e->dtype);
    }

private:
    const Values& values_;
    std::set<const ExprNode*> bound_;
};

struct Variables final : ir::Visitor {
    using ir::Visitor::visit;
    std::set<const ExprNode*> found;
    void visit(const Expr& e) override
    {
        if (e && e->kind == ir::ExprKind::kVar)
            found.insert(e.get());
        ir::Visitor::visit(e);
    }
};

std::set<const ExprNode*> variablesOf(std::initializer_list<Expr> list)
{
    Variables v;
    for (const Expr& e : list)
        v.visit(e);
    return v.found;
}

// An expression over the enumerated variables; a constant where it depends on none. Not known: empty.
struct Term {
    std::optional<std::int64_t> constant;
    std::optional<arith::Evaluation> evaluation;

    [[nodiscard]] bool isKnown() const { return constant || evaluation; }
    std::int64_t at(const std::vector<std::int64_t>& point, std::int64_t otherwise)
    {
        if (constant)
            return *constant;
        return evaluation ? evaluation->run(point).value_or(otherwise) : otherwise;
    }
};

class Summation {
public:
    Summation(const Domain& domain, const std::vector<Clip>& clips, const Values& values) : known_(values, domain.binders)
    {
        for (const Binder& b : domain.binders)
            binders_.push_back({b.var, known_.rewrite(b.begin), known_.rewrite(b.end), b.step ? known_.rewrite(b.step) : Expr(), b.counts});
        for (const Binder& b : binders_) {
            const arith::Interval low = facts_.bounds(b.begin), high = facts_.bounds(b.end);
            facts_.bound(b.var, {low.low, high.high ? std::optional(*high.high - 1) : std::nullopt});
        }
        for (const Condition& c : domain.conditions)
            take(Condition{known_.rewrite(c.e), c.holds});
        for (const Clip& c : clips)
            take(Clip{known_.rewrite(c.min), known_.rewrite(c.extent), known_.rewrite(c.shape)});
    }

    Sum run()
    {
        if (never_)
            return {0, true};
        close();
        prepare();
        point_.assign(vars_.size(), 0);
        const double value = enumerate(0);
        return {value, exact_};
    }

private:
    struct Axis {
        Term begin, end, step;
        bool counts = true;
        int var = -1;           // index into vars_; -1: only its trips matter
        std::int64_t most = 0;  // samples at most; 0: all
        std::optional<std::int64_t> highest;  // of the end
    };
    struct Factor {
        Term min, extent, shape;
        bool isClipped = false;
    };

    void need(const Expr& e)
    {
        for (const ExprNode* v : variablesOf({e}))
            relevant_.insert(v);
    }

    void take(const Condition& c)
    {
        const arith::Truth truth = facts_.prove(c.e);
        if (truth == (c.holds ? arith::Truth::kRefuted : arith::Truth::kProved))
            never_ = true;
        if (truth != arith::Truth::kUnknown)
            return;
        conditions_.push_back(c);
        if (isDecidable(c.e))
            need(c.e);
    }

    void take(const Clip& c)
    {
        const arith::Interval low = facts_.bounds(c.min), high = facts_.bounds(ir::add(c.min, ir::cast(c.min->dtype, c.extent)));
        const auto* shape = ir::asInt(c.shape);
        const bool isInside = low.low && *low.low >= 0 && high.high && shape && *high.high <= *shape;
        clips_.push_back(c);
        inside_.push_back(isInside);
        need(c.extent);
        if (!isInside && isDecidable(c.min)) {
            need(c.min);
            need(c.shape);
        }
    }

    // Whether the variables around it are all that it depends on.
    bool isDecidable(const Expr& e) const
    {
        if (ir::hasRuntimeValue(e))
            return false;
        for (const ExprNode* v : variablesOf({e}))
            if (std::none_of(binders_.begin(), binders_.end(), [&](const Binder& b) { return b.var.get() == v; }))
                return false;
        return true;
    }

    // Bounds of loops count, so what they depend on does.
    void close()
    {
        for (auto b = binders_.rbegin(); b != binders_.rend(); ++b) {
            need(b->begin);
            need(b->end);
            if (b->step)
                need(b->step);
        }
    }

    Term term(const Expr& e)
    {
        if (const auto* value = ir::asInt(e))
            return {*value, {}};
        Term t{{}, arith::Evaluation::compile(e, vars_)};
        exact_ = exact_ && t.evaluation;
        return t;
    }

    void prepare()
    {
        double points = 1;
        std::vector<double> trips;
        for (const Binder& b : binders_)
            if (relevant_.contains(b.var.get())) {
                vars_.push_back(b.var.get());
                const arith::Interval range = facts_.bounds(Expr(b.var));
                trips.push_back(range.low && range.high ? std::max(1.0, static_cast<double>(*range.high - *range.low + 1)) : 1);
                points *= b.counts ? trips.back() : 1;
            }
        std::int64_t most = 0;
        if (points > kMostPoints)
            for (most = 512; most > 2 && product(trips, most) > kMostPoints;)
                most -= std::max<std::int64_t>(1, most / 16);
        for (const Binder& b : binders_) {
            const auto at = std::find(vars_.begin(), vars_.end(), b.var.get());
            axes_.push_back({term(b.begin), term(b.end), b.step ? term(b.step) : Term{1, {}}, b.counts,
                             at == vars_.end() ? -1 : static_cast<int>(at - vars_.begin()), most, facts_.bounds(b.end).high});
        }
        for (std::size_t i = 0; i < clips_.size(); ++i) {
            Factor f{{}, term(clips_[i].extent), {}, !inside_[i]};
            if (f.isClipped) {
                f.min = term(clips_[i].min);
                f.shape = term(clips_[i].shape);
            }
            factors_.push_back(std::move(f));
        }
        for (const Condition& c : conditions_)
            tests_.push_back({term(c.e), c.holds});
    }

    static double product(const std::vector<double>& trips, std::int64_t most)
    {
        double p = 1;
        for (const double t : trips)
            p *= std::min(t, static_cast<double>(most));
        return p;
    }

    double enumerate(std::size_t level)
    {
        if (level == axes_.size())
            return leaf();
        Axis& axis = axes_[level];
        const std::int64_t begin = axis.begin.at(point_, 0), step = std::max<std::int64_t>(1, axis.step.at(point_, 1));
        const std::int64_t end = axis.end.at(point_, axis.highest.value_or(begin + 1)), n = end > begin ? (end - begin + step - 1) / step : 0;
        if (n == 0)
            return 0;
        if (axis.var < 0)
            return (axis.counts ? static_cast<double>(n) : 1) * enumerate(level + 1);
        const auto var = static_cast<std::size_t>(axis.var);
        if (!axis.counts) {
            point_[var] = begin;
            return enumerate(level + 1);
        }
        const std::int64_t samples = axis.most > 0 && n > axis.most ? axis.most : n;
        exact_ = exact_ && samples == n;
        double sum = 0;
        for (std::int64_t s = 0; s < samples; ++s) {
            point_[var] = begin + step * (samples == n ? s : (2 * s + 1) * n / (2 * samples));
            sum += enumerate(level + 1);
        }
        return sum * static_cast<double>(n) / static_cast<double>(samples);
    }

    double leaf()
    {
        for (auto& [test, holds] : tests_)
            if ((test.at(point_, holds) != 0) != holds)
                return 0;
        double product = 1;
        for (Factor& f : factors_) {
            const std::int64_t extent = f.extent.at(point_, 1);
            std::int64_t low = 0, high = extent;
            if (f.isClipped && f.min.isKnown() && f.shape.isKnown()) {
                const std::int64_t min = f.min.at(point_, 0);
                low = std::max<std::int64_t>(0, min);
                high = std::min(min + extent, f.shape.at(point_, min + extent));
            }
            product *= static_cast<double>(std::max<std::int64_t>(0, high - low));
        }
        return product;
    }

    Known known_;
    std::vector<Binder> binders_;
    std::vector<Condition> conditions_;
    std::vector<Clip> clips_;
    std::vector<bool> inside_;
    arith::Facts facts_;
    std::set<const ExprNode*> relevant_;
    std::vector<const ExprNode*> vars_;
    std::vector<Axis> axes_;
    std::vector<Factor> factors_;
    std::vector<std::pair<Term, bool>> tests_;
    std::vector<std::int64_t> point_;
    bool never_ = false, exact_ = true;
};

}  // namespace

Sum sumOver(const Domain& domain, const std::vector<Clip>& clips, const Values& values)
{
    return Summation(domain, clips, values).run();
}

std::optional<std::int64_t> valueOf(const Expr& e, const Values& values)
{
    const Expr known = Known(values, {}).rewrite(e);
    if (const auto* value = ir::asInt(known))
        return *value;
    auto evaluation = arith::Evaluation::compile(known, {});
    return evaluation ? evaluation->run({}) : std::nullopt;
}

Hull hullOf(const Domain& domain, const Clip& clip, const Values& values)
{
    Known known(values, domain.binders);
    arith::Facts facts;
    for (const Binder& b : domain.binders) {
        const arith::Interval low = facts.bounds(known.rewrite(b.begin)), high = facts.bounds(known.rewrite(b.end));
        facts.bound(b.var, {low.low, high.high ? std::optional(*high.high - 1) : std::nullopt});
    }
    const std::int64_t shape = valueOf(clip.shape, values).value_or(0);
    const Expr min = known.rewrite(clip.min);
    const arith::Interval low = facts.bounds(min), high = facts.bounds(ir::add(min, ir::cast(min->dtype, known.rewrite(clip.extent))));
    const std::int64_t first = std::clamp<std::int64_t>(low.low.value_or(0), 0, shape);
    return {first, std::clamp<std::int64_t>(high.high.value_or(shape), first, shape)};
}

}  // namespace tw::profile_analysis

#include "core/passes/located_access.h"

#include <algorithm>

#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::passes {

using arith::Affine;
using ir::as;
using ir::Expr;
using ir::ExprNode;

namespace {

constexpr std::int64_t kMostPoints = 1 << 16;  // threads times own iterations that are tried out

struct VarFinder final : ir::Visitor {
    std::map<const ExprNode*, Expr> vars;
    std::set<const ir::BufferNode*> loaded;
    bool opaque = false;  // a load or a call
    using ir::Visitor::visit;
    void visit(const Expr& e) override
    {
        if (e && e->kind == ir::ExprKind::kVar)
            vars[e.get()] = e;
        if (const auto* load = as<ir::Load>(e))
            loaded.insert(analysis::storageOf(load->buffer.get()));
        opaque = opaque || (e && (e->kind == ir::ExprKind::kLoad || e->kind == ir::ExprKind::kCall));
        ir::Visitor::visit(e);
    }
};

VarFinder lookAt(const Expr& e)
{
    VarFinder finder;
    static_cast<ir::Visitor&>(finder).visit(e);
    return finder;
}

arith::Interval threadsOf(const analysis::ThreadSet& threads)
{
    if (threads.count() == 0)
        return {0, 0};
    std::int64_t first = 0, last = threads.total() - 1;
    while (!threads.contains(first))
        ++first;
    while (!threads.contains(last))
        --last;
    return {first, last};
}

}  // namespace

std::map<const ExprNode*, Expr> variablesOf(const Expr& e)
{
    return lookAt(e).vars;
}

// The same for all threads, and never changed.
bool LocatedAccess::isFixed(const Expr& atom) const
{
    return world_.uniformity.isUniform(atom) &&
           std::ranges::none_of(lookAt(atom).loaded, [&](const auto* b) { return world_.written.contains(b); });
}

// x % s where x has a tried loop variable that takes more values than there are slots (or has no bounds): any slot.
Expr LocatedAccess::slotFor(const Expr& atom)
{
    const auto* b = as<ir::Binary>(atom);
    const auto* modulus = b && b->op == ir::BinaryOp::kFloorMod ? ir::asInt(b->b) : nullptr;
    if (!modulus || *modulus <= 0)
        return atom;
    bool many = false;
    for (const auto& [node, var] : variablesOf(atom)) {
        const auto range = tried.contains(node) ? rangeOf(node) : std::optional<arith::Interval>({0, 0});
        const bool isThread = std::ranges::any_of(world_.launch.threadVars, [&](const ir::Var& v) { return v.get() == node; });
        if (isThread)
            return atom;
        many = many || !range || *range->high - *range->low >= *modulus;
    }
    if (!many)
        return atom;
    const auto slot = std::make_shared<const ir::VarNode>(atom->dtype, "slot");
    slotVars_.push_back(slot);
    slots_[slot.get()] = {0, *modulus - 1};
    tried.insert(slot.get());
    return slot;
}

std::optional<arith::Interval> LocatedAccess::rangeOf(const ExprNode* v) const
{
    if (const auto slot = slots_.find(v); slot != slots_.end())
        return slot->second;
    const auto range = world_.ranges.find(v);
    if (range == world_.ranges.end() || !range->second.low || !range->second.high)
        return {};
    const bool oneAxis = world_.launch.threads[1] * world_.launch.threads[2] == 1;
    return oneAxis && v == world_.launch.threadVars[0].get() ? threadsOf(*access_.threads) : range->second;
}

arith::Interval LocatedAccess::boundsOf(std::size_t axis) const
{
    arith::Facts facts = world_.facts;
    for (const Expr& slot : slotVars_)
        facts.bound(slot, slots_.at(slot.get()));
    if (const auto range = rangeOf(world_.launch.threadVars[0].get()))
        facts.bound(world_.launch.threadVars[0], *range);
    return facts.bounds(moving_[axis]);
}

arith::Interval LocatedAccess::triedBoundsOf(std::size_t axis) const
{
    const PointsRef found = points();
    arith::Interval range;
    for (std::size_t at = axis; found && at < found->keys.size(); at += all.size()) {
        const std::int64_t key = found->keys[at];
        range = {std::min(range.low.value_or(key), key), std::max(range.high.value_or(key), key)};
    }
    return range;
}

bool LocatedAccess::split()
{
    fixed_.assign(all.size(), Affine::of(std::int64_t{0}));
    moving_ = fixed_;
    std::set<const ExprNode*> used;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (!all[k].valid)
            return false;
        fixed_[k].constant = all[k].constant;
        for (arith::Term term : all[k].terms) {
            term.atom = slotFor(term.atom);
            const VarFinder finder = lookAt(term.atom);
            const auto isTried = [&](const auto& v) { return tried.contains(v.first); };
            const bool moves = std::ranges::any_of(finder.vars, isTried);
            if (moves ? finder.opaque || !std::ranges::all_of(finder.vars, isTried) : !isFixed(term.atom))
                return false;
            (moves ? moving_ : fixed_)[k].terms.push_back(term);
            if (moves)
                for (const auto& [node, var] : finder.vars)
                    used.insert(node);
        }
    }
    order_.assign(used.begin(), used.end());
    std::int64_t points = 1;
    for (const ExprNode* v : order_) {
        const auto range = rangeOf(v);
        if (!range)
            return false;
        points *= *range->high - *range->low + 1;
        if (points > kMostPoints)
            return false;
    }
    return true;
}

PointsRef LocatedAccess::points() const
{
    if (!slots_.empty())
        return enumerate();
    const auto [at, fresh] = world_.points.try_emplace({access_.statement, access_.ordinal, length, order_});
    if (fresh)
        at->second = enumerate();
    return at->second;
}

PointsRef LocatedAccess::enumerate() const
{
    std::vector<std::int64_t> low, high;
    for (const ExprNode* v : order_) {
        const arith::Interval range = *rangeOf(v);
        low.push_back(*range.low);
        high.push_back(*range.high);
    }
    std::vector<arith::Evaluation> axes;
    for (const Affine& axis : moving_) {
        auto compiled = arith::Evaluation::compile(arith::toExpr(axis, ir::kInt64), order_);
        if (!compiled)
            return {};
        axes.push_back(std::move(*compiled));
    }
    auto result = std::make_shared<Points>();
    std::vector<std::pair<std::size_t, std::int64_t>> threadTerms;  // position of a thread variable, its stride
    std::int64_t stride = 1;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto at = std::ranges::find(order_, world_.launch.threadVars[k].get());
        if (at != order_.end())
            threadTerms.emplace_back(static_cast<std::size_t>(at - order_.begin()), stride);
        else if (world_.launch.threads[k] > 1)
            result->namesThreads = false;
        stride *= world_.launch.threads[k];
    }
    std::vector<std::int64_t> at = low;
    while (true) {
        std::int64_t thread = 0;
        for (const auto& [position, step] : threadTerms)
            thread += at[position] * step;
        if (!result->namesThreads || access_.threads->contains(thread)) {
            result->threads.push_back(static_cast<std::int32_t>(thread));
            for (arith::Evaluation& axis : axes) {
                const auto value = axis.run(at);
                if (!value)
                    return {};
                result->keys.push_back(*value);
            }
        }
        std::size_t k = 0;
        for (; k < at.size() && ++at[k] > high[k]; ++k)
            at[k] = low[k];
        if (k == at.size())
            return result;
    }
}

}  // namespace tw::passes

#include "core/passes/hazards.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/analysis/effects.h"
#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/shape.h"
#include "core/ir/visit.h"
#include "core/passes/hardware.h"

namespace tw::passes {

using arith::Affine;
using ir::as;
using ir::Expr;
using ir::ExprNode;

namespace {

std::int64_t elementBytes(const ir::BufferNode& view)
{
    const std::int64_t bits = std::int64_t{view.dtype.bits()} * view.dtype.lanes;
    return bits % 8 == 0 ? bits / 8 : 0;
}

std::int64_t offsetOf(const ir::BufferNode* view)
{
    std::int64_t offset = 0;
    for (; view->viewOf; view = view->viewOf.get())
        offset += view->viewOffset;
    return offset;
}

std::int64_t viewBytes(const ir::BufferNode& view)
{
    return view.dtype.storageBytes(ir::elementCount(view.shape).value_or(0));
}

struct LaunchSurvey final : ir::Visitor {
    std::vector<const ir::For*> loops;
    std::set<const ir::BufferNode*> written;
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* loop = as<ir::For>(s))
            loops.push_back(loop);
        if (const auto* store = as<ir::Store>(s))
            written.insert(analysis::storageOf(store->buffer.get()));
        ir::Visitor::visit(s);
    }
    void visit(const ir::OpCall& call) override
    {
        for (std::size_t i = 0; i < call.operands.size(); ++i)
            if (const auto* region = std::get_if<ir::Region>(&call.operands[i]); region && region->buffer && analysis::effectOf(call, i).writes)
                written.insert(analysis::storageOf(region->buffer.get()));
        ir::Visitor::visit(call);
    }
};

bool sharesLoop(const MemoryAccess& a, const ExprNode* var)
{
    for (std::size_t i = 0; i < a.outerLoops; ++i)
        if (a.loops[i].var.get() == var)
            return true;
    return false;
}

}  // namespace

Hazards::Hazards(const ir::Launch& launch, const analysis::Uniformity& uniformity) : world_{launch, uniformity, {}, {}, {}, {}}
{
    for (std::size_t k = 0; k < 3; ++k)
        if (launch.threadVars[k])
            world_.ranges[launch.threadVars[k].get()] = {0, launch.threads[k] - 1};
    for (std::size_t k = 0; k < launch.blockVars.size(); ++k)
        world_.facts.bound(launch.blockVars[k], {0, {}});
    std::unordered_map<const ExprNode*, Expr> vars;
    for (const ir::Var& v : launch.threadVars)
        if (v)
            vars[v.get()] = v;
    LaunchSurvey survey;
    static_cast<ir::Visitor&>(survey).visit(launch.body);
    world_.written = std::move(survey.written);
    for (const ir::For* loop : survey.loops) {  // a variable may be bound by several loops
        const ir::Axis& axis = loop->axes[0];
        const auto *begin = ir::asInt(axis.begin), *end = ir::asInt(axis.end), *step = axis.step ? ir::asInt(axis.step) : nullptr;
        arith::Interval range;
        if (begin && end && (!axis.step || (step && *step > 0)))
            range = {*begin, std::max(*begin, *end - 1)};
        const auto [at, fresh] = world_.ranges.try_emplace(axis.var.get(), range);
        if (!fresh)
            at->second = arith::unite(at->second, range);
        vars[axis.var.get()] = axis.var;
    }
    for (const auto& [node, range] : world_.ranges)
        world_.facts.bound(vars.at(node), range);
}

bool Hazards::mayOverlap(const MemoryAccess& a, const MemoryAccess& b) const
{
    if (a.storage != b.storage)
        return false;
    if (a.storage->scope != ir::MemoryScope::kShared)
        return true;
    const std::int64_t x = offsetOf(a.view), y = offsetOf(b.view);
    return x < y + viewBytes(*b.view) && y < x + viewBytes(*a.view);
}

// Shared memory: one axis, in units of bytes from the start of the arena. Global memory: the buffer's own axes.
std::vector<Expr> Hazards::addresses(const MemoryAccess& a, const std::map<const ExprNode*, Expr>& then, std::int64_t unit) const
{
    std::vector<Expr> result;
    for (const Expr& e : a.index) {
        Expr address = ir::substitute(e, then);
        if (a.storage->scope == ir::MemoryScope::kShared)
            address = ir::add(ir::mul(ir::cast(ir::kInt64, address), ir::intImm(elementBytes(*a.view) / unit, ir::kInt64)),
                              ir::intImm(offsetOf(a.view) / unit, ir::kInt64));
        result.push_back(address);
    }
    return result;
}

// Whether base addresses that differ by `difference` (first minus second) keep two ranges of offsets apart.
bool Hazards::apart(const Affine& difference, const arith::Interval& a, const arith::Interval& b) const
{
    if (!a.low || !a.high || !b.low || !b.high)
        return false;
    const arith::Interval d = world_.facts.bounds(difference);
    if ((d.low && *d.low + *a.low > *b.high) || (d.high && *d.high + *a.high < *b.low))
        return true;
    // c * (x % s) - c * (y % s) with x - y a constant that s does not divide: two slots of a ring.
    if (difference.terms.size() != 2)
        return false;
    const arith::Term &p = difference.terms[0], &q = difference.terms[1];
    const auto *x = as<ir::Binary>(p.atom), *y = as<ir::Binary>(q.atom);
    if (!x || !y || x->op != ir::BinaryOp::kFloorMod || y->op != x->op || p.coefficient != -q.coefficient)
        return false;
    const auto *s = ir::asInt(x->b), *t = ir::asInt(y->b);
    const auto steps = arith::addScaled(world_.facts.normalize(x->a), world_.facts.normalize(y->a), -1).asConstant();
    if (!s || !t || *s != *t || *s <= 0 || !steps || *steps % *s == 0)
        return false;
    const std::int64_t stride = std::abs(p.coefficient);
    const auto within = [&](std::int64_t shift) { return shift + *a.low > *b.high || shift + *a.high < *b.low; };
    for (std::int64_t slots = 1; slots < *s; ++slots)
        if (!within(difference.constant + slots * stride) || !within(difference.constant - slots * stride))
            return false;
    return true;
}

namespace {

// Which thread comes to each address, in a dense table over the box that all addresses lie in.
class Owners {
public:
    static constexpr std::int32_t kNobody = -1, kSeveral = -2;

    // `length` addresses from each point on, along the last of `axes`. False if the box is too large.
    bool build(const Points& points, std::size_t axes, std::int64_t length, bool everyThread)
    {
        if (points.threads.empty())
            return true;
        low_.assign(points.keys.begin(), points.keys.begin() + static_cast<std::ptrdiff_t>(axes));
        high_ = low_;
        for (std::size_t at = 0; at < points.keys.size(); ++at) {
            low_[at % axes] = std::min(low_[at % axes], points.keys[at]);
            high_[at % axes] = std::max(high_[at % axes], points.keys[at]);
        }
        high_.back() += length - 1;
        std::int64_t size = 1;
        for (std::size_t k = 0; k < axes; ++k)
            if (size *= high_[k] - low_[k] + 1; size > kMostCells)
                return false;
        table_.assign(static_cast<std::size_t>(size), kNobody);
        for (std::size_t p = 0; p < points.threads.size(); ++p) {
            const std::int32_t thread = everyThread ? kSeveral : points.threads[p];
            auto owner = table_.begin() + place(points.keys.data() + p * axes);
            for (std::int64_t i = 0; i < length; ++i, ++owner)
                *owner = *owner == kNobody || *owner == thread ? thread : kSeveral;
        }
        return true;
    }
    [[nodiscard]] std::int32_t of(const std::vector<std::int64_t>& key) const
    {
        for (std::size_t k = 0; k < low_.size(); ++k)
            if (key[k] < low_[k] || key[k] > high_[k])
                return kNobody;
        return low_.empty() ? kNobody : table_[static_cast<std::size_t>(place(key.data()))];
    }

private:
    static constexpr std::int64_t kMostCells = 1 << 20;

    [[nodiscard]] std::ptrdiff_t place(const std::int64_t* key) const
    {
        std::int64_t at = 0;
        for (std::size_t k = 0; k < low_.size(); ++k)
            at = at * (high_[k] - low_[k] + 1) + key[k] - low_[k];
        return static_cast<std::ptrdiff_t>(at);
    }

    std::vector<std::int64_t> low_, high_;
    std::vector<std::int32_t> table_;
};

}  // namespace

// Both are located and their fixed parts differ by constants: who comes to the same place?
Hazard Hazards::compare(LocatedAccess& a, LocatedAccess& b) const
{
    std::vector<std::int64_t> shift;
    bool known = true;
    for (std::size_t k = 0; k < a.fixed().size(); ++k) {
        const Affine difference = arith::addScaled(a.fixed()[k], b.fixed()[k], -1);
        const bool last = k + 1 == a.fixed().size();
        const auto ends = [&](arith::Interval range, std::int64_t length) {
            if (range.high && last)
                *range.high += length - 1;
            return range;
        };
        if (apart(difference, ends(a.boundsOf(k), a.length), ends(b.boundsOf(k), b.length)))
            return Hazard::kNone;
        const auto constant = difference.asConstant();
        if (!constant && apart(difference, ends(a.triedBoundsOf(k), a.length), ends(b.triedBoundsOf(k), b.length)))
            return Hazard::kNone;
        known = known && constant;
        shift.push_back(constant.value_or(0));
    }
    if (!known)
        return Hazard::kUnknown;
    const PointsRef first = a.points(), second = b.points();
    Owners owners;
    if (!first || !second || !owners.build(*second, shift.size(), b.length, !first->namesThreads || !second->namesThreads))
        return Hazard::kUnknown;
    Hazard worst = Hazard::kNone;
    std::vector<std::int64_t> key(shift.size());
    for (std::size_t p = 0; p < first->threads.size(); ++p) {
        for (std::size_t k = 0; k < key.size(); ++k)
            key[k] = first->keys[p * key.size() + k] + shift[k];
        const std::int32_t thread = first->threads[p];
        for (std::int64_t i = 0; i < a.length; ++i, ++key.back()) {
            const std::int32_t owner = owners.of(key);
            if (owner == Owners::kNobody || owner == thread)
                continue;
            if (owner == Owners::kSeveral || owner / kWarpSize != thread / kWarpSize)
                return Hazard::kBlock;
            worst = Hazard::kWarp;
        }
    }
    return worst;
}

Hazard Hazards::between(const MemoryAccess& earlier, const MemoryAccess& later) const
{
    if ((!earlier.writes && !later.writes) || (earlier.atomic && later.atomic) || !mayOverlap(earlier, later))
        return Hazard::kNone;
    if (earlier.engine == Engine::kGroups && later.engine == Engine::kGroups)
        return Hazard::kNone;  // the order of groups is the author's
    if (*earlier.threads == *later.threads && earlier.threads->count() == 1)
        return Hazard::kNone;
    const bool shared = earlier.storage->scope == ir::MemoryScope::kShared;
    if (earlier.index.empty() || later.index.empty() || earlier.index.size() != later.index.size() || (!shared && earlier.view != later.view))
        return Hazard::kUnknown;
    const std::int64_t x = elementBytes(*earlier.view), y = elementBytes(*later.view);
    const std::int64_t unit = shared ? std::min(x, y) : 1;
    if (unit == 0 || x % unit != 0 || y % unit != 0 || (shared && (offsetOf(earlier.view) % unit != 0 || offsetOf(later.view) % unit != 0)))
        return Hazard::kUnknown;

    LocatedAccess a(world_, earlier), b(world_, later);
    std::map<const ExprNode*, Expr> then;  // what a common loop's variable was at the earlier access
    for (const ir::Var& v : world_.launch.threadVars)
        if (v) {
            a.tried.insert(v.get());
            b.tried.insert(v.get());
        }
    for (std::size_t i = 0; i < earlier.loops.size(); ++i) {
        const ir::Axis& axis = earlier.loops[i];
        const auto passed = earlier.ago.find(axis.var.get());
        const int ago = passed == earlier.ago.end() ? 0 : passed->second;
        if (i >= earlier.outerLoops || !sharesLoop(later, axis.var.get()) || ago >= kManyIterationsAgo) {
            a.tried.insert(axis.var.get());
        } else if (ago > 0) {
            const Expr step = axis.step ? axis.step : ir::intImm(1);
            then[axis.var.get()] = ir::sub(axis.var, ir::mul(ir::intImm(ago), step));
        }
    }
    for (std::size_t i = 0; i < later.loops.size(); ++i)
        if (const ir::Axis& axis = later.loops[i]; i >= later.outerLoops || !sharesLoop(earlier, axis.var.get()))
            b.tried.insert(axis.var.get());
    for (const Expr& e : earlier.index)  // what was bound again since is another value
        for (const auto& [node, var] : variablesOf(e))
            if (earlier.ago.contains(node) && !a.tried.contains(node) && !then.contains(node))
                then[node] = std::make_shared<const ir::VarNode>(var->dtype, "before");
    for (const Expr& e : addresses(earlier, then, unit))
        a.all.push_back(world_.facts.normalize(e));
    for (const Expr& e : addresses(later, {}, unit))
        b.all.push_back(world_.facts.normalize(e));
    a.length = earlier.elements * (shared ? x / unit : 1);
    b.length = later.elements * (shared ? y / unit : 1);
    if (a.split() && b.split())
        if (const Hazard hazard = compare(a, b); hazard != Hazard::kUnknown)
            return hazard;
    // Again with the common loops' variables tried out too, each access on its own.
    for (std::size_t i = 0; i < later.outerLoops; ++i) {
        const ExprNode* v = later.loops[i].var.get();
        if (!sharesLoop(earlier, v))
            continue;
        a.tried.insert(v);
        b.tried.insert(v);
    }
    for (const ExprNode* v : a.tried)
        then.erase(v);
    a.all.clear();
    for (const Expr& e : addresses(earlier, then, unit))
        a.all.push_back(world_.facts.normalize(e));
    return a.split() && b.split() ? compare(a, b) : Hazard::kUnknown;
}

}  // namespace tw::passes

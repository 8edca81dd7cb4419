// Fragments to and from LayoutMaps.
#include <numeric>
#include <set>
#include <utility>

#include "core/arith/evaluate.h"
#include "core/ir/build.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"
#include "core/layout/fragment.h"

namespace tw::layout {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::LayoutMap;

constexpr I kMaxPoints = 1 << 20;  // elements times copies that a map is tried on

Expr digitOf(const Expr& x, I lower, I extent, I whole)
{
    const Expr high = lower == 1 ? x : ir::floorDiv(x, ir::intImm(lower));
    return lower * extent >= whole ? high : ir::floorMod(high, ir::intImm(extent));
}

Expr plusTimes(Expr sum, Expr digit, I stride)
{
    if (stride != 1)
        digit = ir::mul(std::move(digit), ir::intImm(stride));
    return sum ? ir::add(std::move(sum), std::move(digit)) : digit;
}

struct Place {
    I thread = 0, reg = 0;
};

// The map as a function of numbers.
class Points {
public:
    static std::optional<Points> of(const LayoutMap& map)
    {
        if (!map.thread || map.index.size() != 1)
            return std::nullopt;
        std::vector<const ir::ExprNode*> vars;
        for (const auto& v : map.vars)
            vars.push_back(v.get());
        if (map.replicateVar)
            vars.push_back(map.replicateVar.get());
        auto thread = arith::Evaluation::compile(map.thread, vars);
        auto reg = arith::Evaluation::compile(map.index.front(), vars);
        if (!thread || !reg)
            return std::nullopt;
        Points result;
        result.thread_ = std::move(*thread);
        result.reg_ = std::move(*reg);
        result.at_.assign(vars.size(), 0);
        return result;
    }
    // Coordinates, and the number of the copy last if the map has copies.
    std::optional<Place> operator()(std::span<const I> at)
    {
        const auto thread = thread_.run(at), reg = reg_.run(at);
        return thread && reg ? std::optional<Place>({*thread, *reg}) : std::nullopt;
    }
    std::optional<Place> along(std::size_t axis, I x)
    {
        at_.assign(at_.size(), 0);
        at_[axis] = x;
        return (*this)(at_);
    }

private:
    arith::Evaluation thread_, reg_;
    std::vector<I> at_;
};

// The digits of one axis: the places of 0, 1, 2, … go up by one stride until a digit is full.
std::optional<std::vector<Digit>> digitsAlong(Points& points, std::size_t axis, I extent, const Place& origin)
{
    std::vector<Digit> digits;
    for (I lower = 1; lower < extent;) {
        const auto first = points.along(axis, lower);
        if (!first)
            return std::nullopt;
        const I thread = first->thread - origin.thread, reg = first->reg - origin.reg;
        const bool onThread = thread != 0;
        const I stride = onThread ? thread : reg;
        if ((thread != 0 && reg != 0) || stride <= 0)
            return std::nullopt;
        I count = 1;
        for (; count * lower < extent; ++count) {
            const auto p = points.along(axis, count * lower);
            if (!p || (onThread ? p->thread - origin.thread : p->reg - origin.reg) != count * stride ||
                (onThread ? p->reg != origin.reg : p->thread != origin.thread))
                break;
        }
        digits.push_back({static_cast<int>(axis), lower, count, onThread, stride});
        lower *= count;
    }
    return digits;
}

// Whether a sum of functions of one variable each: then what holds along every axis holds everywhere.
bool isSumOfAxes(const Expr& e)
{
    if (const auto* b = ir::as<ir::Binary>(e)) {
        if (b->op == ir::BinaryOp::kAdd || b->op == ir::BinaryOp::kSub)
            return isSumOfAxes(b->a) && isSumOfAxes(b->b);
        if (b->op == ir::BinaryOp::kMul && ir::asInt(b->b))
            return isSumOfAxes(b->a);
    }
    if (const auto* cast = ir::as<ir::Cast>(e); cast && e->dtype.isInteger() && e->dtype.bits() >= 32)
        return isSumOfAxes(cast->value);
    std::set<const ir::ExprNode*> variables;
    ir::forEachExpr(e, [&](const Expr& x) {
        if (x->kind == ir::ExprKind::kVar)
            variables.insert(x.get());
    });
    return variables.size() <= 1;
}

// Whether the digits say what the map says, everywhere. `copies`: the digits of the number of the copy, lowest first.
bool agrees(const Fragment& f, const std::vector<Replica>& copies, Points& points, const LayoutMap& map)
{
    std::vector<I> at(map.vars.size() + (map.replicateVar ? 1 : 0), 0);
    const std::span<const I> coordinates(at.data(), map.vars.size());
    // How far the thread of each copy is from that of the first.
    std::vector<I> shift(static_cast<std::size_t>(map.replicate), f.firstThread);
    for (I copy = 0; copy < map.replicate; ++copy) {
        I rest = copy;
        for (const Replica& r : copies) {
            shift[static_cast<std::size_t>(copy)] += rest % r.extent * r.stride;
            rest /= r.extent;
        }
    }
    const auto extentOf = [&](std::size_t axis) { return axis < map.shape.size() ? map.shape[axis] : map.replicate; };
    const auto agreesHere = [&] {
        const auto p = points(at);
        const I copy = map.replicateVar ? at.back() : 0;
        return p && p->reg == f.registerOf(coordinates) && p->thread == f.threadOf(coordinates) + shift[static_cast<std::size_t>(copy)];
    };
    if (isSumOfAxes(map.thread) && isSumOfAxes(map.index.front())) {
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            for (at[axis] = 0; at[axis] < extentOf(axis); ++at[axis])
                if (!agreesHere())
                    return false;
            at[axis] = 0;
        }
        return true;
    }
    for (;;) {
        if (!agreesHere())
            return false;
        std::size_t axis = at.size();
        while (axis-- > 0) {
            if (++at[axis] < extentOf(axis))
                break;
            at[axis] = 0;
        }
        if (axis == static_cast<std::size_t>(-1))
            return true;
    }
}

}  // namespace

Ref<const LayoutMap> toMap(const Fragment& f)
{
    static constexpr const char* kNames[] = {"i", "j", "k", "l", "m", "n"};
    auto map = std::make_shared<LayoutMap>();
    map->shape = f.shape;
    for (std::size_t k = 0; k < f.shape.size(); ++k)
        map->vars.push_back(std::make_shared<ir::VarNode>(ir::kInt32, kNames[std::min<std::size_t>(k, 5)]));
    Expr thread, reg;
    for (const Digit& d : f.digits) {
        const auto axis = static_cast<std::size_t>(d.axis);
        const Expr digit = digitOf(map->vars[axis], d.lower, d.extent, f.covered(d.axis));
        (d.onThread ? thread : reg) = plusTimes(d.onThread ? thread : reg, digit, d.stride);
    }
    map->replicate = f.copies();
    if (map->replicate > 1) {
        map->replicateVar = std::make_shared<ir::VarNode>(ir::kInt32, "rep");
        I lower = 1;
        for (const Replica& r : f.replicas) {
            thread = plusTimes(thread, digitOf(map->replicateVar, lower, r.extent, map->replicate), r.stride);
            lower *= r.extent;
        }
    }
    if (f.firstThread != 0)
        thread = thread ? ir::add(thread, ir::intImm(f.firstThread)) : ir::intImm(f.firstThread);
    map->thread = thread ? thread : ir::intImm(0);
    map->index = {reg ? reg : ir::intImm(0)};
    return map;
}

std::optional<Fragment> fromMap(const LayoutMap& map, I blockThreads)
{
    auto points = Points::of(map);
    I total = map.replicate;
    for (const I extent : map.shape)
        total *= extent;
    if (!points || total > kMaxPoints)
        return std::nullopt;
    Fragment f;
    f.shape = map.shape;
    const auto origin = points->along(0, 0);
    if (!origin || origin->thread < 0 || origin->thread >= blockThreads || origin->reg != 0)
        return std::nullopt;
    f.firstThread = origin->thread;
    f.threads = blockThreads - origin->thread;
    for (std::size_t axis = 0; axis < map.shape.size(); ++axis) {
        const auto digits = digitsAlong(*points, axis, map.shape[axis], *origin);
        if (!digits)
            return std::nullopt;
        f.digits.insert(f.digits.end(), digits->begin(), digits->end());
    }
    if (map.replicate > 1) {
        const auto copies = map.replicateVar ? digitsAlong(*points, map.vars.size(), map.replicate, *origin) : std::nullopt;
        if (!copies)
            return std::nullopt;
        for (const Digit& d : *copies) {
            if (!d.onThread)
                return std::nullopt;
            f.replicas.push_back({d.extent, d.stride});
        }
    }
    const std::vector<Replica> copies = f.replicas;
    f = normalized(std::move(f));
    if (f.usedThreads() > f.threads || !agrees(f, copies, *points, map))
        return std::nullopt;
    return f;
}

}  // namespace tw::layout

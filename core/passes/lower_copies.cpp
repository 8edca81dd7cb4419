// Element-by-element operations on regions.
//
// At the edge of a global buffer the loops are clipped, so that their inside has no condition:
//   copy(A[by*32, 0], s)  ->  lo = clamp(-by*32, 0, 32); hi = clamp(M - by*32, lo, 32)
//                             for i in [lo, hi): s[i, :] = A[by*32 + i, :];  rows outside [lo, hi) become 0
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/lower_steps.h"
#include "core/passes/tile_regions.h"

namespace tw::passes {

namespace {

using ir::Expr;
using ir::ForKind;
using ir::Region;
using ir::Stmt;

bool isGlobal(const Region& r) { return r.buffer && r.buffer->scope == ir::MemoryScope::kGlobal; }

class ElementLoops {
public:
    ElementLoops(const Region& src, const Region& dst, LowerContext& context, ir::Provenance where)
        : src_(src), dst_(dst), context_(context), where_(where), axes_(matchAxes(src, dst)), vars_(axes_.size())
    {
    }

    // `element` makes the inner statement, `outside` the one for elements that src does not have (none if empty).
    Stmt build(const ElementUpdate& element, const ElementUpdate& outside)
    {
        element_ = element;
        outside_ = outside;
        Stmt body = inside(0);
        if (const Expr ok = fixedAxesInside(src_, true); ok)
            body = std::make_shared<ir::If>(ok, body, outside_ ? around(0) : Stmt{}, where_);
        if (const Expr ok = fixedAxesInside(dst_, false); ok)
            body = std::make_shared<ir::If>(ok, body, Stmt{}, where_);
        return body;
    }

private:
    // The condition under which the axes without a loop are inside a global buffer; empty if they certainly are.
    Expr fixedAxesInside(const Region& r, bool isSrc) const
    {
        Expr all;
        if (!isGlobal(r) || context_.trustBounds)
            return all;
        for (std::size_t axis = 0; axis < r.mins.size(); ++axis) {
            bool looped = false;
            for (const CopyAxis& a : axes_)
                looped = looped || (isSrc ? a.src : a.dst) == static_cast<int>(axis);
            if (looped)
                continue;
            const auto range = context_.ranges.of(r.mins[axis]);
            const auto extent = context_.ranges.of(r.buffer->shape[axis]);
            if (!range || range->low < 0)
                all = ir::logicalAnd(all, ir::binary(ir::BinaryOp::kGe, r.mins[axis], ir::constant(r.mins[axis]->dtype, std::int64_t{0})));
            if (!range || !extent || range->high >= extent->low)
                all = ir::logicalAnd(all, ir::less(r.mins[axis], r.buffer->shape[axis]));
        }
        return all;
    }

    struct Clip {
        Expr low, high;  // empty: no clipping needed
    };
    Clip clip(const Region& r, int axis, const Expr& extent) const
    {
        if (axis < 0 || !isGlobal(r) || context_.trustBounds)
            return {};
        const Expr& min = r.mins[static_cast<std::size_t>(axis)];
        const Expr& size = r.buffer->shape[static_cast<std::size_t>(axis)];
        const auto minRange = context_.ranges.of(min);
        const auto sizeRange = context_.ranges.of(size);
        const auto extentRange = context_.ranges.of(extent);
        const bool lowSafe = minRange && minRange->low >= 0;
        const bool highSafe = minRange && sizeRange && extentRange && minRange->high + extentRange->high <= sizeRange->low;
        Clip result;
        if (!lowSafe)
            result.low = ir::max(ir::intImm(0), ir::sub(ir::intImm(0), min));
        if (!highSafe)
            result.high = ir::sub(size, min);
        return result;
    }

    Region point(const Region& r, std::vector<Expr> mins) const
    {
        Region result{r.buffer, std::move(mins), {}};
        result.extents.assign(result.mins.size(), ir::intImm(1));
        return result;
    }

    Stmt innermost(const ElementUpdate& make, bool withSource)
    {
        Expr value;
        if (withSource && src_.buffer)
            value = ir::cast(dst_.buffer->dtype, loadAt(src_.buffer, elementAt(src_, axes_, vars_, true)));
        return make(point(dst_, elementAt(dst_, axes_, vars_, false)), value);
    }

    Stmt loop(std::size_t level, Expr begin, Expr end, const std::function<Stmt()>& body)
    {
        const ir::Var var = newVar(std::string(1, static_cast<char>('i' + static_cast<int>(level % 8))));
        vars_[level] = var;
        Stmt inner = body();
        const ForKind kind = level + 1 == axes_.size() ? ForKind::kParallel : ForKind::kSerial;
        return loopOver(kind, var, std::move(begin), std::move(end), std::move(inner), where_);
    }

    // The part of an axis that dst has.
    void destinationRange(std::size_t level, Expr& begin, Expr& end) const
    {
        const Clip dst = clip(dst_, axes_[level].dst, axes_[level].extent);
        begin = dst.low ? dst.low : ir::intImm(0);
        end = dst.high ? ir::min(axes_[level].extent, dst.high) : axes_[level].extent;
    }

    Stmt around(std::size_t level)
    {
        if (level == axes_.size())
            return innermost(outside_, false);
        Expr begin, end;
        destinationRange(level, begin, end);
        return loop(level, begin, end, [&] { return around(level + 1); });
    }

    Stmt inside(std::size_t level)
    {
        if (level == axes_.size())
            return innermost(element_, true);
        Expr begin, end;
        destinationRange(level, begin, end);
        const Clip src = src_.buffer ? clip(src_, axes_[level].src, axes_[level].extent) : Clip{};
        if (!src.low && !src.high)
            return loop(level, begin, end, [&] { return inside(level + 1); });
        // [begin, low) and [high, end) are outside of src.
        std::vector<Stmt> stmts;
        const auto bind = [&](const char* name, const Expr& value) -> Expr {
            if (ir::asInt(value))
                return value;
            const auto var = std::make_shared<const ir::VarNode>(value->dtype, name);
            stmts.push_back(std::make_shared<ir::Bind>(var, value, where_));
            return var;
        };
        Expr low = src.low ? bind("low", ir::min(ir::max(begin, src.low), end)) : begin;
        Expr high = src.high ? bind("high", ir::max(low, ir::min(end, src.high))) : end;
        if (src.low && outside_)
            stmts.push_back(loop(level, begin, low, [&] { return around(level + 1); }));
        stmts.push_back(loop(level, low, high, [&] { return inside(level + 1); }));
        if (src.high && outside_)
            stmts.push_back(loop(level, high, end, [&] { return around(level + 1); }));
        return ir::sequence(std::move(stmts));
    }

    Region src_, dst_;
    LowerContext& context_;
    ir::Provenance where_;
    std::vector<CopyAxis> axes_;
    std::vector<Expr> vars_;
    ElementUpdate element_, outside_;
};

}  // namespace

Stmt lowerCopy(const Region& src, const Region& dst, const ElementUpdate& update, LowerContext& context, const ir::Provenance& where)
{
    const auto store = [&](const Region& target, Expr value) { return storeAt(target.buffer, target.mins, std::move(value), where); };
    ElementUpdate outside;
    if (!update && isGlobal(src)) {
        const auto found = context.safeValues.find(src.buffer.get());
        const Expr safe = ir::cast(dst.buffer->dtype, found != context.safeValues.end() ? found->second : number(src.buffer->dtype, 0));
        outside = [&, safe](const Region& target, const Expr&) { return storeAt(target.buffer, target.mins, safe, where); };
    }
    return ElementLoops(src, dst, context, where).build(update ? update : ElementUpdate(store), outside);
}

Stmt lowerFill(const Region& dst, const Expr& value, LowerContext& context, const ir::Provenance& where)
{
    // Evaluated once, unless it is a constant anyway.
    std::vector<Stmt> stmts;
    Expr fixed = ir::cast(dst.buffer->dtype, value);
    if (!ir::isConstant(fixed)) {
        const auto var = std::make_shared<const ir::VarNode>(fixed->dtype, "value");
        stmts.push_back(std::make_shared<ir::Bind>(var, fixed, where));
        fixed = var;
    }
    const auto store = [&](const Region& target, const Expr&) { return storeAt(target.buffer, target.mins, fixed, where); };
    stmts.push_back(ElementLoops(Region{}, dst, context, where).build(store, {}));
    return ir::sequence(std::move(stmts));
}

Stmt lowerTranspose(const Region& src, const Region& dst, const ir::Provenance& where)
{
    const std::size_t rank = src.mins.size();
    const ir::Var i = newVar("i");
    const ir::Var j = newVar("j");
    Stmt body = transposedElement(src, dst, i, j, where);
    body = loopOver(ForKind::kParallel, i, ir::intImm(0), src.extents[rank - 2], body, where);
    return loopOver(ForKind::kSerial, j, ir::intImm(0), src.extents[rank - 1], body, where);
}

Stmt lowerIm2col(const ir::OpCall& call, const ir::Provenance& where)
{
    const Region& col = *ir::regionOperand(call, "col");
    const std::size_t rank = col.mins.size();
    const ir::Var i = newVar("i");
    const ir::Var j = newVar("j");
    Stmt body = im2colElement(call, i, j, where);
    body = loopOver(ForKind::kParallel, j, ir::intImm(0), col.extents[rank - 1], body, where);
    return loopOver(ForKind::kSerial, i, ir::intImm(0), col.extents[rank - 2], body, where);
}

}  // namespace tw::passes

#include "core/passes/tile_regions.h"

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/lower_steps.h"
#include "core/support/check.h"

namespace tw::passes {

using ir::Expr;
using ir::Region;
using ir::Stmt;

namespace {

int depth(const ir::Buffer& buffer)
{
    switch (buffer->scope) {
    case ir::MemoryScope::kGlobal: return 0;
    case ir::MemoryScope::kShared: return 1;
    default: return 2;
    }
}

std::vector<std::size_t> longAxes(const Region& r)
{
    std::vector<std::size_t> axes;
    for (std::size_t i = 0; i < r.extents.size(); ++i)
        if (const auto* extent = ir::asInt(r.extents[i]); !extent || *extent != 1)
            axes.push_back(i);
    return axes;
}

}  // namespace

std::vector<CopyAxis> matchAxes(const Region& src, const Region& dst)
{
    std::vector<CopyAxis> axes;
    if (!src.buffer) {
        for (const std::size_t axis : longAxes(dst))
            axes.push_back({dst.extents[axis], -1, static_cast<int>(axis)});
        return axes;
    }
    auto from = longAxes(src);
    auto to = longAxes(dst);
    const bool srcLeads = depth(src.buffer) >= depth(dst.buffer);
    // Different numbers: leading axes of the longer side have run-time extents that are 1; match from the right.
    while (from.size() > to.size())
        from.erase(from.begin());
    while (to.size() > from.size())
        to.erase(to.begin());
    for (std::size_t i = 0; i < from.size(); ++i) {
        Expr extent = srcLeads ? src.extents[from[i]] : dst.extents[to[i]];
        const Expr& other = srcLeads ? dst.extents[to[i]] : src.extents[from[i]];
        const auto* a = ir::asInt(extent);
        const auto* b = ir::asInt(other);
        if (a && b && *b < *a)
            extent = other;
        axes.push_back({extent, static_cast<int>(from[i]), static_cast<int>(to[i])});
    }
    return axes;
}

std::vector<Expr> elementAt(const Region& r, const std::vector<CopyAxis>& axes, const std::vector<Expr>& vars, bool isSrc)
{
    std::vector<Expr> result = r.mins;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const int axis = isSrc ? axes[i].src : axes[i].dst;
        if (axis >= 0)
            result[static_cast<std::size_t>(axis)] = ir::add(r.mins[static_cast<std::size_t>(axis)], vars[i]);
    }
    return result;
}

std::optional<TileAtomic> tileAtomic(const ir::OpCall& call)
{
    using ir::OpId;
    if (ir::info(call.op).cls != ir::OpClass::kAtomic)
        return {};
    if (call.op == OpId::kAtomicAddX2 || call.op == OpId::kAtomicAddX4 || call.op == OpId::kAtomicLoad || call.op == OpId::kAtomicStore)
        return {};
    TileAtomic atomic;
    if (const auto* dst = std::get_if<Region>(&call.operands[0]))
        atomic.dst = *dst;
    for (std::size_t i = 1; i < call.operands.size(); ++i) {
        if (const auto* region = std::get_if<Region>(&call.operands[i]); region && region->buffer)
            atomic.src = *region;
        if (const auto* e = std::get_if<Expr>(&call.operands[i]); e && *e)
            atomic.value = *e;
    }
    if (!atomic.dst.buffer || (!atomic.src.buffer && ir::isPoint(atomic.dst)))
        return {};
    return atomic;
}

Stmt transposedElement(const Region& src, const Region& dst, const Expr& i, const Expr& j, const ir::Provenance& where)
{
    const std::size_t sr = src.mins.size();
    const std::size_t dr = dst.mins.size();
    TW_CHECK(sr >= 2 && dr >= 2, "a transposition has two axes");
    std::vector<Expr> from = src.mins;
    std::vector<Expr> to = dst.mins;
    from[sr - 2] = ir::add(from[sr - 2], i);
    from[sr - 1] = ir::add(from[sr - 1], j);
    to[dr - 2] = ir::add(to[dr - 2], j);
    to[dr - 1] = ir::add(to[dr - 1], i);
    return storeAt(dst.buffer, to, ir::cast(dst.buffer->dtype, loadAt(src.buffer, from)), where);
}

Stmt im2colElement(const ir::OpCall& call, const Expr& i, const Expr& j, const ir::Provenance& where)
{
    const Region& img = *ir::regionOperand(call, "img");
    const Region& col = *ir::regionOperand(call, "col");
    const auto attr = [&](const char* name, std::int64_t otherwise) { return ir::intImm(ir::intAttr(call.attrs, name, otherwise)); };
    const Expr kernel = attr("kernel", 1), stride = attr("stride", 1), dilation = attr("dilation", 1), pad = attr("pad", 0);
    const auto& shape = img.buffer->shape;  // N, H, W, C
    const auto outputExtent = [&](const Expr& in) {
        const Expr reach = ir::add(ir::mul(dilation, ir::sub(kernel, ir::intImm(1))), ir::intImm(1));
        return ir::add(ir::floorDiv(ir::sub(ir::add(in, ir::mul(ir::intImm(2), pad)), reach), stride), ir::intImm(1));
    };
    const Expr oh = outputExtent(shape[1]);
    const Expr ow = outputExtent(shape[2]);
    const std::size_t rank = col.mins.size();
    const Expr m = ir::add(ir::mul(ir::exprOperand(call, "nhw_step"), col.extents[rank - 2]), i);
    const Expr k = ir::add(ir::mul(ir::exprOperand(call, "c_step"), col.extents[rank - 1]), j);
    const Expr area = ir::mul(oh, ow);
    const Expr n = ir::floorDiv(m, area);
    const Expr tap = ir::floorDiv(k, shape[3]);
    const Expr h = ir::sub(ir::add(ir::mul(ir::floorDiv(ir::floorMod(m, area), ow), stride), ir::mul(ir::floorDiv(tap, kernel), dilation)), pad);
    const Expr w = ir::sub(ir::add(ir::mul(ir::floorMod(m, ow), stride), ir::mul(ir::floorMod(tap, kernel), dilation)), pad);
    const Expr c = ir::floorMod(k, shape[3]);
    Expr ok = ir::less(n, shape[0]);
    ok = ir::logicalAnd(ok, ir::less(tap, ir::mul(kernel, kernel)));
    for (const auto& [index, extent] : {std::pair(h, shape[1]), std::pair(w, shape[2])}) {
        ok = ir::logicalAnd(ok, ir::binary(ir::BinaryOp::kGe, index, ir::constant(index->dtype, std::int64_t{0})));
        ok = ir::logicalAnd(ok, ir::less(index, extent));
    }
    const Expr value = ir::select(ok, loadAt(img.buffer, {n, h, w, c}), number(img.buffer->dtype, 0), true);
    std::vector<Expr> to = col.mins;
    to[rank - 2] = ir::add(to[rank - 2], i);
    to[rank - 1] = ir::add(to[rank - 1], j);
    return storeAt(col.buffer, to, ir::cast(col.buffer->dtype, value), where);
}

Stmt serialPersistent(const ir::For& loop, Stmt body)
{
    const std::size_t axes = loop.axes.size();
    std::vector<Expr> domain;
    for (const ir::Axis& axis : loop.axes)
        domain.push_back(ir::sub(axis.end, axis.begin));
    const Expr one = ir::intImm(1);
    const Expr group = ir::max(one, ir::min(loop.persistent->groupSize ? loop.persistent->groupSize : ir::intImm(8), domain.back()));
    const Expr outer = ir::ceilDiv(domain.back(), group);
    Expr total = ir::mul(outer, group);
    for (std::size_t i = 0; i + 1 < axes; ++i)
        total = ir::mul(total, domain[i]);
    const ir::Var id = newVar("tile");
    Expr rest = id;
    const Expr inner = ir::floorMod(rest, group);
    rest = ir::floorDiv(rest, group);
    std::vector<Expr> at(axes);
    for (std::size_t i = axes - 1; i-- > 0;) {
        at[i] = ir::floorMod(rest, domain[i]);
        rest = ir::floorDiv(rest, domain[i]);
    }
    at[axes - 1] = ir::add(ir::mul(rest, group), inner);
    std::vector<Stmt> stmts;
    for (std::size_t i = 0; i < axes; ++i) {
        Expr value = ir::cast(loop.axes[i].var->dtype, ir::add(loop.axes[i].begin, at[i]));
        stmts.push_back(std::make_shared<ir::Bind>(loop.axes[i].var, value, loop.where));
    }
    stmts.push_back(std::move(body));
    const Stmt guarded = std::make_shared<ir::If>(ir::less(at[axes - 1], domain[axes - 1]), ir::sequence(std::move(stmts)), Stmt{}, loop.where);
    return std::make_shared<ir::For>(ir::ForKind::kSerial, std::vector<ir::Axis>{{id, loop.persistent->index, total, loop.persistent->waveSize}}, guarded,
                                     ir::Attrs{}, loop.where);
}

}  // namespace tw::passes

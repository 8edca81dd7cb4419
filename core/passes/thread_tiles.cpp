#include "core/passes/thread_tiles.h"

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/layout/shared.h"
#include "core/support/check.h"

namespace tw::passes {

namespace {

using ir::Expr;
using ir::Region;
using ir::Stmt;

Expr product(const std::vector<Expr>& extents)
{
    Expr n = ir::intImm(1);
    for (const Expr& extent : extents)
        n = ir::mul(n, extent);
    return n;
}

// Whether the elements follow each other in row-major order: behind the first axis of more than one, axes are whole.
bool isContiguous(const Region& r)
{
    bool whole = false;
    for (std::size_t k = 0; k < r.extents.size(); ++k) {
        if (whole && !ir::equal(r.extents[k], r.buffer->shape[k]))
            return false;
        whole = whole || !ir::isOne(r.extents[k]);
    }
    return true;
}

}  // namespace

std::vector<std::vector<layout::DigitValue>> digitsOf(const std::vector<Expr>& indices, const ir::BufferNode& buffer, const VarDigits& vars)
{
    std::vector<std::vector<layout::DigitValue>> result;
    for (std::size_t k = 0; k < indices.size(); ++k) {
        Expr index = indices[k];
        if (const auto* cast = ir::as<ir::Cast>(index))
            index = cast->value;
        const auto digits = vars.find(index.get());
        if (digits != vars.end()) {
            result.push_back(digits->second);
            continue;
        }
        std::map<const ir::ExprNode*, Expr> values;
        for (const auto& [var, parts] : vars)
            values[var] = layout::valueOf(parts);
        const auto* extent = ir::asInt(buffer.shape[k]);
        result.push_back({{ir::cast(ir::kInt32, ir::substitute(index, values)), 1, extent ? *extent : 1, false}});
    }
    return result;
}

Expr AccessLowerer::rewrite(const Expr& e)
{
    if (!e)
        return e;
    if (const auto digits = vars_.find(e.get()); digits != vars_.end())
        return ir::cast(e->dtype, layout::valueOf(digits->second));
    const auto* load = ir::as<ir::Load>(e);
    if (!load)
        return rewriteChildren(e);
    if (const auto tile = tiles_.spread.find(load->buffer.get()); tile != tiles_.spread.end()) {
        std::vector<Expr> indices;
        for (const Expr& index : load->indices)
            indices.push_back(vars_.contains(index.get()) ? index : rewrite(index));
        const Expr reg = layout::registerExpr(tile->second.layout, digitsOf(indices, *load->buffer, vars_));
        return std::make_shared<ir::Load>(load->dtype, tile->second.registers, std::vector<Expr>{reg}, e->where);
    }
    if (const auto tile = tiles_.shared.find(load->buffer.get()); tile != tiles_.shared.end()) {
        std::vector<Expr> indices;
        for (const Expr& index : load->indices)
            indices.push_back(rewrite(index));
        return std::make_shared<ir::Load>(load->dtype, tile->second.memory, std::vector<Expr>{layout::physicalIndex(*tile->second.map, indices)},
                                          e->where);
    }
    return rewriteChildren(e);
}

Stmt AccessLowerer::rewrite(const Stmt& s)
{
    const auto* store = ir::as<ir::Store>(s);
    if (!store)
        return rewriteChildren(s);
    Expr value = rewrite(store->value);
    if (const auto tile = tiles_.spread.find(store->buffer.get()); tile != tiles_.spread.end()) {
        std::vector<Expr> indices;
        for (const Expr& index : store->indices)
            indices.push_back(vars_.contains(index.get()) ? index : rewrite(index));
        const Expr reg = layout::registerExpr(tile->second.layout, digitsOf(indices, *store->buffer, vars_));
        return std::make_shared<ir::Store>(tile->second.registers, std::vector<Expr>{reg}, std::move(value), s->where);
    }
    if (const auto tile = tiles_.shared.find(store->buffer.get()); tile != tiles_.shared.end()) {
        std::vector<Expr> indices;
        for (const Expr& index : store->indices)
            indices.push_back(rewrite(index));
        return std::make_shared<ir::Store>(tile->second.memory, std::vector<Expr>{layout::physicalIndex(*tile->second.map, indices)},
                                           std::move(value), s->where);
    }
    return rewriteChildren(s);
}

Region AccessLowerer::rewrite(const Region& r)
{
    if (!r.buffer)
        return r;
    if (const auto tile = tiles_.spread.find(r.buffer.get()); tile != tiles_.spread.end()) {
        std::vector<Expr> mins;
        for (const Expr& min : r.mins)
            mins.push_back(vars_.contains(min.get()) ? min : rewrite(min));
        const Expr reg = layout::registerExpr(tile->second.layout, digitsOf(mins, *r.buffer, vars_));
        const bool point = ir::isPoint(r);
        return {tile->second.registers, {reg}, {point ? ir::intImm(1) : product(r.extents)}};
    }
    if (const auto tile = tiles_.shared.find(r.buffer.get()); tile != tiles_.shared.end()) {
        std::vector<Expr> mins, extents;
        for (const Expr& min : r.mins)
            mins.push_back(rewrite(min));
        for (const Expr& extent : r.extents)
            extents.push_back(rewrite(extent));
        TW_CHECK(isContiguous(r), "an operation on a part of " + r.buffer->name + " that is not contiguous");
        return {tile->second.memory, {layout::physicalIndex(*tile->second.map, mins)}, {product(extents)}};
    }
    return Rewriter::rewrite(r);
}

}  // namespace tw::passes

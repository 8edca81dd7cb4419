// Reductions, scans and reducers (language.md d.9).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

using ir::Expr;
using ir::OpId;

namespace {

// The axis, counted from the front.
std::int64_t axisOf(const Native& n, const ir::Buffer& src, std::int64_t otherwise)
{
    const auto rank = static_cast<std::int64_t>(src->shape.size());
    const std::int64_t dim = n.integer("dim", otherwise);
    if (dim < -rank || dim >= rank)
        n.ev.fail(Code::kIndexRange, n.range("dim"),
                  fmt::format("dim={} is out of range: {} has {} {}, so dim is between {} and {}", dim, src->name, rank, rank == 1 ? "axis" : "axes", -rank, rank - 1));
    return dim < 0 ? dim + rank : dim;
}

ir::Buffer wholeBuffer(const Native& n, const char* argument)
{
    const auto operand = n.tile(argument);
    for (std::size_t i = 0; i < operand.region.mins.size(); ++i)
        if (operand.form != TileOperand::Form::kBuffer &&
            (!ir::isZero(operand.region.mins[i]) || !provablyEqual(operand.region.extents[i], operand.region.buffer->shape[i])))
            n.ev.fail(Code::kShapeMismatch, n.range(argument),
                      fmt::format("{} takes whole buffers, but {} of it is the region {}; copy it to a fragment first", n.name, argument, ir::print(operand.region)));
    return operand.region.buffer;
}

// The source without its axis, or with that axis 1.
void checkOutput(const Native& n, const ir::Buffer& src, const ir::Buffer& dst, std::int64_t axis)
{
    std::vector<Expr> without = src->shape, kept = src->shape;
    without.erase(without.begin() + axis);
    kept[static_cast<std::size_t>(axis)] = ir::intImm(1);
    const auto same = [&](const std::vector<Expr>& shape) {
        if (shape.size() != dst->shape.size())
            return false;
        for (std::size_t i = 0; i < shape.size(); ++i)
            if (!provablyEqual(shape[i], dst->shape[i]))
                return false;
        return true;
    };
    if (same(without) || same(kept) || (without.empty() && same({ir::intImm(1)})))
        return;
    n.fail(Code::kShapeMismatch, fmt::format("{} of {} {} along dim={} has shape {}, but {} has shape {}", n.name, src->name, shapeText(src->shape), axis,
                                             without.empty() ? "(1,)" : shapeText(without), dst->name, shapeText(dst->shape)));
}

bool isBitwise(OpId op) { return op == OpId::kReduceBitAnd || op == OpId::kReduceBitOr || op == OpId::kReduceBitXor; }

Value emitReduce(const Native& n, OpId op)
{
    const auto src = wholeBuffer(n, "src"), dst = wholeBuffer(n, "dst");
    const std::int64_t axis = axisOf(n, src, -1);
    checkOutput(n, src, dst, axis);
    if (isBitwise(op) && src->dtype.isFloating())
        n.fail(Code::kDtypeUnsupported, fmt::format("{} needs integers or bools, but {} is {}", n.name, src->name, src->dtype.name()));
    ir::OpCall call{op, {wholeRegion(src), wholeRegion(dst)}, {}};
    addAttr(call, "dim", axis);
    if (!n.flag("clear", true))
        addAttr(call, "clear", false);
    const std::int64_t batch = n.integer("batch", 1);
    if (batch < 1)
        n.ev.fail(Code::kValueRange, n.range("batch"), fmt::format("batch must be at least 1, not {}", batch));
    if (batch != 1)
        addAttr(call, "batch", batch);
    if (n.flag("nan_propagate"))
        addAttr(call, "nan_propagate", true);
    ignoreAnnotations(n);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value reduce(const Native& n) { return emitReduce(n, static_cast<OpId>(n.row.tag)); }

Value reduceKind(const Native& n)  // T.reduce(src, dst, "max", …)
{
    const std::string kind = n.text("reduce_type");
    const auto op = ir::findOp("reduce_" + kind);
    if (!op)
        n.ev.fail(Code::kValueRange, n.range("reduce_type"),
                  fmt::format("'{}' is no reduction; there are sum, max, min, abssum, absmax, bitand, bitor and bitxor", kind));
    return emitReduce(n, *op);
}

Value scan(const Native& n)
{
    const auto src = n.tile("src");
    const auto& buffer = src.region.buffer;
    const auto dst = n.has("dst") ? n.tile("dst") : src;
    const std::int64_t axis = axisOf(n, buffer, 0);
    const auto& a = src.region.extents;
    const auto& b = dst.region.extents;
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i)
        same = provablyEqual(a[i], b[i]);
    if (!same)
        n.fail(Code::kShapeMismatch, fmt::format("{} keeps the shape, but {} has shape {} and {} has shape {}", n.name, buffer->name, shapeText(a),
                                                 dst.region.buffer->name, shapeText(b)));
    ir::OpCall call{static_cast<OpId>(n.row.tag), {src.region, dst.region}, {}};
    addAttr(call, "dim", axis);
    if (n.flag("reverse"))
        addAttr(call, "reverse", true);
    ignoreAnnotations(n);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

// ---- reducers ----

ir::Region reducerArgument(const Native& n)
{
    const auto operand = n.tile("reducer");
    if (operand.region.buffer->scope != ir::MemoryScope::kReducer)
        n.ev.fail(Code::kScopeIllegal, n.range("reducer"),
                  fmt::format("{} takes a reducer (T.alloc_reducer), but {} is a {} buffer", n.name, operand.region.buffer->name,
                              ir::scopeName(operand.region.buffer->scope)));
    return operand.region;
}

Value reducerInit(const Native& n)
{
    ir::OpCall call{OpId::kReducerInit, {reducerArgument(n)}, {}};
    if (n.has("start")) {
        const auto type = std::get<ir::Region>(call.operands[0]).buffer->dtype;
        if (auto start = tileOperand(n.ev, n["start"], n.range("start")); start && start->form != TileOperand::Form::kAnchor)
            n.ev.fail(Code::kNotSupported, n.range("start"), "not supported: a reducer that starts from a whole buffer; start it with a number and add the buffer with T.reducer_update");
        call.operands.emplace_back(toType(n.ev, type, n["start"], n.range("start"), "the start value of a reducer"));
    }
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value reducerUpdate(const Native& n)
{
    ir::Region at = reducerArgument(n);
    const Expr value = toType(n.ev, at.buffer->dtype, n["value"], n.range("value"), "the value of T.reducer_update");
    n.launch().emitOp({OpId::kReducerUpdate, {std::move(at), value}, {}}, n.range());
    return Value();
}

Value finalizeReducer(const Native& n)
{
    ir::OpCall call{OpId::kFinalizeReducer, {reducerArgument(n)}, {}};
    if (n.has("dst")) {
        const auto& reducer = std::get<ir::Region>(call.operands[0]).buffer;
        const auto dst = n.tile("dst");
        if (dst.region.buffer->dtype != reducer->dtype)
            n.fail(Code::kDtypeMismatch, fmt::format("{} is {} but the reducer {} is {}", dst.region.buffer->name, dst.region.buffer->dtype.name(),
                                                     reducer->name, reducer->dtype.name()));
        bool same = dst.region.extents.size() == reducer->shape.size();
        for (std::size_t i = 0; same && i < reducer->shape.size(); ++i)
            same = provablyEqual(dst.region.extents[i], reducer->shape[i]);
        if (!same)
            n.fail(Code::kShapeMismatch, fmt::format("{} has shape {} but the reducer {} has shape {}", dst.region.buffer->name, shapeText(dst.region.extents),
                                                     reducer->name, shapeText(reducer->shape)));
        call.operands.emplace_back(dst.region);
    } else if (auto* node = n.launch().editable(std::get<ir::Region>(call.operands[0]).buffer); node && node->replication.empty()) {
        node->replication = "none";  // in place: the old form
    }
    ignoreAnnotations(n);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value anyAll(const Native& n)
{
    const auto src = n.tile("flags");
    if (!src.region.buffer->dtype.isBool() && !src.region.buffer->dtype.isInteger())
        n.ev.fail(Code::kDtypeMismatch, n.range("flags"), fmt::format("{} takes a bool buffer, but {} is {}", n.name, src.region.buffer->name, src.region.buffer->dtype.name()));
    return ir::call(ir::kBool, {static_cast<OpId>(n.row.tag), {src.region}, {}}, n.where());
}

constexpr const char* kReduce = "src, dst, dim=-1, clear=True, batch=1, nan_propagate=False, annotations=None";
constexpr NativeRow kReductionRows[] = {
    {"reduce_sum", kReduce, reduce, static_cast<int>(OpId::kReduceSum)},
    {"reduce_max", kReduce, reduce, static_cast<int>(OpId::kReduceMax)},
    {"reduce_min", kReduce, reduce, static_cast<int>(OpId::kReduceMin)},
    {"reduce_abssum", kReduce, reduce, static_cast<int>(OpId::kReduceAbsSum)},
    {"reduce_absmax", kReduce, reduce, static_cast<int>(OpId::kReduceAbsMax)},
    {"reduce_bitand", kReduce, reduce, static_cast<int>(OpId::kReduceBitAnd)},
    {"reduce_bitor", kReduce, reduce, static_cast<int>(OpId::kReduceBitOr)},
    {"reduce_bitxor", kReduce, reduce, static_cast<int>(OpId::kReduceBitXor)},
    {"reduce", "src, dst, reduce_type, dim=-1, clear=True, batch=1, nan_propagate=False, annotations=None", reduceKind},
    {"cumsum", "src, dst=None, dim=0, reverse=False, annotations=None", scan, static_cast<int>(OpId::kCumSum)},
    {"cummax", "src, dst=None, dim=0, reverse=False, annotations=None", scan, static_cast<int>(OpId::kCumMax)},
    {"reducer_init", "reducer, start=None", reducerInit},
    {"reducer_update", "reducer, value", reducerUpdate},
    {"finalize_reducer", "reducer, dst=None, batch=1, annotations=None", finalizeReducer},
    {"any_of", "flags", anyAll, static_cast<int>(OpId::kAnyOf)},
    {"all_of", "flags", anyAll, static_cast<int>(OpId::kAllOf)},
};

}  // namespace

Rows reductionRows() { return kReductionRows; }

}  // namespace tw::staging

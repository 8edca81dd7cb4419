// Reductions, scans, transpositions, reshapes and joins.
#include <fmt/format.h>

#include "core/ir/number.h"
#include "core/staging/array/array_impl.h"

namespace tw::staging {

using ir::Expr;

namespace {

Expr lowest(ir::DType type)
{
    if (type.isBool())
        return ir::boolImm(false);
    if (type.isFloating())
        return ir::constant(type, ir::hasInfinity(type) ? -std::numeric_limits<double>::infinity() : -ir::largestFinite(type));
    return ir::constant(type, ir::smallestInt(type));
}

Expr highest(ir::DType type)
{
    if (type.isBool())
        return ir::boolImm(true);
    if (type.isFloating())
        return ir::constant(type, ir::hasInfinity(type) ? std::numeric_limits<double>::infinity() : ir::largestFinite(type));
    return ir::constant(type, static_cast<std::int64_t>(ir::largestInt(type)));
}

Expr number(ir::DType type, int value)
{
    return type.isFloating() ? ir::constant(type, static_cast<double>(value)) : ir::constant(type, std::int64_t{value});
}

Expr startOf(ReduceKind kind, ir::DType type)
{
    switch (kind) {
    case ReduceKind::kProd: return number(type, 1);
    case ReduceKind::kMax: return lowest(type);
    case ReduceKind::kMin: return highest(type);
    case ReduceKind::kAny: return ir::boolImm(false);
    case ReduceKind::kAll: return ir::boolImm(true);
    default: return number(type, 0);
    }
}

Expr combine(ReduceKind kind, const Expr& sum, const Expr& next)
{
    switch (kind) {
    case ReduceKind::kProd: return ir::binary(ir::BinaryOp::kMul, sum, next);
    case ReduceKind::kMax: return propagatingMax(sum, next);
    case ReduceKind::kMin: return propagatingMin(sum, next);
    case ReduceKind::kAny: return ir::binary(ir::BinaryOp::kOr, sum, next);
    case ReduceKind::kAll: return ir::binary(ir::BinaryOp::kAnd, sum, next);
    default: return ir::binary(ir::BinaryOp::kAdd, sum, next);
    }
}

// The type of the running value and of the result.
std::pair<ir::DType, ir::DType> typesOf(ReduceKind kind, ir::DType type)
{
    switch (kind) {
    case ReduceKind::kAny: case ReduceKind::kAll: return {ir::kBool, ir::kBool};
    case ReduceKind::kMax: case ReduceKind::kMin: case ReduceKind::kArgMax: case ReduceKind::kArgMin: return {type, type};
    case ReduceKind::kMean: {
        const ir::DType sum = type.isFloating() ? accumulatorOf(type) : ir::kFloat32;
        return {sum, type.isFloating() ? type : ir::kFloat32};
    }
    default: {
        const ir::DType sum = accumulatorOf(type);
        return {sum, type.isFloating() ? type : sum};
    }
    }
}

}  // namespace

std::int64_t ArrayTracer::axisOf(const Value& axis, int rank, const SourceRange& range)
{
    const auto* given = axis.get<Integer>();
    if (!given)
        evaluator_.fail(Code::kTypeMismatch, range, fmt::format("axis is an integer known while staging, not {}", typeName(axis)));
    if (*given < -rank || *given >= rank)
        evaluator_.fail(Code::kValueRange, range,
                        fmt::format("axis {} is out of range: the array has {} axes, so axis lies between {} and {}",
                                    static_cast<std::int64_t>(*given), rank, -rank, rank - 1));
    return static_cast<std::int64_t>(*given < 0 ? *given + rank : *given);
}

ArrayRef ArrayTracer::reduce(ReduceKind kind, const ArrayRef& given, const Value& axis, bool keepdims, const SourceRange& range)
{
    const ArrayRef value = given->weak ? cast(given, given->dtype == ir::kFloat64 ? ir::kFloat32 : given->dtype) : given;
    const int rank = rankOf(*value);
    std::set<std::int64_t> gone;
    if (axis.isNone()) {
        for (int i = 0; i < rank; ++i)
            gone.insert(i);
    } else if (axis.object<const TupleValue>() || axis.object<ListValue>()) {
        for (const Value& one : evaluator_.iterate(axis, range))
            gone.insert(axisOf(one, rank, range));
    } else {
        gone.insert(axisOf(axis, rank, range));
    }
    Exprs kept, inner, result;
    Expr count = ir::intImm(1);
    for (int i = 0; i < rank; ++i) {
        const Expr& extent = value->shape[static_cast<std::size_t>(i)];
        if (gone.contains(i)) {
            inner.push_back(extent);
            count = ir::mul(count, extent);
            if (keepdims)
                result.push_back(ir::intImm(1));
        } else {
            kept.push_back(extent);
            result.push_back(extent);
        }
    }
    const auto [sumType, type] = typesOf(kind, value->dtype);
    const bool isArg = kind == ReduceKind::kArgMax || kind == ReduceKind::kArgMin;
    const ir::Buffer sum = allocate("acc", sumType, kept, ir::MemoryScope::kGlobal);
    const ir::Buffer place = isArg ? allocate("place", ir::kInt32, kept, ir::MemoryScope::kGlobal) : nullptr;
    const auto atKept = [&](const Exprs& index) { return kept.empty() ? Exprs{ir::intImm(0)} : index; };
    const auto step = [&](const Exprs& outer) {
        const Exprs cell = atKept(outer);
        store(sum, cell, isArg ? number(sumType, 0) : startOf(kind, sumType));
        if (place)
            store(place, cell, ir::intImm(0));
        nest(inner, ir::ForKind::kSerial, [&](const Exprs& running) {
            Exprs index;
            std::size_t o = 0, r = 0;
            Expr flat = ir::intImm(0);
            for (int i = 0; i < rank; ++i) {
                if (gone.contains(i)) {
                    flat = ir::add(ir::mul(flat, inner[r]), running[r]);
                    index.push_back(running[r++]);
                } else {
                    index.push_back(outer[o++]);
                }
            }
            const Expr next = convert(value->at(index), sumType);
            const auto old = std::make_shared<const ir::Load>(sumType, sum, cell, here());
            if (!isArg) {
                store(sum, cell, combine(kind, old, next));
                return;
            }
            // The first of equal ones wins, and the first NaN.
            const auto beats = kind == ReduceKind::kArgMax ? ir::BinaryOp::kGt : ir::BinaryOp::kLt;
            Expr better = ir::binary(beats, next, old);
            if (sumType.isFloating())
                better = ir::binary(ir::BinaryOp::kOr, better,
                                    ir::binary(ir::BinaryOp::kAnd, ir::binary(ir::BinaryOp::kNe, next, next),
                                               ir::binary(ir::BinaryOp::kEq, old, old)));
            better = ir::binary(ir::BinaryOp::kOr, better, ir::binary(ir::BinaryOp::kEq, flat, ir::intImm(0)));
            const ir::Stmt then = collect([&] {
                store(place, cell, flat);
                store(sum, cell, next);
            });
            emit(std::make_shared<const ir::If>(better, then, nullptr, here()));
        });
    };
    nest(kept, ir::ForKind::kParallel, step);
    const ir::Buffer memoryOf = isArg ? place : sum;
    const ir::DType outType = isArg ? ir::kInt32 : type;
    const bool scalar = kept.empty();
    const bool mean = kind == ReduceKind::kMean;
    const ir::DType running = isArg ? ir::kInt32 : sumType;
    const std::vector<int> keptAxes = [&] {
        std::vector<int> axes;
        for (int i = 0; i < rank; ++i)
            if (!gone.contains(i))
                axes.push_back(keepdims ? i : static_cast<int>(axes.size()));
        return axes;
    }();
    auto out = std::make_shared<ArrayValue>();
    out->shape = result;
    out->dtype = outType;
    out->reads = {{memoryOf, std::nullopt}};
    out->at = [=, p = here()](const Exprs& index) -> Expr {
        Exprs cell;
        for (const int a : keptAxes)
            cell.push_back(index[static_cast<std::size_t>(a)]);
        if (scalar)
            cell = {ir::intImm(0)};
        Expr e = std::make_shared<const ir::Load>(running, memoryOf, cell, p);
        if (mean)
            e = ir::binary(ir::BinaryOp::kDiv, e, convert(count, running));
        return convert(e, outType);
    };
    return out;
}

ArrayRef ArrayTracer::cumulative(const ArrayRef& given, const Value& axis, const SourceRange& range)
{
    ArrayRef value = given;
    if (axis.isNone() && rankOf(*value) != 1)
        value = reshaped(value, Value(-1), range);
    const auto along = static_cast<std::size_t>(axis.isNone() ? 0 : axisOf(axis, rankOf(*value), range));
    const ir::DType sumType = accumulatorOf(value->dtype);
    Exprs outer = value->shape;
    outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(along));
    const ir::Buffer sum = allocate("running", sumType, value->shape, ir::MemoryScope::kGlobal);
    nest(outer, ir::ForKind::kParallel, [&](const Exprs& index) {
        nest({value->shape[along]}, ir::ForKind::kSerial, [&](const Exprs& k) {
            Exprs at = index;
            at.insert(at.begin() + static_cast<std::ptrdiff_t>(along), k[0]);
            Exprs before = at;
            before[along] = ir::sub(k[0], ir::intImm(1));
            const Expr next = convert(value->at(at), sumType);
            const Expr old = std::make_shared<const ir::Load>(sumType, sum, before, here());
            store(sum, at, ir::select(ir::less(ir::intImm(0), k[0]), ir::binary(ir::BinaryOp::kAdd, old, next), next, true));
        });
    });
    const ArrayRef result = memory(sum, value->shape);
    return value->dtype.isFloating() ? cast(result, value->dtype) : result;
}

ArrayRef ArrayTracer::transposed(const ArrayRef& value, const Value& axes, const SourceRange& range)
{
    const int rank = rankOf(*value);
    std::vector<int> order;
    if (axes.isNone()) {
        for (int i = rank - 1; i >= 0; --i)
            order.push_back(i);
    } else {
        for (const Value& one : evaluator_.iterate(axes, range))
            order.push_back(static_cast<int>(axisOf(one, rank, range)));
        if (std::set<int>(order.begin(), order.end()).size() != static_cast<std::size_t>(rank) || order.size() != static_cast<std::size_t>(rank))
            evaluator_.fail(Code::kValueRange, range, fmt::format("the axes of tl.transpose name each of the {} axes once", rank));
    }
    auto out = std::make_shared<ArrayValue>();
    out->dtype = value->dtype;
    out->weak = value->weak;
    std::vector<int> inverse(static_cast<std::size_t>(rank));
    for (std::size_t i = 0; i < order.size(); ++i) {
        out->shape.push_back(value->shape[static_cast<std::size_t>(order[i])]);
        inverse[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    }
    out->at = [value, inverse](const Exprs& index) {
        Exprs source;
        for (const int i : inverse)
            source.push_back(index[static_cast<std::size_t>(i)]);
        return value->at(source);
    };
    if (value->view) {
        ArrayView view = *value->view;
        for (int& axis : view.axes)
            axis = axis < 0 ? -1 : inverse[static_cast<std::size_t>(axis)];
        out->view = view;
        out->reads = {{view.buffer, view}};
    } else {
        out->reads = value->reads;
        for (ArrayRead& read : out->reads)
            read.view.reset();
    }
    return out;
}

ArrayRef ArrayTracer::reshaped(const ArrayRef& given, const Value& shape, const SourceRange& range)
{
    const ArrayRef value = inMemory(given);
    Expr count = ir::intImm(1);
    for (const Expr& extent : value->shape)
        count = ir::mul(count, extent);
    std::vector<Value> entries = shape.object<const TupleValue>() || shape.object<ListValue>() ? evaluator_.iterate(shape, range)
                                                                                           : std::vector<Value>{shape};
    Exprs wanted;
    int open = -1;
    Expr known = ir::intImm(1);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto* n = entries[i].get<Integer>();
        if (n && *n == -1) {
            open = static_cast<int>(i);
            wanted.push_back(nullptr);
            continue;
        }
        wanted.push_back(extent(entries[i], range, "an extent of reshape"));
        known = ir::mul(known, wanted.back());
    }
    if (open >= 0)
        wanted[static_cast<std::size_t>(open)] = ir::floorDiv(count, known);
    const auto* have = ir::asInt(count);
    const auto* want = ir::asInt(known);
    if (have && want && (open >= 0 ? *want == 0 || *have % *want != 0 : *have != *want))
        evaluator_.fail(Code::kShapeMismatch, range,
                        fmt::format("shape {} with {} elements cannot be reshaped to {} elements", arrayShapeText(value->shape), *have, *want));
    auto out = std::make_shared<ArrayValue>();
    out->shape = wanted;
    out->dtype = value->dtype;
    out->reads = value->reads;
    for (ArrayRead& read : out->reads)
        read.view.reset();
    out->at = [value, wanted](const Exprs& index) {
        Expr flat = ir::intImm(0);
        for (std::size_t i = 0; i < wanted.size(); ++i)
            flat = ir::add(ir::mul(flat, wanted[i]), index[i]);
        Exprs source(value->shape.size());
        for (std::size_t i = value->shape.size(); i-- > 0;) {
            source[i] = i == 0 ? flat : ir::floorMod(flat, value->shape[i]);
            flat = ir::floorDiv(flat, value->shape[i]);
        }
        return value->at(source);
    };
    return out;
}

ArrayRef ArrayTracer::concatenated(const std::vector<ArrayRef>& values, std::int64_t axis, const SourceRange& range)
{
    if (values.empty())
        evaluator_.fail(Code::kValueRange, range, "tl.concat needs at least one array");
    const auto along = static_cast<std::size_t>(axis);
    auto out = std::make_shared<ArrayValue>();
    out->shape = values[0]->shape;
    out->dtype = values[0]->dtype;
    Exprs starts{ir::intImm(0)};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i]->shape.size() != out->shape.size())
            evaluator_.fail(Code::kShapeMismatch, range,
                            fmt::format("shapes {} and {} cannot be joined", arrayShapeText(values[0]->shape), arrayShapeText(values[i]->shape)));
        for (std::size_t k = 0; k < out->shape.size(); ++k)
            if (k != along && !sameShape({out->shape[k]}, {values[i]->shape[k]}))
                evaluator_.fail(Code::kShapeMismatch, range,
                                fmt::format("shapes {} and {} cannot be joined along axis {}", arrayShapeText(values[0]->shape),
                                            arrayShapeText(values[i]->shape), axis));
        out->dtype = commonType(*generated({}, out->dtype, nullptr), *values[i]);
        starts.push_back(ir::add(starts.back(), values[i]->shape[along]));
        for (ArrayRead read : values[i]->reads) {
            read.view.reset();
            out->reads.push_back(read);
        }
    }
    out->shape[along] = starts.back();
    out->at = [values, starts, along, type = out->dtype](const Exprs& index) {
        Expr result;
        for (std::size_t i = values.size(); i-- > 0;) {
            Exprs at = index;
            at[along] = ir::sub(index[along], starts[i]);
            const Expr element = convert(values[i]->at(at), type);
            result = result ? ir::select(ir::less(index[along], starts[i + 1]), element, result, true) : element;
        }
        return result;
    };
    return out;
}

}  // namespace tw::staging

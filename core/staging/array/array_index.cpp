// Subscripts: reading gives values, storing goes to memory.
#include <fmt/format.h>

#include "core/staging/array/array_impl.h"

namespace tw::staging {

using ir::Expr;

namespace {

std::vector<Value> indexItems(const Value& index)
{
    if (const auto* tuple = index.object<const TupleValue>())
        return tuple->items;
    return {index};
}

bool isNew(const Value& item)
{
    return item.isNone();
}

// Wide enough to count from the end.
Expr widened(Expr e)
{
    const bool isWide = e->dtype.bits() >= 32;
    return isWide && !e->dtype.isUnsigned() ? e : convert(std::move(e), isWide ? ir::kInt64 : ir::kInt32);
}

Expr clampUpper(const Facts& facts, const Expr& e, const Expr& bound)
{
    return facts.isAtMost(e, bound) ? e : ir::min(e, bound);
}

}  // namespace

std::string ArrayTracer::nameOf(const ArrayValue& value) const
{
    return value.storage ? value.storage->name : value.view ? value.view->buffer->name : "the value";
}

// One integer index, counted from the end where it is negative.
Expr ArrayTracer::pointIndex(const ArrayRef& index, const Expr& full, const ArrayValue& value, int axis, const SourceRange& range)
{
    if (!index->dtype.isInteger())
        evaluator_.fail(Code::kTypeMismatch, range, fmt::format("an index is an integer, not {}", index->dtype.name()));
    Expr e = index->at({});
    const auto* constant = ir::asInt(e);
    const auto* extent = ir::asInt(full);
    if (constant) {
        const bool outside = extent && (*constant >= *extent || *constant < -*extent);
        if (outside)
            evaluator_.fail(Code::kIndexRange, range,
                            fmt::format("index {} is outside of axis {} of {}, whose extent is {}", *constant, axis, nameOf(value), *extent));
        return *constant < 0 ? ir::add(full, ir::intImm(*constant)) : e;
    }
    e = widened(std::move(e));
    if (facts_.isNonNegative(e))
        return e;
    return ir::select(ir::less(e, ir::constant(e->dtype, std::int64_t{0})), ir::add(e, full), e, false);
}

void ArrayTracer::slicePiece(Piece& piece, const SliceValue& slice, const Expr& full, const SourceRange& range)
{
    if (!slice.step.isNone()) {
        const ArrayRef step = array(slice.step, range);
        const auto* n = step->shape.empty() ? ir::asInt(step->at({})) : nullptr;
        if (!n || *n != 1)
            evaluator_.fail(Code::kNotSupported, range,
                            "not supported: a slice with a step; only step 1 exists, index with tl.arange instead");
    }
    const auto end = [&](const Value& bound, const Expr& absent) -> Expr {
        if (bound.isNone())
            return absent;
        const ArrayRef value = array(bound, range);
        if (!value->shape.empty() || !value->dtype.isInteger())
            evaluator_.fail(Code::kTypeMismatch, range, "the ends of a slice are integers");
        Expr e = frozen(value->at({}), "bound");
        if (const auto* constant = ir::asInt(e); constant && *constant < 0)
            return ir::max(ir::add(full, e), ir::intImm(0));
        e = widened(std::move(e));
        if (facts_.isNonNegative(e))
            return e;
        return ir::max(ir::select(ir::less(e, ir::constant(e->dtype, std::int64_t{0})), ir::add(e, full), e, false),
                       ir::constant(e->dtype, std::int64_t{0}));
    };
    const Expr lower = clampUpper(facts_, end(slice.lower, ir::intImm(0)), full);
    const Expr upper = clampUpper(facts_, end(slice.upper, full), full);
    piece.kind = Piece::Kind::kSlice;
    piece.start = lower;
    piece.extent = extentBetween(upper, lower);
    const auto* known = ir::asInt(piece.extent);
    if (known && *known < 0)
        piece.extent = ir::intImm(0);
    else if (!known && !facts_.isAtMost(lower, upper) && !facts_.isNonNegative(piece.extent))
        piece.extent = ir::max(piece.extent, ir::intImm(0));
}

std::vector<ArrayTracer::Piece> ArrayTracer::pieces(const ArrayValue& value, const Value& index, const SourceRange& range)
{
    std::vector<Value> items = indexItems(index);
    const int rank = rankOf(value);
    const auto used = static_cast<int>(std::count_if(items.begin(), items.end(), [](const Value& v) {
        return !isNew(v) && !v.get<EllipsisValue>();
    }));
    if (used > rank)
        evaluator_.fail(Code::kIndexCount, range,
                        fmt::format("{} indices for {} of shape {}", used, nameOf(value), arrayShapeText(value.shape)));
    auto dots = std::find_if(items.begin(), items.end(), [](const Value& v) { return v.get<EllipsisValue>() != nullptr; });
    const auto all = std::make_shared<const SliceValue>();
    const std::vector<Value> rest(static_cast<std::size_t>(rank - used), Value(all));
    if (dots == items.end()) {
        items.insert(items.end(), rest.begin(), rest.end());
    } else {
        dots = items.erase(dots);
        items.insert(dots, rest.begin(), rest.end());
    }
    std::vector<Piece> out;
    int axis = 0;
    for (const Value& item : items) {
        Piece piece;
        if (isNew(item)) {
            piece.kind = Piece::Kind::kNew;
            out.push_back(piece);
            continue;
        }
        piece.axis = axis;
        const Expr full = value.shape[static_cast<std::size_t>(axis++)];
        if (const auto* slice = item.object<const SliceValue>()) {
            slicePiece(piece, *slice, full, range);
        } else {
            const ArrayRef at = array(item, range);
            if (at->dtype.isBool())
                evaluator_.fail(Code::kNotSupported, range, "not supported: indexing with a mask; use tl.where");
            piece.kind = at->shape.empty() ? Piece::Kind::kPoint : Piece::Kind::kGather;
            if (at->shape.empty())
                piece.start = frozen(pointIndex(at, full, value, axis - 1, range), "at");
            else
                piece.gather = inMemory(at);
        }
        out.push_back(std::move(piece));
    }
    return out;
}

ArrayRef ArrayTracer::indexed(const ArrayRef& value, const Value& index, const SourceRange& range)
{
    return read(value, pieces(*value, index, range), range);
}

ArrayRef ArrayTracer::read(const ArrayRef& value, const std::vector<Piece>& parts, const SourceRange& range)
{
    for (const Piece& part : parts)
        if (part.kind == Piece::Kind::kGather)
            return gathered(value, parts, range);
    auto out = std::make_shared<ArrayValue>();
    out->dtype = value->dtype;
    out->weak = value->weak;
    // Source axis k is read at starts[k] + index of result axis from[k], or at starts[k] alone.
    Exprs starts(value->shape.size());
    std::vector<int> from(value->shape.size(), -1);
    bool hasNew = false;
    for (const Piece& part : parts) {
        if (part.kind == Piece::Kind::kNew) {
            out->shape.push_back(ir::intImm(1));
            hasNew = true;
            continue;
        }
        const auto axis = static_cast<std::size_t>(part.axis);
        starts[axis] = part.start;
        if (part.kind == Piece::Kind::kSlice) {
            from[axis] = static_cast<int>(out->shape.size());
            out->shape.push_back(part.extent);
        }
    }
    const auto map = [starts, from](const Exprs& at) {
        Exprs source;
        for (std::size_t k = 0; k < starts.size(); ++k)
            source.push_back(from[k] < 0 ? starts[k] : ir::add(at[static_cast<std::size_t>(from[k])], starts[k]));
        return source;
    };
    out->at = [value, map](const Exprs& at) { return value->at(map(at)); };
    if (value->view) {
        ArrayView view = *value->view;
        for (std::size_t k = 0; k < view.axes.size(); ++k) {
            if (view.axes[k] < 0)
                continue;
            const auto axis = static_cast<std::size_t>(view.axes[k]);
            view.start[k] = ir::add(view.start[k], starts[axis]);
            view.axes[k] = from[axis];
        }
        out->view = view;
        out->reads = {{view.buffer, hasNew ? std::nullopt : std::optional(view)}};
    } else {
        out->reads = value->reads;
        for (ArrayRead& read : out->reads)
            read.view.reset();
    }
    return out;
}

// Integer tensors among the indices: their broadcast axes stand where the first of them stood.
ArrayRef ArrayTracer::gathered(const ArrayRef& value, const std::vector<Piece>& parts, const SourceRange& range)
{
    std::vector<Exprs> shapes;
    for (const Piece& part : parts)
        if (part.kind == Piece::Kind::kGather)
            shapes.push_back(part.gather->shape);
    const Exprs common = broadcast(shapes, range);
    auto out = std::make_shared<ArrayValue>();
    out->dtype = value->dtype;
    std::size_t at = 0;
    bool placed = false;
    std::vector<int> axisOfPart(parts.size(), -1);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const Piece& part = parts[p];
        if (part.kind == Piece::Kind::kGather) {
            if (placed)
                continue;
            placed = true;
            at = out->shape.size();
            out->shape.insert(out->shape.end(), common.begin(), common.end());
        } else if (part.kind != Piece::Kind::kPoint) {
            axisOfPart[p] = static_cast<int>(out->shape.size());
            out->shape.push_back(part.kind == Piece::Kind::kNew ? ir::intImm(1) : part.extent);
        }
    }
    out->reads = value->reads;
    for (const Piece& part : parts)
        if (part.gather)
            out->reads.insert(out->reads.end(), part.gather->reads.begin(), part.gather->reads.end());
    for (ArrayRead& read : out->reads)
        read.view.reset();
    out->at = [this, value, parts, common, at, axisOfPart, range](const Exprs& index) {
        const Exprs shared(index.begin() + static_cast<std::ptrdiff_t>(at),
                           index.begin() + static_cast<std::ptrdiff_t>(at + common.size()));
        Exprs source(value->shape.size());
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const Piece& part = parts[p];
            if (part.kind == Piece::Kind::kNew)
                continue;
            const auto axis = static_cast<std::size_t>(part.axis);
            if (part.kind == Piece::Kind::kPoint)
                source[axis] = part.start;
            else if (part.kind == Piece::Kind::kSlice)
                source[axis] = ir::add(index[static_cast<std::size_t>(axisOfPart[p])], part.start);
            else {
                const Expr entry = part.gather->at(project(shared, part.gather->shape, common));
                auto scalar = generated({}, entry->dtype, [entry](const Exprs&) { return entry; });
                source[axis] = pointIndex(scalar, value->shape[axis], *value, part.axis, range);
            }
        }
        return value->at(source);
    };
    return out;
}

// ---- stores -----------------------------------------------------------------------------------------------------------

ArrayRef ArrayTracer::stored(const Value& object, const SourceRange& range)
{
    const auto* target = object.object<const ArrayValue>();
    if (!target || !target->storage)
        evaluator_.fail(Code::kTypeMismatch, range, "only an array can be stored into: a parameter, or what tl.zeros, tl.empty, … make");
    return *object.get<ArrayRef>();
}

void ArrayTracer::storeRegion(const ArrayRef& target, const std::vector<Piece>& parts, const ArrayRef& value, const SourceRange& range)
{
    Exprs shape;
    bool scattered = false;
    std::vector<Exprs> gathers;
    for (const Piece& part : parts)
        if (part.kind == Piece::Kind::kGather)
            gathers.push_back(part.gather->shape);
    const Exprs common = gathers.empty() ? Exprs() : broadcast(gathers, range);
    std::vector<int> axisOfPart(parts.size(), -1);
    std::size_t at = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const Piece& part = parts[p];
        if (part.kind == Piece::Kind::kGather) {
            if (scattered)
                continue;
            scattered = true;
            at = shape.size();
            shape.insert(shape.end(), common.begin(), common.end());
        } else if (part.kind != Piece::Kind::kPoint) {
            axisOfPart[p] = static_cast<int>(shape.size());
            shape.push_back(part.kind == Piece::Kind::kNew ? ir::intImm(1) : part.extent);
        }
    }
    ArrayRef source = broadcastTo(value, shape, range);
    // A value that reads the target elsewhere than where it is stored must be complete before the first store.
    for (const ArrayRead& read : source->reads) {
        if (read.buffer != target->storage)
            continue;
        bool same = read.view.has_value() && !scattered;
        for (std::size_t p = 0; same && p < parts.size(); ++p) {
            if (parts[p].kind == Piece::Kind::kNew)
                continue;
            const auto axis = static_cast<std::size_t>(parts[p].axis);
            same = sameExpr(read.view->start[axis], parts[p].start) && read.view->axes[axis] == axisOfPart[p];
        }
        if (!same) {
            source = materialise(source, "held");
            break;
        }
    }
    nest(shape, scattered ? ir::ForKind::kSerial : ir::ForKind::kParallel, [&](const Exprs& index) {
        Exprs indices(target->shape.size());
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const Piece& part = parts[p];
            if (part.kind == Piece::Kind::kNew)
                continue;
            const auto axis = static_cast<std::size_t>(part.axis);
            if (part.kind == Piece::Kind::kPoint) {
                indices[axis] = part.start;
            } else if (part.kind == Piece::Kind::kSlice) {
                indices[axis] = ir::add(index[static_cast<std::size_t>(axisOfPart[p])], part.start);
            } else {
                const Exprs shared(index.begin() + static_cast<std::ptrdiff_t>(at),
                                   index.begin() + static_cast<std::ptrdiff_t>(at + common.size()));
                const Expr entry = part.gather->at(project(shared, part.gather->shape, common));
                const auto scalar = generated({}, entry->dtype, [entry](const Exprs&) { return entry; });
                indices[axis] = pointIndex(scalar, target->shape[axis], *target, part.axis, range);
            }
        }
        store(target->storage, std::move(indices), source->at(index));
    });
}

void ArrayTracer::assignSubscript(const Value& object, const Value& index, const Value& value, const SourceRange& range)
{
    const ArrayRef target = stored(object, range);
    const ArrayRef item = array(value, range);
    checkLiteral(item, target->dtype, range);
    storeRegion(target, pieces(*target, index, range), item, range);
}

// `target += a * b`: the product is not rounded on its way into the sum.
ArrayRef ArrayTracer::fusedProduct(syntax::BinaryOp op, const ArrayRef& target, const ArrayRef& value, const SourceRange& range)
{
    const bool sums = op == syntax::BinaryOp::kAdd || op == syntax::BinaryOp::kSub;
    if (!sums || !value->left || accumulatorOf(value->dtype) == value->dtype)
        return nullptr;
    const ir::DType type = commonType(*target, *generated({}, accumulatorOf(value->dtype), nullptr));
    const ArrayRef factors = arithmetic(syntax::BinaryOp::kMul, cast(value->left, type), cast(value->right, type), range);
    return arithmetic(op, cast(target, type), factors, range);
}

std::optional<Value> ArrayTracer::augAssign(syntax::BinaryOp op, const syntax::Identifier* name, const Value& object,
                                            const std::optional<Value>& index, const Value& value, const SourceRange& range)
{
    const ArrayRef right = array(value, range);
    if (index) {
        const ArrayRef target = stored(object, range);
        const std::vector<Piece> parts = pieces(*target, *index, range);
        const ArrayRef old = read(target, parts, range);
        Exprs places;
        for (const Piece& part : parts)
            if (part.start)
                places.push_back(part.start);
        noteLoopProduct(right, places);
        const ArrayRef fused = fusedProduct(op, old, right, range);
        storeRegion(target, parts, fused ? fused : arithmetic(op, old, right, range), range);
        return std::nullopt;
    }
    const ArrayRef left = array(object, range);
    noteLoopProduct(right, {});
    const ArrayRef fused = fusedProduct(op, left, right, range);
    const ArrayRef result = fused ? fused : arithmetic(op, left, right, range);
    if (!left->storage || left->shape.empty())
        return wrap(result);
    // An array changes in place and keeps its dtype.
    const auto whole = std::make_shared<const SliceValue>();
    std::vector<Value> all(left->shape.size(), Value(whole));
    storeRegion(left, pieces(*left, makeTuple(all), range), result, range);
    (void)name;
    return std::nullopt;
}

}  // namespace tw::staging

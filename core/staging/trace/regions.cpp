#include "core/staging/trace/regions.h"

#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/function_tracer.h"

namespace tw::staging {

using ir::Buffer;
using ir::Expr;
using Form = TileOperand::Form;

std::string shapeText(const std::vector<Expr>& shape)
{
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i ? ", " : "") + ir::print(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

std::vector<Expr> zeros(std::size_t rank) { return std::vector<Expr>(rank, ir::intImm(0)); }

ir::Region wholeRegion(const Buffer& buffer) { return {buffer, zeros(buffer->shape.size()), buffer->shape}; }

std::optional<std::int64_t> elementCount(const std::vector<Expr>& shape)
{
    std::int64_t count = 1;
    for (const auto& extent : shape) {
        const auto* n = ir::asInt(extent);
        if (!n)
            return std::nullopt;
        count *= *n;
    }
    return count;
}

void checkAlive(Evaluator& ev, const Buffer& buffer, const SourceRange& range)
{
    const auto* tracer = dynamic_cast<const Tracer*>(ev.hooks());
    const SourceRange* ended = tracer ? tracer->endOf(buffer) : nullptr;
    if (!ended)
        return;
    Diagnostic d{.code = Code::kNameScope, .severity = Severity::kError, .range = range,
                 .message = fmt::format("{} was allocated inside a launch, loop or branch that has ended; allocate it outside, or "
                                        "use T.alloc_global for what crosses launches",
                                        buffer->name),
                 .notes = {}, .fixits = {}, .kernel = {}};
    d.notes.push_back({buffer->where.range, fmt::format("{} is allocated here", buffer->name)});
    ev.fail(std::move(d));
}

namespace {

struct AxisIndex {
    Expr min, extent;
    bool isPoint = true;
};

[[noreturn]] void failRange(Evaluator& ev, const Buffer& buffer, std::size_t axis, const std::string& index, const SourceRange& range)
{
    Diagnostic d{.code = Code::kIndexRange, .severity = Severity::kError, .range = range,
                 .message = fmt::format("{} is out of range: axis {} of {} has {} elements", index, axis, buffer->name,
                                        ir::print(buffer->shape[axis])),
                 .notes = {}, .fixits = {}, .kernel = {}};
    if (buffer->where.range.isKnown())
        d.notes.push_back({buffer->where.range, fmt::format("{} has shape {}", buffer->name, shapeText(buffer->shape))});
    ev.fail(std::move(d));
}

// Constants count from the end where they are negative.
Expr fromEnd(const Expr& index, const Expr& extent)
{
    const auto* i = ir::asInt(index);
    return i && *i < 0 ? ir::add(extent, index) : index;
}

AxisIndex pointIndex(Evaluator& ev, const Buffer& buffer, std::size_t axis, const Value& item, const SourceRange& range)
{
    const Expr& extent = buffer->shape[axis];
    const Expr given = toIndex(ev, item, range, fmt::format("index {} of {}", axis, buffer->name));
    const Expr index = fromEnd(given, extent);
    const auto* i = ir::asInt(index);
    const auto* n = ir::asInt(extent);
    if (i && (*i < 0 || (n && *i >= *n)) && index->dtype.lanes == 1)
        failRange(ev, buffer, axis, fmt::format("index {}", ir::print(given)), range);
    return {index, ir::intImm(1), true};
}

AxisIndex sliceIndex(Evaluator& ev, const Buffer& buffer, std::size_t axis, const SliceValue& slice, const SourceRange& range)
{
    const Expr& extent = buffer->shape[axis];
    const std::string what = fmt::format("a slice bound of {}", buffer->name);
    if (!slice.step.isNone() && constantInt(slice.step) != 1)
        ev.fail(Code::kValueRange, range, fmt::format("slices of {} must have step 1, not {}", buffer->name, repr(slice.step)));
    const Expr lower = slice.lower.isNone() ? ir::intImm(0) : fromEnd(toIndex(ev, slice.lower, range, what), extent);
    const Expr upper = slice.upper.isNone() ? extent : fromEnd(toIndex(ev, slice.upper, range, what), extent);
    const auto* a = ir::asInt(lower);
    const auto* b = ir::asInt(upper);
    const auto* n = ir::asInt(extent);
    const std::string text = fmt::format("slice {}:{}", ir::print(lower), ir::print(upper));
    // A constant slice may stick out of a global tensor, as any other tile may.
    if (n && buffer->scope != ir::MemoryScope::kGlobal && ((b && *b > *n) || (a && *a > *n)))
        failRange(ev, buffer, axis, text, range);
    if ((a && *a < 0) || (a && b && *b < *a))
        failRange(ev, buffer, axis, text, range);
    return {lower, difference(upper, lower), false};
}

std::vector<AxisIndex> parseIndices(Evaluator& ev, const Buffer& buffer, const Value& index, const SourceRange& range)
{
    checkAlive(ev, buffer, range);
    const auto items = itemsOf(index);
    const std::size_t rank = buffer->shape.size();
    if (items.size() != rank)
        ev.fail(Code::kIndexCount, range,
                fmt::format("{} has {} {} (shape {}), but {} {} given; write {}", buffer->name, rank, rank == 1 ? "axis" : "axes",
                            shapeText(buffer->shape), items.size(), items.size() == 1 ? "index is" : "indices are",
                            items.size() < rank ? "one for every axis, ':' for a whole one" : "one for every axis"));
    std::vector<AxisIndex> axes;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (const auto* slice = items[axis].object<const SliceValue>())
            axes.push_back(sliceIndex(ev, buffer, axis, *slice, range));
        else
            axes.push_back(pointIndex(ev, buffer, axis, items[axis], range));
    }
    return axes;
}

ir::Region toRegion(const Buffer& buffer, std::vector<AxisIndex> axes)
{
    ir::Region region{buffer, {}, {}};
    for (auto& axis : axes) {
        region.mins.push_back(std::move(axis.min));
        region.extents.push_back(std::move(axis.extent));
    }
    return region;
}

// base + k * stride of a Ramp, value of a Broadcast, operand of a vector made from scalars; otherwise a Lane.
Expr laneOf(const Expr& e, int k)
{
    if (e->dtype.lanes == 1)
        return e;
    if (const auto* ramp = ir::as<ir::Ramp>(e))
        return ir::add(ramp->base, ir::mul(ramp->stride, ir::intImm(k, ramp->stride->dtype)));
    if (const auto* broadcast = ir::as<ir::Broadcast>(e))
        return broadcast->value;
    return std::make_shared<ir::Lane>(e, k, e->where);
}

}  // namespace

Expr loadElement(Evaluator& ev, const Buffer& buffer, std::vector<Expr> indices, const SourceRange& range)
{
    if (auto* tracer = dynamic_cast<Tracer*>(ev.hooks()))
        tracer->settle(buffer);
    const auto where = provenance(ev, range);
    int lanes = 1;
    for (const auto& i : indices)
        lanes = std::max<int>(lanes, i->dtype.lanes);
    if (lanes == 1)
        return std::make_shared<ir::Load>(buffer->dtype, buffer, std::move(indices), where);
    std::vector<Expr> elements;  // A[T.Ramp(base, stride, lanes)]
    for (int k = 0; k < lanes; ++k) {
        std::vector<Expr> at;
        for (const auto& i : indices)
            at.push_back(laneOf(i, k));
        elements.push_back(std::make_shared<ir::Load>(buffer->dtype, buffer, std::move(at), where));
    }
    return vectorOf(std::move(elements), where);
}

Expr loadVariable(Evaluator& ev, const VarValue& variable, const SourceRange& range)
{
    checkAlive(ev, variable.buffer, range);
    return loadElement(ev, variable.buffer, zeros(1), range);
}

std::vector<std::vector<Expr>> elementsOf(const ir::Region& region)
{
    const auto count = elementCount(region.extents);
    if (!count || *count > 64 || *count < 1)
        return {};
    std::vector<std::vector<Expr>> result;
    for (std::int64_t k = 0; k < *count; ++k) {
        std::vector<Expr> at(region.mins.size());
        std::int64_t rest = k;
        for (std::size_t axis = at.size(); axis-- > 0;) {
            const std::int64_t extent = *ir::asInt(region.extents[axis]);
            at[axis] = ir::add(region.mins[axis], ir::intImm(rest % extent, ir::kInt32));
            rest /= extent;
        }
        result.push_back(std::move(at));
    }
    return result;
}

Expr loadRegion(Evaluator& ev, const ir::Region& region, const SourceRange& range)
{
    checkAlive(ev, region.buffer, range);
    const auto elements = elementsOf(region);
    if (elements.empty())
        ev.fail(Code::kTypeMismatch, range,
                fmt::format("the region {} is used as a value, which needs constant extents of at most 64 elements; index "
                            "single elements inside T.Parallel",
                            ir::print(region)));
    std::vector<Expr> lanes;
    for (const auto& at : elements)
        lanes.push_back(loadElement(ev, region.buffer, at, range));
    if (lanes.size() > 1 && region.buffer->dtype.lanes != 1)
        ev.fail(Code::kTypeMismatch, range, fmt::format("a region of vectors ({}) cannot become one vector", region.buffer->dtype.name()));
    return vectorOf(std::move(lanes), provenance(ev, range));
}

ir::Region regionOf(Evaluator& ev, const Buffer& buffer, const Value& index, const SourceRange& range)
{
    return toRegion(buffer, parseIndices(ev, buffer, index, range));
}

Value subscriptBuffer(Evaluator& ev, const Buffer& buffer, const Value& index, const SourceRange& range)
{
    auto axes = parseIndices(ev, buffer, index, range);
    for (const auto& axis : axes)
        if (!axis.isPoint)
            return Value(std::make_shared<const ir::Region>(toRegion(buffer, std::move(axes))));
    std::vector<Expr> indices;
    for (auto& axis : axes)
        indices.push_back(std::move(axis.min));
    return loadElement(ev, buffer, std::move(indices), range);
}

std::optional<TileOperand> tileOperand(Evaluator& ev, const Value& value, const SourceRange& range)
{
    std::optional<TileOperand> result;
    if (const auto buffer = value.buffer())
        result = TileOperand{wholeRegion(buffer), Form::kBuffer};
    else if (const auto* region = value.object<const ir::Region>())
        result = TileOperand{*region, Form::kRegion};
    else if (const auto* var = value.get<VarValue>())
        result = TileOperand{wholeRegion(var->buffer), Form::kAnchor};
    else if (const auto* ref = value.object<const RefValue>())
        result = TileOperand{ref->region, ref->isElement ? Form::kAnchor : Form::kRegion};
    else if (const auto* load = ir::as<ir::Load>(value.expr()))
        result = TileOperand{{load->buffer, load->indices, std::vector<Expr>(load->indices.size(), ir::intImm(1))}, Form::kAnchor};
    if (result) {
        checkAlive(ev, result->region.buffer, range);
        if (auto* tracer = dynamic_cast<Tracer*>(ev.hooks()))
            tracer->settle(result->region.buffer);
    }
    return result;
}

TileOperand requireTile(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what)
{
    if (auto operand = tileOperand(ev, value, range))
        return *std::move(operand);
    if (const auto* opaque = value.object<const OpaqueValue>())
        ev.fail(Code::kForeignInKernel, range, fmt::format("{} is a foreign value and cannot enter a kernel; {} must be a buffer or a region of one", opaque->path, what));
    ev.fail(Code::kTypeMismatch, range, fmt::format("{} must be a buffer or a region of one, not {}", what, typeName(value)));
}

}  // namespace tw::staging

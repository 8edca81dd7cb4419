#include "core/staging/trace/expressions.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/ir/number.h"
#include "core/ir/print.h"
#include "core/ir/visit.h"
#include "core/staging/trace/function_tracer.h"
#include "core/staging/trace/regions.h"
#include "core/staging/trace/tree_size.h"

namespace tw::staging {

using ir::DType;
using ir::Expr;

ir::Provenance provenance(Evaluator& ev, const SourceRange& range)
{
    const auto* tracer = dynamic_cast<const Tracer*>(ev.hooks());
    return {range, tracer ? tracer->operation() : 0};
}

std::optional<std::int64_t> constantInt(const Value& value)
{
    if (const auto* i = value.get<Integer>()) {
        if (*i < std::numeric_limits<std::int64_t>::min() || *i > std::numeric_limits<std::int64_t>::max())
            return std::nullopt;
        return static_cast<std::int64_t>(*i);
    }
    if (const auto* b = value.get<bool>())
        return *b ? 1 : 0;
    if (const auto* i = ir::asInt(value.expr()))
        return *i;
    return std::nullopt;
}

std::int64_t requireInt(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what)
{
    if (const auto i = constantInt(value))
        return *i;
    if (const auto* d = value.get<double>(); d && *d == std::floor(*d) && std::abs(*d) < 1e15)
        ev.fail(Code::kTypeMismatch, range, fmt::format("{} must be an integer, not the float {}; use // instead of /, or int(…)", what, repr(value)));
    if (isDevice(value))
        ev.fail(Code::kRuntimeCondition, range,
                fmt::format("{} must be known at compile time, but {} is a run-time value", what, repr(value)));
    ev.fail(Code::kTypeMismatch, range, fmt::format("{} must be an integer, not {}", what, typeName(value)));
}

bool requireBool(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what)
{
    if (value.isNone())
        return false;
    if (const auto i = constantInt(value))
        return *i != 0;
    if (isDevice(value))
        ev.fail(Code::kRuntimeCondition, range,
                fmt::format("{} must be known at compile time, but {} is a run-time value", what, repr(value)));
    ev.fail(Code::kTypeMismatch, range, fmt::format("{} must be True or False, not {}", what, typeName(value)));
}

std::string requireString(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what)
{
    if (const auto* s = value.str())
        return *s;
    ev.fail(Code::kTypeMismatch, range, fmt::format("{} must be a string, not {}", what, typeName(value)));
}

DType requireDType(Evaluator& ev, const Value& value, const SourceRange& range)
{
    if (const auto type = asDType(value))
        return *type;
    if (const auto* native = value.object<const NativeFunction>(); native && native->name == "ptr")
        return ir::kInt64;  // an address
    if (const auto* text = value.str()) {
        const std::string nearest = nearestName(*text, ir::exportedDTypeNames());
        ev.fail(Code::kTypeMismatch, range,
                fmt::format("'{}' is no dtype{}", *text, nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
    }
    ev.fail(Code::kTypeMismatch, range, fmt::format("a dtype such as T.float16 is expected here, not {}", typeName(value)));
}

std::vector<Value> itemsOf(const Value& value)
{
    if (const auto* tuple = value.object<const TupleValue>())
        return tuple->items;
    if (const auto* list = value.object<ListValue>())
        return list->items;
    if (const auto* object = value.object<InstanceValue>()) {  // a namedtuple is a tuple
        const auto data = object->attributes.find("$data");
        if (const auto* tuple = data == object->attributes.end() ? nullptr : data->second.object<const TupleValue>())
            return tuple->items;
    }
    return {value};
}

namespace {

[[noreturn]] void failNoExpr(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what)
{
    const std::string place = what.empty() ? "a number or an expression" : std::string(what);
    if (const auto* opaque = value.object<const OpaqueValue>())
        ev.fail(Code::kForeignInKernel, range,
                fmt::format("{} is a foreign value and cannot enter a kernel; {} is expected here", opaque->path, place));
    if (const auto* meta = value.object<const MetaTensor>())
        ev.fail(Code::kForeignInKernel, range,
                fmt::format("the tensor made by {} cannot enter a kernel except as a parameter", meta->path));
    if (value.object<FunctionValue>() || value.object<const NativeFunction>() || value.object<const BoundMethod>())
        ev.fail(Code::kTypeMismatch, range,
                fmt::format("{} is a function; {} is expected here, so call it", repr(value), place));
    if (const auto buffer = value.buffer())
        ev.fail(Code::kTypeMismatch, range,
                fmt::format("{} is a whole buffer of shape {}; {} is expected here, so index it", buffer->name,
                            shapeText(buffer->shape), place));
    ev.fail(Code::kTypeMismatch, range, fmt::format("{} is expected here, not {}", place, typeName(value)));
}

Expr integerConstant(Evaluator& ev, Integer value, const SourceRange& range)
{
    const auto where = provenance(ev, range);
    if (value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max())
        return ir::intImm(static_cast<std::int64_t>(value), ir::kInt32, where);
    if (value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max())
        return ir::intImm(static_cast<std::int64_t>(value), ir::kInt64, where);
    if (value > 0 && value <= std::numeric_limits<std::uint64_t>::max())
        return ir::intImm(static_cast<std::int64_t>(static_cast<std::uint64_t>(value)), ir::kUInt64, where);
    ev.fail(Code::kValueRange, range, "an integer of more than 64 bits cannot enter a kernel");
}

// The nodes of an expression written out as a tree: a part that is shared counts wherever it stands. Stops at a limit.
class TreeSize final : public ir::Visitor {
public:
    static constexpr std::int64_t kMostNodes = 1 << 17;
    static constexpr int kMostLevels = 2000;  // the passes recurse
    std::int64_t nodes = 0;
    bool isTooDeep = false;

    using ir::Visitor::visit;
    void visit(const Expr& e) override
    {
        isTooDeep = isTooDeep || level_ >= kMostLevels;
        if (++nodes > kMostNodes || isTooDeep)
            return;
        ++level_;
        ir::Visitor::visit(e);
        --level_;
    }

private:
    int level_ = 0;
};

}  // namespace

void checkSize(Evaluator& ev, const Expr& e, const SourceRange& range, std::string_view instead)
{
    TreeSize size;
    static_cast<ir::Visitor&>(size).visit(e);
    ev.charge(size.nodes / 16, range);
    if (size.nodes > TreeSize::kMostNodes)
        ev.fail(Code::kBudget, range,
                fmt::format("this expression has more than {} operations where its repeated parts are written out; {}",
                            TreeSize::kMostNodes, instead));
    if (size.isTooDeep)
        ev.fail(Code::kBudget, range,
                fmt::format("this expression is nested more than {} levels deep; {}", TreeSize::kMostLevels, instead));
}

namespace {

// An element of a barrier array names the barrier; what it holds is the hardware's business.
void checkHasValue(Evaluator& ev, const Expr& e, const SourceRange& range)
{
    if (isBarrierElement(e))
        ev.fail(Code::kScopeIllegal, range, fmt::format("{} is a barrier and has no value; wait for it with T.barrier_wait({}, parity)", ir::print(e), ir::print(e)));
}

}  // namespace

bool isBarrierElement(const Expr& e)
{
    const auto* load = ir::as<ir::Load>(e);
    const auto scope = load ? load->buffer->scope : ir::MemoryScope::kGlobal;
    return scope == ir::MemoryScope::kBarrier || scope == ir::MemoryScope::kClusterBarrier;
}

Expr toExpr(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what)
{
    if (const auto e = value.expr()) {
        checkHasValue(ev, e, range);
        checkSize(ev, e, range, "keep a part of it in a variable (T.alloc_var)");
        return e;
    }
    if (const auto* i = value.get<Integer>())
        return integerConstant(ev, *i, range);
    if (const auto* d = value.get<double>())
        return ir::floatImm(*d, ir::kFloat32, provenance(ev, range));
    if (const auto* b = value.get<bool>())
        return ir::boolImm(*b, provenance(ev, range));
    if (const auto* var = value.get<VarValue>())
        return loadVariable(ev, *var, range);
    if (const auto* ref = value.object<const RefValue>())
        return loadRegion(ev, ref->region, range);
    if (const auto* region = value.object<const ir::Region>())
        return loadRegion(ev, *region, range);
    failNoExpr(ev, value, range, what);
}

Expr toIndex(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what)
{
    Expr e = toExpr(ev, value, range, what);
    if (e->dtype.isBool())
        return ir::cast(ir::kInt32.withLanes(e->dtype.lanes), e, e->where);
    if (!e->dtype.isInteger())
        ev.fail(Code::kTypeMismatch, range,
                fmt::format("{} must be an integer, but {} has type {}{}", what, ir::print(e), e->dtype.name(),
                            e->dtype.isFloating() ? "; whole numbers are divided by //, or rounded up by T.ceildiv" : ""));
    return e;
}

Expr toCondition(Evaluator& ev, const Value& value, const SourceRange& range)
{
    Expr e = toExpr(ev, value, range, "a condition");
    if (e->dtype.isBool())
        return e;
    if (e->dtype.isInteger())
        return ir::binary(ir::BinaryOp::kNe, e, ir::constant(e->dtype, std::int64_t{0}, e->where), e->where);
    ev.fail(Code::kTypeMismatch, range,
            fmt::format("a condition must be a bool or an integer, but {} has type {}", ir::print(e), e->dtype.name()));
}

Expr castTo(Evaluator& ev, DType type, const Expr& value, const SourceRange& range)
{
    const auto where = provenance(ev, range);
    if (value->dtype == type)
        return value;
    if (value->dtype.lanes == type.lanes)
        return ir::cast(type, value, where);
    if (value->dtype.lanes != 1)
        ev.fail(Code::kDtypeMismatch, range,
                fmt::format("a vector of {} lanes cannot become {}", value->dtype.lanes, type.name()));
    return std::make_shared<ir::Broadcast>(ir::cast(type.element(), value, where), type.lanes, where);
}

void checkLiteral(Evaluator& ev, DType type, const Value& value, const SourceRange& range)
{
    const auto* i = value.get<Integer>();
    if (!i || !type.isInteger())
        return;
    const Integer low = ir::smallestInt(type.element());
    const Integer high = static_cast<Integer>(ir::largestInt(type.element()));
    if (*i >= low && *i <= high)
        return;
    ev.fail(Code::kValueRange, range,
            fmt::format("{} does not fit {}, whose range is {} to {}", repr(value), type.name(), repr(Value(low)),
                        repr(Value(high))));
}

Expr toType(Evaluator& ev, DType type, const Value& value, const SourceRange& range, std::string_view what)
{
    const auto where = provenance(ev, range);
    if (const auto* d = value.get<double>(); d && type.isFloating() && type.lanes == 1)
        return ir::floatImm(*d, type, where);
    if (const auto* i = value.get<Integer>(); i && type.lanes == 1) {
        if (type.isFloating())
            return ir::floatImm(static_cast<double>(*i), type, where);
        if (type.isInteger())
            return ir::intImm(ir::wrapInt(type, static_cast<std::int64_t>(*i)), type, where);
    }
    return castTo(ev, type, toExpr(ev, value, range, what), range);
}

std::pair<Expr, Expr> promoted(Evaluator& ev, Expr a, Expr b, const SourceRange& range, std::string_view op)
{
    if (a->dtype == b->dtype)
        return {std::move(a), std::move(b)};
    const auto type = ir::promote(a->dtype, b->dtype);
    if (!type)
        ev.fail(Code::kDtypeMismatch, range,
                fmt::format("{} of {} and {} has no common type; convert one of them with T.cast", op, a->dtype.name(),
                            b->dtype.name()));
    return {castTo(ev, *type, a, range), castTo(ev, *type, b, range)};
}

Expr selectExpr(Evaluator& ev, const Expr& condition, const Value& then, const Value& otherwise, bool lazy,
                const SourceRange& range)
{
    auto [a, b] = promoted(ev, toExpr(ev, then, range, "an arm of a select"),
                           toExpr(ev, otherwise, range, "an arm of a select"), range, "a select");
    return ir::select(condition, a, b, lazy, provenance(ev, range));
}

Expr vectorOf(std::vector<Expr> lanes, ir::Provenance where)
{
    if (lanes.size() == 1)
        return lanes.front();
    const DType type = lanes.front()->dtype.withLanes(static_cast<int>(lanes.size()));
    ir::OpCall call{ir::OpId::kShuffleVector, {}, {}};
    for (auto& lane : lanes)
        call.operands.emplace_back(std::move(lane));
    return ir::call(type, std::move(call), where);
}

}  // namespace tw::staging

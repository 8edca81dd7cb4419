#include "core/staging/trace/host_hooks.h"

#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/expressions.h"
#include "core/staging/trace/regions.h"
#include "core/staging/trace/tracer.h"

namespace tw::staging {

std::unique_ptr<DeviceHooks> makeHostHooks(Evaluator& evaluator) { return std::make_unique<HostHooks>(evaluator); }

void HostHooks::refuse(const SourceRange& range, const std::string& what)
{
    ev_.fail(Code::kNotInKernel, range, what + " is legal inside a kernel only (@T.prim_func, an eager @tilelang.jit function, @T.macro)");
}

Value HostHooks::unary(syntax::UnaryOp op, const Value& a, const SourceRange& range) { return unaryOperator(ev_, op, a, range); }

Value HostHooks::binary(syntax::BinaryOp op, const Value& a, const Value& b, const SourceRange& range)
{
    return binaryOperator(ev_, op, a, b, range);
}

Value HostHooks::compare(syntax::CompareOp op, const Value& a, const Value& b, const SourceRange& range)
{
    return compareOperator(ev_, op, a, b, range);
}

// Operands of and / or are bools: upstream refuses integers, and `i and n` of two numbers may well be meant as i & n.
static ir::Expr boolOperand(Evaluator& ev, const Value& value, syntax::BoolOp op, const SourceRange& range)
{
    const ir::Expr e = toExpr(ev, value, range, "a condition");
    if (!e->dtype.isBool() && !ir::asInt(e))
        ev.fail(Code::kTypeMismatch, range,
                fmt::format("the operands of `{}` must be bools, but {} is {}; compare it, for example with != 0",
                            op == syntax::BoolOp::kAnd ? "and" : "or", ir::print(e), e->dtype.name()));
    return toCondition(ev, value, range);
}

Value HostHooks::logical(syntax::BoolOp op, const Value& a, const Value& b, const SourceRange& range)
{
    const auto irOp = op == syntax::BoolOp::kAnd ? ir::BinaryOp::kAnd : ir::BinaryOp::kOr;
    return ir::binary(irOp, boolOperand(ev_, a, op, range), boolOperand(ev_, b, op, range), provenance(ev_, range));
}

Value HostHooks::conditional(const Value& condition, const Value& then, const Value& otherwise, const SourceRange& range)
{
    return selectExpr(ev_, toCondition(ev_, condition, range), then, otherwise, true, range);
}

Value HostHooks::attribute(const Value& object, const syntax::Identifier& name)
{
    if (auto value = tileAttribute(ev_, object, name.text))
        return *std::move(value);
    static const std::vector<std::string> kKnown = {"shape", "strides", "dtype",   "scope", "data",   "name",
                                                    "astype", "buffer",  "indices", "value", "access_ptr"};
    const std::string nearest = nearestName(name.text, kKnown);
    ev_.fail(Code::kAttributeUnknown, name.range,
             fmt::format("a {} has no attribute '{}'{}", typeName(object), name.text,
                         nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

Value HostHooks::subscript(const Value& object, const Value& index, const SourceRange& range)
{
    if (const auto buffer = object.buffer())
        return subscriptBuffer(ev_, buffer, index, range);
    if (const auto* var = object.get<VarValue>())
        return subscriptBuffer(ev_, var->buffer, index, range);
    if (const auto* ref = object.object<const RefValue>())
        ev_.fail(Code::kTypeMismatch, range,
                 fmt::format("{} stands for {} already and takes no index", ir::print(ref->region), ref->isElement ? "one element" : "a region"));
    if (const auto* region = object.object<const ir::Region>())
        ev_.fail(Code::kTypeMismatch, range,
                 fmt::format("the region {} cannot be indexed; index {} itself", ir::print(*region), region->buffer->name));
    const auto e = object.expr();
    const auto k = constantInt(index);
    if (e && e->dtype.lanes > 1 && k) {
        if (*k < 0 || *k >= e->dtype.lanes)
            ev_.fail(Code::kIndexRange, range, fmt::format("lane {} is out of range: {} has {} lanes", *k, ir::print(e), e->dtype.lanes));
        return ir::Expr(std::make_shared<ir::Lane>(e, static_cast<int>(*k), provenance(ev_, range)));
    }
    if (ir::as<ir::VarNode>(e) && k == 0)
        return object;  // a launch index counts as a tuple of one
    ev_.fail(Code::kTypeMismatch, range, fmt::format("{} is one {} value and cannot be indexed", repr(object), e ? e->dtype.name() : "run-time"));
}

Value HostHooks::call(const Value& callee, const CallArguments& arguments)
{
    if (const auto* builtin = callee.object<const NativeFunction>())
        ev_.fail(Code::kRuntimeCondition, arguments.callee,
                 fmt::format("Python's `{}` needs values that are known while staging; use T.{} on run-time values", builtin->name, builtin->name));
    ev_.fail(Code::kTypeMismatch, arguments.callee, fmt::format("a {} cannot be called", typeName(callee)));
}

bool HostHooks::truth(const Value& value, const SourceRange& range)
{
    if (const auto k = constantInt(value))
        return *k != 0;
    if (const auto* f = ir::as<ir::FloatImm>(value.expr()))
        return f->value != 0;
    if (const auto buffer = value.buffer())
        ev_.fail(Code::kRuntimeCondition, range, fmt::format("{} is a whole buffer and has no truth value", buffer->name));
    ev_.fail(Code::kRuntimeCondition, range,
             fmt::format("{} is known at run time only, but Python needs its truth here; write T.if_then_else(condition, a, b), "
                         "T.min and T.max instead of min() and max(), or `if` directly in the kernel's body",
                         repr(value)));
}

std::vector<Value> HostHooks::iterate(const Value& value, const SourceRange& range)
{
    if (ir::as<ir::VarNode>(value.expr()))
        return {value};
    if (const auto buffer = value.buffer())
        ev_.fail(Code::kTypeMismatch, range,
                 fmt::format("{} is a buffer and cannot be iterated; write for i in T.serial({})", buffer->name,
                             ir::print(buffer->shape.front())));
    ev_.fail(Code::kTypeMismatch, range, fmt::format("{} cannot be iterated or unpacked", repr(value)));
}

}  // namespace tw::staging

// What the evaluator asks while it evaluates expressions.
#include <fmt/format.h>

#include "core/ir/visit.h"
#include "core/staging/array/array_impl.h"

namespace tw::staging {

using ir::Expr;

// ---- values -----------------------------------------------------------------------------------------------------------

bool ArrayTracer::isArrayLike(const Value& value) const
{
    return value.object<const ArrayValue>() || value.get<bool>() || value.get<Integer>() || value.get<double>() || value.expr();
}

ArrayRef ArrayTracer::array(const Value& value, const SourceRange& range)
{
    if (const auto* ref = value.get<ArrayRef>())
        return *ref;
    auto out = std::make_shared<ArrayValue>();
    out->weak = true;
    Expr e;
    if (const auto* b = value.get<bool>()) {
        e = ir::boolImm(*b);
    } else if (const auto* i = value.get<Integer>()) {
        const auto n = static_cast<std::int64_t>(*i);
        if (*i != static_cast<Integer>(n))
            evaluator_.fail(Code::kValueRange, range, "this integer does not fit 64 bits");
        e = ir::intImm(n, n >= INT32_MIN && n <= INT32_MAX ? ir::kInt32 : ir::kInt64);
    } else if (const auto* d = value.get<double>()) {
        e = ir::floatImm(*d, ir::kFloat64);
    } else if (value.expr()) {
        e = value.expr();
    } else if (value.object<ListValue>() || value.object<const TupleValue>()) {
        std::vector<Value> items = evaluator_.iterate(value, range);
        std::vector<ArrayRef> rows;
        for (const Value& item : items) {
            const ArrayRef one = array(item, range);
            rows.push_back(indexed(one->weak ? cast(one, one->dtype == ir::kFloat64 ? ir::kFloat32 : one->dtype) : one, Value(), range));
        }
        return concatenated(rows, 0, range);
    } else if (const auto* opaque = value.object<const OpaqueValue>()) {
        const std::string last = opaque->path.substr(opaque->path.rfind('.') + 1);
        evaluator_.fail(Code::kForeignInKernel, range,
                        fmt::format("`{}` is foreign and cannot enter a kernel; use a function of tl, such as tl.{}", opaque->path, last));
    } else if (value.object<const MetaTensor>()) {
        evaluator_.fail(Code::kForeignInKernel, range, "a tensor of the host cannot enter a kernel; pass it as a parameter");
    } else {
        evaluator_.fail(Code::kTypeMismatch, range, fmt::format("an array or number is needed here, not {}", typeName(value)));
    }
    out->dtype = e->dtype;
    out->at = [e](const Exprs&) { return e; };
    return out;
}

// Scalars that folded are Python numbers again, so that staging can go on with them.
Value ArrayTracer::wrap(ArrayRef value)
{
    if (value->shape.empty() && value->weak) {
        const Expr e = value->at({});
        if (const auto* i = ir::asInt(e))
            return e->dtype.isBool() ? Value(*i != 0) : Value(*i);
        if (const auto* f = ir::as<ir::FloatImm>(e))
            return Value(f->value);
    }
    return Value(std::move(value));
}

Value ArrayTracer::shape(const ArrayValue& value) const
{
    std::vector<Value> out;
    for (const Expr& e : value.shape) {
        if (const auto* n = ir::asInt(e)) {
            out.emplace_back(*n);
            continue;
        }
        auto scalar = std::make_shared<ArrayValue>();
        scalar->dtype = e->dtype;
        scalar->weak = true;
        scalar->at = [e](const Exprs&) { return e; };
        out.emplace_back(ArrayRef(scalar));
    }
    return makeTuple(std::move(out));
}

Expr ArrayTracer::integer(const Value& value, const SourceRange& range, const std::string& what)
{
    const ArrayRef scalar = array(value, range);
    if (!scalar->shape.empty() || !scalar->dtype.isInteger())
        evaluator_.fail(Code::kTypeMismatch, range, fmt::format("{} is an integer", what));
    return convert(frozen(scalar->at({}), "extent"), ir::kInt32);
}

Expr ArrayTracer::extent(const Value& value, const SourceRange& range, const std::string& what)
{
    Expr e = integer(value, range, what);
    if (const auto* constant = ir::asInt(e); constant && *constant < 0)
        evaluator_.fail(Code::kValueRange, range, fmt::format("{} is {}, but extents cannot be negative", what, *constant));
    return e;
}

Exprs ArrayTracer::shapeOf(const Value& value, const SourceRange& range)
{
    if (!value.object<const TupleValue>() && !value.object<ListValue>())
        return {extent(value, range, "an extent")};
    Exprs out;
    for (const Value& one : evaluator_.iterate(value, range))
        out.push_back(extent(one, range, "an extent"));
    return out;
}

// ---- operators --------------------------------------------------------------------------------------------------------

Value ArrayTracer::unary(syntax::UnaryOp op, const Value& a, const SourceRange& range)
{
    const ArrayRef x = array(a, range);
    switch (op) {
    case syntax::UnaryOp::kPlus: return a;
    case syntax::UnaryOp::kNot: {
        const Expr e = conditionOf(a, range);
        return wrap(elementwise({x}, ir::kBool, x->weak, range, [e](const auto&) { return ir::unary(ir::UnaryOp::kNot, e); }));
    }
    case syntax::UnaryOp::kInvert:
        if (x->dtype.isFloating())
            evaluator_.fail(Code::kDtypeUnsupported, range, fmt::format("`~` works on integers and bools, not on {}", x->dtype.name()));
        return wrap(elementwise({x}, x->dtype, x->weak, range, [isBool = x->dtype.isBool()](const auto& e) {
            return ir::unary(isBool ? ir::UnaryOp::kNot : ir::UnaryOp::kInvert, e[0]);
        }));
    case syntax::UnaryOp::kNegate: break;
    }
    const ir::DType type = x->dtype.isBool() ? ir::kInt32 : x->dtype;
    return wrap(elementwise({x}, type, x->weak, range, [type](const auto& e) { return ir::unary(ir::UnaryOp::kNegate, convert(e[0], type)); }));
}

Value ArrayTracer::binary(syntax::BinaryOp op, const Value& a, const Value& b, const SourceRange& range)
{
    return wrap(arithmetic(op, array(a, range), array(b, range), range));
}

Value ArrayTracer::compare(syntax::CompareOp op, const Value& a, const Value& b, const SourceRange& range)
{
    return wrap(comparison(op, array(a, range), array(b, range), range));
}

Value ArrayTracer::logical(syntax::BoolOp op, const Value& a, const Value& b, const SourceRange& range)
{
    const Expr x = conditionOf(a, range), y = conditionOf(b, range);
    const ArrayRef left = array(a, range), right = array(b, range);
    return wrap(elementwise({left, right}, ir::kBool, left->weak && right->weak, range, [=](const auto&) {
        // Lazily: the left side may guard the right one's accesses.
        return op == syntax::BoolOp::kAnd ? ir::select(x, y, ir::boolImm(false), true) : ir::select(x, ir::boolImm(true), y, true);
    }));
}

Value ArrayTracer::conditional(const Value& condition, const Value& then, const Value& otherwise, const SourceRange& range)
{
    const Expr test = conditionOf(condition, range);
    const ArrayRef a = array(then, range), b = array(otherwise, range);
    const ir::DType type = commonType(*a, *b);
    return wrap(elementwise({a, b}, type, a->weak && b->weak, range, [=](const auto& e) {
        return ir::select(test, convert(e[0], type), convert(e[1], type), true);
    }));
}

// ---- members ----------------------------------------------------------------------------------------------------------

Value ArrayTracer::attribute(const Value& object, const syntax::Identifier& name)
{
    const ArrayRef self = array(object, name.range);
    const std::string& n = name.text;
    if (n == "shape")
        return shape(*self);
    if (n == "dtype")
        return Value(self->dtype);
    if (n == "ndim")
        return Value(rankOf(*self));
    if (n == "T")
        return Value(transposed(self, Value(), name.range));
    if (n == "size") {
        Value size(1);
        const Value extents = shape(*self);
        for (const Value& one : extents.object<const TupleValue>()->items)
            size = isDevice(size) || isDevice(one) ? binary(syntax::BinaryOp::kMul, size, one, name.range)
                                                   : evaluator_.binary(syntax::BinaryOp::kMul, size, one, name.range);
        return size;
    }
    static const std::set<std::string> kMethods = {"astype", "reshape", "sum",    "max", "min",    "mean",  "prod", "any",
                                                   "all",    "argmax",  "argmin", "cumsum", "transpose", "copy", "dot"};
    if (kMethods.contains(n)) {
        // Methods are the functions of tl with the array before their arguments.
        static const std::map<std::string, std::string> kFunctions = {{"astype", "cast"}};
        const auto it = kFunctions.find(n);
        const std::string function = it == kFunctions.end() ? n : it->second;
        return makeNative(n, [object, n, function](Evaluator& evaluator, const CallArguments& arguments) -> Value {
            ArrayTracer& tracer = current(evaluator, arguments.call, "the method " + n);
            if (n == "copy")
                return Value(tracer.materialise(tracer.array(object, arguments.call), "copy"));
            if (n == "reshape" && arguments.items.size() != 1) {
                std::vector<Value> extents;
                for (const CallArgument& item : arguments.items)
                    extents.push_back(*item.value);
                return Value(tracer.reshaped(tracer.array(object, arguments.call), makeTuple(std::move(extents)), arguments.call));
            }
            CallArguments all = arguments;
            all.items.insert(all.items.begin(), {"", std::make_shared<Value>(object), arguments.callee});
            const auto native = makeArrayModule()->attribute(evaluator, function);
            return native->object<const NativeFunction>()->call(evaluator, all);
        });
    }
    std::vector<std::string> known(kMethods.begin(), kMethods.end());
    known.insert(known.end(), {"shape", "dtype", "ndim", "T", "size"});
    const std::string near = nearestName(n, known);
    evaluator_.fail(Code::kAttributeUnknown, name.range,
                    fmt::format("an array has no attribute `{}`{}", n, near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
}

Value ArrayTracer::subscript(const Value& object, const Value& index, const SourceRange& range)
{
    return wrap(indexed(array(object, range), index, range));
}

Value ArrayTracer::call(const Value& callee, const CallArguments& arguments)
{
    if (const auto* native = callee.object<const NativeFunction>(); native && native->name == "abs")
        return makeArrayModule()->attribute(evaluator_, "abs")->object<const NativeFunction>()->call(evaluator_, arguments);
    evaluator_.fail(Code::kTypeMismatch, arguments.callee, "an array cannot be called");
}

bool ArrayTracer::truth(const Value& value, const SourceRange& range)
{
    const Expr e = conditionOf(value, range);
    if (const auto* known = ir::asInt(e))
        return *known != 0;
    evaluator_.fail(Code::kRuntimeCondition, range,
                    "a run-time value decides here, but it has to be known while staging; use an `if` statement of its own, or tl.where");
}

std::string ArrayTracer::functionFor(const std::string& foreign)
{
    const auto module = makeArrayModule();
    const bool known = std::find(module->names.begin(), module->names.end(), foreign) != module->names.end();
    return known ? "tl." + foreign : "";
}

std::vector<Value> ArrayTracer::iterate(const Value& value, const SourceRange& range)
{
    const ArrayRef self = array(value, range);
    if (self->shape.empty())
        evaluator_.fail(Code::kTypeMismatch, range, "a scalar cannot be unpacked");
    const auto* n = ir::asInt(self->shape[0]);
    if (!n || *n > 64)
        evaluator_.fail(Code::kNotSupported, range,
                        fmt::format("not supported: going through the {} rows of an array one by one; loop over range(…) and index",
                                    extentText(self->shape[0])));
    std::vector<Value> out;
    for (std::int64_t i = 0; i < *n; ++i)
        out.push_back(wrap(indexed(self, Value(i), range)));
    return out;
}

// ---- statements of the evaluator's own kernel mode: this dialect runs its statements itself --------------------------------

std::optional<Value> ArrayTracer::assignName(const syntax::Identifier& name, const Value*, const Value& value, const SourceRange&)
{
    return settled(name.text, value);
}
void ArrayTracer::refuse(const SourceRange& range, const std::string& what)
{
    evaluator_.fail(Code::kStructure, range, what + " cannot stand here; in array kernels loops are `for` statements over range or tl.threading");
}
void ArrayTracer::breakLoop(const SourceRange& range)
{
    jump(true, range);
}
void ArrayTracer::continueLoop(const SourceRange& range)
{
    jump(false, range);
}
Value ArrayTracer::bindParameter(const syntax::Identifier&, const Value& argument, bool, const SourceRange&)
{
    return argument;
}

}  // namespace tw::staging

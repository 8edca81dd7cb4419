// The functions of `tilelang` that belong to the array dialect.
#include <fmt/format.h>

#include "core/staging/array/array_impl.h"

namespace tw::staging {

using ir::Expr;
using ir::OpId;

namespace {

using ArrayFunction = std::function<Value(ArrayTracer&, const BoundArguments&, const CallArguments&)>;

Value native(const std::string& name, const std::string& signature, ArrayFunction body)
{
    return makeNative(name, [name, signature, body = std::move(body)](Evaluator& evaluator, const CallArguments& arguments) {
        ArrayTracer& tracer = ArrayTracer::current(evaluator, arguments.call, "tl." + name);
        return body(tracer, evaluator.bind(signature, arguments, "tl." + name), arguments);
    });
}

ir::DType dtypeOf(ArrayTracer& tracer, const BoundArguments& a, const std::string& name, ir::DType otherwise)
{
    if (!a.has(name) || a[name].isNone())
        return otherwise;
    if (const auto type = asDType(a[name]))
        return *type;
    tracer.evaluator().fail(Code::kTypeMismatch, a.range(name), fmt::format("`{}` is no dtype", repr(a[name])));
}

ArrayRef operand(ArrayTracer& tracer, const BoundArguments& a, const std::string& name)
{
    return tracer.array(a[name], a.range(name));
}

// A float function of one element; halves are computed in float32 and rounded once.
Expr mathElement(OpId op, const Expr& x)
{
    if (isNarrowFloat(x->dtype))
        return convert(mathCall(op, ir::kFloat32, {convert(x, ir::kFloat32)}), x->dtype);
    return mathCall(op, x->dtype, {x});
}

Value floatFunction(const std::string& name, OpId op)
{
    return native(name, "x", [op](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        const ArrayRef x = operand(t, a, "x");
        const ir::DType type = x->dtype.isFloating() ? x->dtype : x->weak ? ir::kFloat64 : ir::kFloat32;
        return ArrayTracer::wrap(t.elementwise({x}, type, x->weak, c.call,
                                               [=](const auto& e) { return mathElement(op, convert(e[0], type)); }));
    });
}

// floor, ceil, round: whole numbers stay what they are.
Value wholeFunction(const std::string& name, OpId op)
{
    return native(name, "x", [op](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        const ArrayRef x = operand(t, a, "x");
        return ArrayTracer::wrap(t.elementwise({x}, x->dtype, x->weak, c.call, [=](const auto& e) {
            return e[0]->dtype.isFloating() ? mathElement(op, e[0]) : e[0];
        }));
    });
}

Value testFunction(const std::string& name, OpId op)
{
    return native(name, "x", [op](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        const ArrayRef x = operand(t, a, "x");
        return ArrayTracer::wrap(t.elementwise({x}, ir::kBool, x->weak, c.call, [=](const auto& e) -> Expr {
            if (!e[0]->dtype.isFloating())
                return ir::boolImm(false);
            return mathCall(op, ir::kBool, {isNarrowFloat(e[0]->dtype) ? convert(e[0], ir::kFloat32) : e[0]});
        }));
    });
}

Value extremeOf(ArrayTracer& t, const std::vector<ArrayRef>& items, bool isMax, const SourceRange& range)
{
    ArrayRef best = items[0];
    for (std::size_t i = 1; i < items.size(); ++i) {
        const ir::DType type = commonType(*best, *items[i]);
        best = t.elementwise({best, items[i]}, type, best->weak && items[i]->weak, range, [=](const auto& e) {
            return isMax ? propagatingMax(convert(e[0], type), convert(e[1], type)) : propagatingMin(convert(e[0], type), convert(e[1], type));
        });
    }
    return ArrayTracer::wrap(best);
}

Value extremeFunction(const std::string& name, bool isMax)
{
    return native(name, "a, b", [isMax](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        return extremeOf(t, {operand(t, a, "a"), operand(t, a, "b")}, isMax, c.call);
    });
}

Value reduction(const std::string& name, ReduceKind kind)
{
    return native(name, "x, axis=None, keepdims=False", [kind](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        const bool keep = a.has("keepdims") && t.evaluator().truth(a["keepdims"], a.range("keepdims"));
        return Value(t.reduce(kind, operand(t, a, "x"), a["axis"], keep, a.has("axis") ? a.range("axis") : c.call));
    });
}

Value maker(const std::string& name, double fill)
{
    return native(name, "shape, dtype=None", [fill, name](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        const ir::DType type = dtypeOf(t, a, "dtype", ir::kFloat32);
        return Value(t.filled(t.shapeOf(a["shape"], a.range("shape")), type, t.array(Value(fill), c.call), name, c.call));
    });
}

Value makerLike(const std::string& name, double fill)
{
    return native(name, "x, dtype=None", [fill, name](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        const ArrayRef x = operand(t, a, "x");
        return Value(t.filled(x->shape, dtypeOf(t, a, "dtype", x->dtype), t.array(Value(fill), c.call), name, c.call));
    });
}

Value arange(ArrayTracer& t, const BoundArguments& a, const CallArguments& c)
{
    std::vector<ArrayRef> ends;
    for (const Value& one : a.rest())
        ends.push_back(t.array(one, c.call));
    if (ends.empty() || ends.size() > 3)
        t.evaluator().fail(Code::kCallArguments, c.call, "tl.arange takes an end, or a begin, an end and a step");
    const ir::DType type = dtypeOf(t, a, "dtype", ir::kInt32);
    const Expr begin = ends.size() == 1 ? ir::intImm(0) : t.integer(a.rest()[0], c.call, "the begin of tl.arange");
    const Expr end = t.integer(a.rest()[ends.size() == 1 ? 0 : 1], c.call, "the end of tl.arange");
    const Expr step = ends.size() == 3 ? t.integer(a.rest()[2], c.call, "the step of tl.arange") : ir::intImm(1);
    Expr count = extentBetween(end, begin);
    if (ends.size() == 3)
        count = ir::floorDiv(ir::add(count, ir::sub(step, ir::intImm(1))), step);
    return Value(t.generated({count}, type, [=](const Exprs& i) { return convert(ir::add(begin, ir::mul(i[0], step)), type); }));
}

Value eye(ArrayTracer& t, const BoundArguments& a, const CallArguments&)
{
    const ir::DType type = dtypeOf(t, a, "dtype", ir::kFloat32);
    const Expr n = t.extent(a["n"], a.range("n"), "an extent");
    const Expr m = a["m"].isNone() ? n : t.extent(a["m"], a.range("m"), "an extent");
    return Value(t.generated({n, m}, type, [=](const Exprs& i) { return convert(ir::binary(ir::BinaryOp::kEq, i[0], i[1]), type); }));
}

Value arrayAbs(ArrayTracer& t, const BoundArguments& a, const CallArguments& c)
{
    const ArrayRef x = operand(t, a, "x");
    return ArrayTracer::wrap(t.elementwise({x}, x->dtype, x->weak, c.call, [](const auto& e) -> Expr {
        if (e[0]->dtype.isFloating())
            return mathElement(OpId::kAbs, e[0]);
        const Expr zero = ir::constant(e[0]->dtype, std::int64_t{0});
        return e[0]->dtype.isSigned() ? ir::select(ir::binary(ir::BinaryOp::kLt, e[0], zero), ir::unary(ir::UnaryOp::kNegate, e[0]), e[0], false)
                                      : e[0];
    }));
}

Value arrayWhere(ArrayTracer& t, const BoundArguments& a, const CallArguments& c)
{
    const ArrayRef test = operand(t, a, "condition"), x = operand(t, a, "x"), y = operand(t, a, "y");
    const ir::DType type = commonType(*x, *y);
    return ArrayTracer::wrap(t.elementwise({test, x, y}, type, test->weak && x->weak && y->weak, c.call, [=](const auto& e) {
        return ir::select(convert(e[0], ir::kBool), convert(e[1], type), convert(e[2], type), false);
    }));
}

Value arrayClamp(ArrayTracer& t, const BoundArguments& a, const CallArguments& c)
{
    const Value low = extremeOf(t, {operand(t, a, "x"), operand(t, a, "low")}, true, c.call);
    return extremeOf(t, {t.array(low, c.call), operand(t, a, "high")}, false, c.call);
}

Value castTo(ArrayTracer& t, const BoundArguments& a, const CallArguments&)
{
    return Value(t.cast(operand(t, a, "x"), dtypeOf(t, a, "dtype", ir::kFloat32)));
}

Value full(ArrayTracer& t, const BoundArguments& a, const CallArguments& c)
{
    return Value(t.filled(t.shapeOf(a["shape"], a.range("shape")), dtypeOf(t, a, "dtype", ir::kFloat32), operand(t, a, "value"), "full", c.call));
}

Value fullLike(ArrayTracer& t, const BoundArguments& a, const CallArguments& c)
{
    const ArrayRef x = operand(t, a, "x");
    return Value(t.filled(x->shape, dtypeOf(t, a, "dtype", x->dtype), operand(t, a, "value"), "full", c.call));
}

Value outer(ArrayTracer& t, const BoundArguments& a, const CallArguments& c)
{
    const ArrayRef x = operand(t, a, "a"), y = operand(t, a, "b");
    const auto all = std::make_shared<const SliceValue>();
    const ArrayRef column = t.indexed(x, makeTuple({Value(all), Value()}), c.call);
    const ArrayRef row = t.indexed(y, makeTuple({Value(), Value(all)}), c.call);
    return Value(t.arithmetic(syntax::BinaryOp::kMul, column, row, c.call));
}

Value concat(ArrayTracer& t, const BoundArguments& a, const CallArguments& c)
{
    std::vector<ArrayRef> values;
    for (const Value& one : t.evaluator().iterate(a["arrays"], a.range("arrays")))
        values.push_back(t.array(one, c.call));
    const int rank = values.empty() ? 1 : rankOf(*values[0]);
    return Value(t.concatenated(values, a["axis"].isNone() ? 0 : t.axisOf(a["axis"], rank, a.range("axis")), c.call));
}

void addFunctions(std::map<std::string, Value>& m)
{
    const std::pair<const char*, OpId> kFloats[] = {
        {"exp", OpId::kExp}, {"exp2", OpId::kExp2}, {"log", OpId::kLog}, {"log2", OpId::kLog2}, {"sqrt", OpId::kSqrt},
        {"rsqrt", OpId::kRsqrt}, {"sin", OpId::kSin}, {"cos", OpId::kCos}, {"tanh", OpId::kTanh}, {"sigmoid", OpId::kSigmoid},
        {"erf", OpId::kErf}};
    for (const auto& [name, op] : kFloats)
        m[name] = floatFunction(name, op);
    m["floor"] = wholeFunction("floor", OpId::kFloor);
    m["ceil"] = wholeFunction("ceil", OpId::kCeil);
    m["round"] = wholeFunction("round", OpId::kNearbyint);
    m["isnan"] = testFunction("isnan", OpId::kIsNan);
    m["isinf"] = testFunction("isinf", OpId::kIsInf);
    m["maximum"] = extremeFunction("maximum", true);
    m["minimum"] = extremeFunction("minimum", false);
    m["abs"] = native("abs", "x", arrayAbs);
    m["where"] = native("where", "condition, x, y", arrayWhere);
    m["clamp"] = native("clamp", "x, low, high", arrayClamp);
    m["cast"] = native("cast", "x, dtype", castTo);
    m["pow"] = native("pow", "x, y", [](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        return ArrayTracer::wrap(t.arithmetic(syntax::BinaryOp::kPow, operand(t, a, "x"), operand(t, a, "y"), c.call));
    });
    const std::pair<const char*, ReduceKind> kReductions[] = {
        {"sum", ReduceKind::kSum}, {"max", ReduceKind::kMax}, {"min", ReduceKind::kMin}, {"mean", ReduceKind::kMean},
        {"prod", ReduceKind::kProd}, {"any", ReduceKind::kAny}, {"all", ReduceKind::kAll}, {"argmax", ReduceKind::kArgMax},
        {"argmin", ReduceKind::kArgMin}};
    for (const auto& [name, kind] : kReductions)
        m[name] = reduction(name, kind);
    m["cumsum"] = native("cumsum", "x, axis=None", [](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        return Value(t.cumulative(operand(t, a, "x"), a["axis"], a.has("axis") ? a.range("axis") : c.call));
    });
}

void addArrays(std::map<std::string, Value>& m)
{
    m["zeros"] = maker("zeros", 0);
    m["ones"] = maker("ones", 1);
    m["zeros_like"] = makerLike("zeros_like", 0);
    m["ones_like"] = makerLike("ones_like", 1);
    m["full"] = native("full", "shape, value, dtype=None", full);
    m["full_like"] = native("full_like", "x, value, dtype=None", fullLike);
    m["empty"] = native("empty", "shape, dtype=None", [](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        return Value(t.undefinedArray(t.shapeOf(a["shape"], a.range("shape")), dtypeOf(t, a, "dtype", ir::kFloat32), ir::MemoryScope::kGlobal, c.call));
    });
    m["empty_like"] = native("empty_like", "x, dtype=None", [](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        const ArrayRef x = operand(t, a, "x");
        return Value(t.undefinedArray(x->shape, dtypeOf(t, a, "dtype", x->dtype), ir::MemoryScope::kGlobal, c.call));
    });
    m["shared_memory"] = native("shared_memory", "shape, dtype=None", [](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        return Value(t.undefinedArray(t.shapeOf(a["shape"], a.range("shape")), dtypeOf(t, a, "dtype", ir::kFloat32), ir::MemoryScope::kShared, c.call));
    });
    m["sync_threads"] = native("sync_threads", "", [](ArrayTracer& t, const BoundArguments&, const CallArguments&) {
        t.syncThreads();
        return Value();
    });
    m["arange"] = native("arange", "*ends, dtype=None", arange);
    m["eye"] = native("eye", "n, m=None, dtype=None", eye);
    m["dot"] = native("dot", "a, b", [](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        return Value(t.product(operand(t, a, "a"), operand(t, a, "b"), false, c.call));
    });
    m["outer"] = native("outer", "a, b", outer);
    m["transpose"] = native("transpose", "x, axes=None", [](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        return Value(t.transposed(operand(t, a, "x"), a["axes"], a.has("axes") ? a.range("axes") : c.call));
    });
    m["reshape"] = native("reshape", "x, shape", [](ArrayTracer& t, const BoundArguments& a, const CallArguments& c) {
        return Value(t.reshaped(operand(t, a, "x"), a["shape"], c.call));
    });
    m["concat"] = native("concat", "arrays, axis=0", concat);
    m["threading"] = makeNative("threading", [](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        evaluator.fail(Code::kNotInKernel, arguments.call, "tl.threading stands in a `for` statement of a kernel only");
    });
}

// Annotations are read as text by the tracer; elsewhere tl.Tensor[…] only has to be carried around.
Value tensorMarker()
{
    return makeOpaque("tilelang.Tensor");
}

const std::map<std::string, Value>& arrayMembers()
{
    static const std::map<std::string, Value> kMembers = [] {
        std::map<std::string, Value> m;
        addFunctions(m);
        addArrays(m);
        m["Tensor"] = tensorMarker();
        for (const std::string& name : ir::exportedDTypeNames())
            if (const auto type = ir::parseDType(name); type && !m.contains(name))
                m[name] = Value(*type);
        return m;
    }();
    return kMembers;
}

}  // namespace

std::shared_ptr<ModuleValue> makeArrayModule()
{
    auto module = std::make_shared<ModuleValue>();
    module->name = "tilelang";
    module->attribute = [](Evaluator&, const std::string& name) -> std::optional<Value> {
        const auto it = arrayMembers().find(name);
        return it == arrayMembers().end() ? std::nullopt : std::optional(it->second);
    };
    for (const auto& [name, value] : arrayMembers())
        module->names.push_back(name);
    return module;
}

}  // namespace tw::staging

// Attributes of dtypes, layouts and device values, and dtypes that are called (language.md c.1, b.5).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/layouts.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

using ir::DType;
using ir::Expr;

namespace {

Value method(std::string name, std::string signature, std::function<Value(Evaluator&, const BoundArguments&, const CallArguments&)> run)
{
    return makeNative(name, [name, signature = std::move(signature), run = std::move(run)](Evaluator& ev, const CallArguments& call) {
        return run(ev, ev.bind(signature, call, name), call);
    });
}

Value extentValue(const Expr& e) { return ir::asInt(e) ? Value(*ir::asInt(e)) : Value(e); }

Value extents(const std::vector<Expr>& shape)
{
    std::vector<Value> items;
    for (const auto& e : shape)
        items.push_back(extentValue(e));
    return makeTuple(std::move(items));
}

std::vector<Expr> stridesOf(const ir::BufferNode& buffer)
{
    if (!buffer.strides.empty())
        return buffer.strides;
    std::vector<Expr> strides(buffer.shape.size());
    Expr stride = ir::intImm(1);
    for (std::size_t i = strides.size(); i-- > 0;) {
        strides[i] = stride;
        stride = ir::mul(stride, buffer.shape[i]);
    }
    return strides;
}

Expr addressOf(const ir::Region& region, const ir::Provenance& where)
{
    return ir::call(ir::kHandle, {ir::OpId::kAccessPtr, {region}, {}}, where);
}

std::optional<Value> dtypeAttribute(DType type, const std::string& name)
{
    if (name == "bits")
        return Value(type.bits());
    if (name == "lanes")
        return Value(static_cast<int>(type.lanes));
    if (name == "bytes" || name == "itemsize")
        return Value((type.bits() * type.lanes + 7) / 8);
    if (name == "dtype")
        return Value(type);
    if (name == "type_code") {
        const auto family = type.family();
        return Value(family == ir::Family::kInt ? 0 : family == ir::Family::kUInt ? 1 : family == ir::Family::kFloat ? 2 : family == ir::Family::kBFloat ? 4 : 5);
    }
    if (name == "with_lanes")
        return method(name, "lanes", [type](Evaluator& ev, const BoundArguments& a, const CallArguments& call) {
            return Value(type.withLanes(static_cast<int>(requireInt(ev, a["lanes"], call.call, "lanes"))));
        });
    if (name == "as_torch" || name == "as_numpy" || name == "to_torch" || name == "element_of")
        return method(name, "", [type](Evaluator&, const BoundArguments&, const CallArguments&) { return Value(type); });
    if (name.rfind("is_", 0) == 0) {
        const std::string kind = name.substr(3);
        const std::string text = type.element().name();
        const bool is = text.rfind(kind, 0) == 0 || (kind == "float" && type.isFloating()) || (kind == "int" && type.isSigned()) ||
                        (kind == "uint" && type.isUnsigned()) || (kind == "bool" && type.isBool()) || (kind == "scalar" && type.lanes == 1) ||
                        (kind == "vector" && type.lanes > 1) || (kind == "floating_point" && type.isFloating());
        return method(name, "", [is](Evaluator&, const BoundArguments&, const CallArguments&) { return Value(is); });
    }
    return std::nullopt;
}

std::optional<Value> bufferAttribute(Evaluator& ev, const ir::Buffer& buffer, const std::string& name)
{
    if (name == "shape")
        return extents(buffer->shape);
    if (name == "dtype")
        return Value(buffer->dtype);
    if (name == "name")
        return Value(buffer->name);
    if (name == "strides" || name == "stride")
        return extents(stridesOf(*buffer));
    if (name == "ndim")
        return Value(static_cast<std::int64_t>(buffer->shape.size()));
    if (name == "data")
        return Value(addressOf(wholeRegion(buffer), provenance(ev, ev.currentRange())));
    if (name == "scope") {
        const std::string scope = buffer->staticShared ? "shared" : std::string(ir::scopeName(buffer->scope));
        return method(name, "", [scope](Evaluator&, const BoundArguments&, const CallArguments&) { return Value(scope); });
    }
    if (name == "access_ptr")
        return makeNative(name, [buffer](Evaluator& e, const CallArguments& call) {
            CallArguments all = call;
            all.items.insert(all.items.begin(), {"", std::make_shared<Value>(buffer), call.callee});
            return callNative(e, "access_ptr", all, "access_ptr");
        });
    if (name == "vload" || name == "vstore" || name == "elem_offset")
        ev.fail(Code::kNotSupported, ev.currentRange(), fmt::format("not supported: buffer.{}", name));
    return std::nullopt;
}

std::optional<Value> exprAttribute(Evaluator& ev, const Expr& e, const std::string& name)
{
    if (name == "dtype")
        return Value(e->dtype);
    if (name == "astype")
        return method(name, "dtype", [e](Evaluator& inner, const BoundArguments& a, const CallArguments& call) {
            return Value(castTo(inner, requireDType(inner, a["dtype"], a.range("dtype")), e, call.call));
        });
    if (const auto* load = ir::as<ir::Load>(e)) {
        if (name == "buffer")
            return Value(load->buffer);
        if (name == "indices") {
            std::vector<Value> items;
            for (const auto& i : load->indices)
                items.push_back(extentValue(i));
            return makeTuple(std::move(items));
        }
    }
    if (name == "value" && ir::asInt(e))
        return Value(*ir::asInt(e));
    if (const auto* f = ir::as<ir::FloatImm>(e); f && name == "value")
        return Value(f->value);
    if (const auto* var = ir::as<ir::VarNode>(e); var && name == "name")
        return Value(var->name);
    if (name == "equal")
        return makeNative(name, [e](Evaluator& inner, const CallArguments& call) {
            return inner.compare(syntax::CompareOp::kEq, e, *call.items.front().value, call.call);
        });
    (void)ev;
    return std::nullopt;
}

}  // namespace

std::optional<Value> tileAttribute(Evaluator& ev, const Value& object, const std::string& name)
{
    if (const auto* type = object.get<DType>())
        return dtypeAttribute(*type, name);
    if (const auto* layout = object.get<LayoutValue>())
        return layoutAttribute(ev, *layout, name);
    if (const auto buffer = object.buffer())
        return bufferAttribute(ev, buffer, name);
    if (const auto* var = object.get<VarValue>()) {
        if (name == "dtype")
            return Value(var->buffer->dtype);
        if (name == "astype")
            return exprAttribute(ev, loadVariable(ev, *var, ev.currentRange()), name);
        return bufferAttribute(ev, var->buffer, name);
    }
    const auto* region = object.object<const ir::Region>();
    if (const auto* ref = object.object<const RefValue>())
        region = &ref->region;
    if (region) {
        if (name == "buffer")
            return Value(region->buffer);
        if (name == "dtype")
            return Value(region->buffer->dtype);
        if (name == "shape")
            return extents(region->extents);
        if (name == "region")
            return extents(region->extents);
        if (name == "astype")
            return exprAttribute(ev, loadRegion(ev, *region, ev.currentRange()), name);
        return std::nullopt;
    }
    if (const auto e = object.expr())
        return exprAttribute(ev, e, name);
    return std::nullopt;
}

Value callDType(Evaluator& ev, DType type, const CallArguments& arguments)
{
    std::vector<Value> values;
    for (const auto& item : arguments.items)
        if (item.keyword.empty() || item.keyword == "expr" || item.keyword == "value")
            values.push_back(*item.value);
    const auto where = provenance(ev, arguments.call);
    if (values.empty())
        return Expr(std::make_shared<ir::VarNode>(type, type.name(), where));
    if (values.size() > 1) {  // T.bfloat16x2(a, b)
        if (values.size() != type.lanes)
            ev.fail(Code::kCallArguments, arguments.call, fmt::format("{} has {} lanes, but {} values are given", type.name(), type.lanes, values.size()));
        std::vector<Expr> lanes;
        for (const auto& value : values)
            lanes.push_back(toType(ev, type.element(), value, arguments.call, "a lane"));
        return vectorOf(std::move(lanes), where);
    }
    checkLiteral(ev, type, values.front(), arguments.call);
    if (const auto* text = values.front().str()) {  // T.float32("inf")
        const double sign = !text->empty() && text->front() == '-' ? -1 : 1;
        if (text->find("inf") != std::string::npos && type.isFloating())
            return ir::floatImm(sign * INFINITY, type, where);
        if (*text == "nan" && type.isFloating())
            return ir::floatImm(NAN, type, where);
    }
    return toType(ev, type, values.front(), arguments.call, fmt::format("the value of T.{}", type.name()));
}

}  // namespace tw::staging

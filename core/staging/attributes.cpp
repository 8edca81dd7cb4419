// object.name of every kind of value.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/interpreter.h"
#include "core/staging/meta_tensor.h"
#include "core/staging/trace/tracer.h"
#include "core/staging/work.h"

namespace tw::staging {
namespace {

constexpr std::int64_t kNearestAttributeSteps = 500;  // looking for the name that was meant

Method methodOf(const Value& value, const std::string& name)
{
    if (value.str())
        return stringMethod(name);
    if (value.object<ListValue>())
        return listMethod(name);
    if (value.object<const TupleValue>() || value.get<RangeValue>())
        return tupleMethod(name);
    if (value.object<DictValue>())
        return dictMethod(name);
    if (value.object<SetValue>())
        return setMethod(name);
    if (asNumber(value) && !isDevice(value))
        return numberMethod(name);
    return nullptr;
}

Value bound(Interpreter& interpreter, const std::string& name, Method method, const Value& self)
{
    return makeNative(name, [&interpreter, method, self](Evaluator&, const CallArguments& arguments) {
        return callMethod(interpreter, method, self, arguments);
    });
}

std::optional<Value> functionAttribute(const FunctionValue& function, const std::string& name)
{
    if (const auto it = function.attributes.find(name); it != function.attributes.end())
        return it->second;
    if (name == "__name__" || name == "__qualname__")
        return Value(function.name);
    if (name == "__doc__" || name == "__module__")
        return Value();
    if (name == "__wrapped__" || name == "__code__" || name == "__annotations__" || name == "__defaults__")
        return makeOpaque("function." + name);
    return std::nullopt;
}

std::optional<Value> smallAttribute(const Value& object, const std::string& name)
{
    if (const auto* slice = object.object<const SliceValue>())
        return name == "start" ? std::optional(slice->lower) : name == "stop" ? std::optional(slice->upper)
               : name == "step" ? std::optional(slice->step) : std::nullopt;
    if (const auto* range = object.get<RangeValue>())
        return name == "start" ? std::optional(Value(range->start)) : name == "stop" ? std::optional(Value(range->stop))
               : name == "step" ? std::optional(Value(range->step)) : std::nullopt;
    if (const auto* method = object.object<const BoundMethod>()) {
        if (name == "__self__")
            return method->self;
        if (name == "__func__")
            return method->function;
        if (const auto* function = method->function.object<FunctionValue>())
            return functionAttribute(*function, name);
    }
    if (const auto* native = object.object<const NativeFunction>(); native && (name == "__name__" || name == "__qualname__"))
        return Value(native->name);
    const bool isNumber = object.get<Integer>() || object.get<bool>() || object.get<double>();
    if (isNumber && (name == "real" || name == "numerator"))
        return object;
    if (isNumber && name == "imag")
        return Value(0);
    if (isNumber && name == "denominator")
        return Value(1);
    return std::nullopt;
}

}  // namespace

std::optional<Value> Interpreter::findAttribute(const Value& object, const std::string& name, const SourceRange& range)
{
    if (const auto* module = object.object<ModuleValue>()) {
        if (module->globals)
            if (const auto it = module->globals->names.find(name); it != module->globals->names.end())
                return it->second;
        if (module->attribute)
            return module->attribute(*this, name);
        return name == "__name__" ? std::optional(Value(module->name)) : std::nullopt;
    }
    if (object.object<InstanceValue>())
        return instanceAttribute(object, name, range);
    if (const auto* type = object.get<std::shared_ptr<ClassValue>>())
        return typeAttribute(*type, name);
    if (const auto* opaque = object.object<const OpaqueValue>())
        return makeOpaque(opaque->path + "." + name);
    if (object.object<const MetaTensor>())
        return tensorAttribute(*this, object, name);
    if (const auto* function = object.object<FunctionValue>())
        return functionAttribute(*function, name);
    if (const auto* kernel = object.get<std::shared_ptr<KernelValue>>())
        return setup_.host->kernelAttribute(*kernel, name);
    if (const auto* dtype = object.get<ir::DType>()) {
        if (auto found = tileAttribute(*this, object, name))
            return found;
        // dtypes are strings too
        const Method method = stringMethod(name);
        return method ? std::optional(bound(*this, name, method, Value(dtype->name()))) : std::nullopt;
    }
    if (object.get<LayoutValue>())
        return tileAttribute(*this, object, name);
    if (const Method method = methodOf(object, name))
        return bound(*this, name, method, object);
    if (auto found = smallAttribute(object, name))
        return found;
    if (name == "__getitem__")
        return makeNative(name, [this, object](Evaluator&, const CallArguments& arguments) {
            return subscript(object, positional(*this, arguments, "__getitem__", 1, 1)[0], arguments.call);
        });
    if (name == "__class__")
        return typeOf(object);
    if (name == "__doc__")
        return Value();
    return std::nullopt;
}

Value Interpreter::attribute(const Value& object, const syntax::Identifier& name)
{
    if (isDevice(object)) {
        if (hooks_)
            return hooks_->attribute(object, name);
        if (auto found = tileAttribute(*this, object, name.text))
            return *found;
        return factoryHooks_->attribute(object, name);
    }
    if (auto found = findAttribute(object, name.text, name.range))
        return *found;
    unknownAttribute(object, name);
}

void Interpreter::unknownAttribute(const Value& object, const syntax::Identifier& name)
{
    charge(kNearestAttributeSteps, name.range);
    std::vector<std::string> known = methodNames(object);
    std::string what = "a " + typeName(object);
    if (const auto* module = object.object<ModuleValue>()) {
        what = fmt::format("module `{}`", module->name);
        known = module->names;
        if (module->globals)
            for (const auto& [other, value] : module->globals->names)
                known.push_back(other);
    } else if (const auto* instance = object.object<InstanceValue>()) {
        what = fmt::format("`{}`", instance->type->name);
        for (const auto& [other, value] : instance->attributes)
            known.push_back(other);
        for (const auto& [other, value] : instance->type->attributes)
            known.push_back(other);
    } else if (const auto* type = object.object<ClassValue>()) {
        what = fmt::format("class `{}`", type->name);
        for (const auto& [other, value] : type->attributes)
            known.push_back(other);
    }
    Diagnostic diagnostic;
    diagnostic.code = Code::kAttributeUnknown;
    diagnostic.range = name.range;
    diagnostic.message = fmt::format("{} has no attribute `{}`", what, name.text);
    if (const std::string near = nearestName(name.text, known); !near.empty()) {
        diagnostic.message += fmt::format("; did you mean `{}`?", near);
        diagnostic.fixits.push_back({name.range, near});
    }
    fail(std::move(diagnostic));
}

void Interpreter::setAttribute(const Value& object, const std::string& name, Value value, const SourceRange& range)
{
    if (auto* instance = object.object<InstanceValue>()) {
        const auto found = classAttribute(*instance->type, name);
        const auto* property = found ? found->object<InstanceValue>() : nullptr;
        if (property && property->type->name == "property") {
            const auto setter = property->attributes.find("fset");
            if (setter == property->attributes.end())
                fail(Code::kAttributeUnknown, range, fmt::format("the property `{}` cannot be set", name));
            call(setter->second, {object, std::move(value)}, range);
            return;
        }
        if (const auto frozen = classAttribute(*instance->type, "__dataclass_frozen__"); frozen && !instance->attributes.contains("$init"))
            raise("AttributeError", Code::kAttributeUnknown, range, fmt::format("cannot assign to field `{}` of a frozen dataclass", name));
        instance->attributes.insert_or_assign(name, std::move(value));
    } else if (auto* type = object.object<ClassValue>()) {
        type->attributes.insert_or_assign(name, std::move(value));
    } else if (auto* function = object.object<FunctionValue>()) {
        function->attributes.insert_or_assign(name, std::move(value));
    } else if (auto* module = object.object<ModuleValue>()) {
        if (module->globals)
            module->globals->names.insert_or_assign(name, std::move(value));
    } else if (!isOpaque(object) && !object.object<const MetaTensor>() && !object.object<KernelValue>() &&
               !object.object<const NativeFunction>()) {
        fail(Code::kAttributeUnknown, range, fmt::format("a {} has no attribute `{}` that could be set", typeName(object), name));
    }
}

}  // namespace tw::staging

// Methods that make kernels and that nothing calls: their object is made from what the constructor's parameters are given.
#include "core/staging/library.h"
#include "core/staging/session.h"
#include "core/staging/walk.h"

namespace tw::staging {

namespace {

struct ObjectParameter {
    std::string name;
    SourceRange range;
    std::optional<Value> byDefault;
};

std::vector<ObjectParameter> constructorParameters(const Interpreter& interpreter, const ClassValue& type)
{
    std::vector<ObjectParameter> out;
    const auto constructor = interpreter.classAttribute(type, "__init__");
    const auto* function = constructor ? constructor->object<FunctionValue>() : nullptr;
    if (function && function->def) {
        const auto& parameters = function->def->parameters;
        for (std::size_t i = 1; i < parameters.size(); ++i) {
            const auto& p = parameters[i];
            if (p.kind == syntax::Parameter::Kind::kStar || p.kind == syntax::Parameter::Kind::kDoubleStar || p.name.text.empty())
                continue;
            out.push_back({p.name.text, p.defaultValue ? p.defaultValue->range : p.name.range, function->defaults[i]});
        }
        return out;
    }
    for (const FieldSpec& field : fieldsOf(type))  // a dataclass
        if (field.init && !field.factory)
            out.push_back({field.name, type.range, field.byDefault});
    return out;
}

bool isDecorated(const syntax::FunctionDef& def, std::string_view name)
{
    return std::any_of(def.decorators.begin(), def.decorators.end(), [&](const auto& d) { return endsWith(*d, name); });
}

// The function of a method, also of a static one and a class's one.
std::shared_ptr<FunctionValue> functionOf(const Value& value)
{
    if (const auto* function = value.get<std::shared_ptr<FunctionValue>>())
        return *function;
    const auto* wrapper = value.object<InstanceValue>();
    const bool wraps = wrapper && (wrapper->type->name == "staticmethod" || wrapper->type->name == "classmethod");
    const auto inner = wraps ? wrapper->attributes.find("func") : decltype(wrapper->attributes.end()){};
    return wraps && inner != wrapper->attributes.end() ? functionOf(inner->second) : nullptr;
}

bool isOwn(const Entry& entry, const std::string& name)
{
    const auto& parameters = entry.function->def->parameters;
    return std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name.text == name; });
}

}  // namespace

bool takesObject(const FunctionValue& function)
{
    return function.owner && function.def && !function.def->parameters.empty() && !isDecorated(*function.def, "staticmethod");
}

void Session::noteMethods(const std::shared_ptr<ClassValue>& type)
{
    std::vector<std::shared_ptr<ClassValue>> order = {type};
    order.insert(order.end(), type->bases.begin(), type->bases.end());
    for (const auto& one : order)
        for (const auto& [name, value] : one->attributes) {
            const auto found = interpreter_->classAttribute(*type, name);
            if (found && found->data.index() == value.data.index() && functionOf(*found) == functionOf(value))  // else a derived class replaces it
                noteMethod(value, type);
        }
}

void Session::noteMethod(const Value& value, const std::shared_ptr<ClassValue>& type)
{
    const auto function = functionOf(value);
    if (!function || function->module != module_ || !isCandidate(function) || function->def->parameters.empty())
        return;
    Entry& entry = entries_[entryFor(function->range, function->name, KernelForm::kFactory)];
    if (entry.function)
        return;
    entry.function = function;
    entry.isMethod = takesObject(*function);
    entry.name = type->name + "." + function->name;
    if (entry.isMethod)
        entry.built = type;
}

std::vector<std::string> Session::objectParameters(const Entry& entry) const
{
    std::vector<std::string> names;
    if (entry.built && !isDecorated(*entry.function->def, "classmethod"))
        for (const ObjectParameter& p : constructorParameters(*interpreter_, *entry.built))
            if (!isOwn(entry, p.name))
                names.push_back(p.name);
    return names;
}

std::optional<Value> Session::defaultOf(const Entry& entry, const std::string& parameter) const
{
    if (entry.kernel && !entry.kernel->configs.empty())
        if (const auto it = entry.kernel->configs.front().find(parameter); it != entry.kernel->configs.front().end())
            return it->second;
    const auto& parameters = entry.function->def->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].name.text == parameter)
            return entry.function->defaults[i];
    if (entry.built)
        for (const ObjectParameter& p : constructorParameters(*interpreter_, *entry.built))
            if (p.name == parameter)
                return p.byDefault;
    return std::nullopt;
}

bool Session::hasDefault(const Entry& entry, const std::string& parameter) const
{
    return defaultOf(entry, parameter).has_value();
}

SourceRange Session::rangeOf(const Entry& entry, const std::string& parameter) const
{
    for (const auto& p : entry.function->def->parameters)
        if (p.name.text == parameter)
            return p.defaultValue ? p.defaultValue->range : p.name.range;
    if (entry.built)
        for (const ObjectParameter& p : constructorParameters(*interpreter_, *entry.built))
            if (p.name == parameter)
                return p.range;
    return entry.range;
}

// The method's own arguments, its object among them, out of those of the constructor and its own.
std::map<std::string, Value> Session::withObject(const Entry& entry, std::map<std::string, Value> arguments)
{
    const std::string& object = entry.function->def->parameters.front().name.text;
    if (isDecorated(*entry.function->def, "classmethod")) {
        arguments[object] = Value(entry.built);
        return arguments;
    }
    CallArguments given;
    given.call = given.callee = entry.range;
    for (const ObjectParameter& p : constructorParameters(*interpreter_, *entry.built)) {
        const auto it = arguments.find(p.name);
        if (it == arguments.end() || (isOwn(entry, p.name) && p.byDefault))
            continue;
        given.items.push_back({p.name, std::make_shared<Value>(it->second), entry.range});
        if (!isOwn(entry, p.name))
            arguments.erase(it);
    }
    arguments[object] = interpreter_->instantiate(entry.built, given);
    return arguments;
}

}  // namespace tw::staging

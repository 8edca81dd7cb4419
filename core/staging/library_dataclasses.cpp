// The standard module dataclasses.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/library.h"
#include "core/staging/text.h"
#include "core/staging/work.h"

namespace tw::staging {
namespace {

using Args = const CallArguments&;
using ClassPtr = std::shared_ptr<ClassValue>;

// Used both as @decorator and as @decorator(…).
template <class F>
Value decorator(const std::string& name, F f)
{
    return native(name, [name, f](Interpreter& in, Args a) -> Value {
        if (a.items.size() == 1 && a.items[0].keyword.empty() && !a.items[0].value->isNone())
            return f(in, *a.items[0].value, CallArguments{{}, a.call, a.callee});
        return native(name, [f, options = a](Interpreter& inner, Args b) { return f(inner, *b.items.at(0).value, options); });
    });
}

Value makeField(Interpreter& in, Args a)
{
    const auto bound = in.bind("*, default=None, default_factory=None, init=True, repr=True, hash=None, compare=True, metadata=None, kw_only=None", a, "field");
    auto object = std::make_shared<InstanceValue>();
    object->type = std::make_shared<ClassValue>();
    object->type->name = "Field";
    if (bound.has("default"))
        object->attributes["default"] = bound["default"];
    if (bound.has("default_factory"))
        object->attributes["factory"] = bound["default_factory"];
    object->attributes["init"] = bound.has("init") ? bound["init"] : Value(true);
    return object;
}

Value initialise(Interpreter& in, const std::vector<FieldSpec>& fields, const std::string& className, Args a)
{
    std::string signature = "self";
    for (const FieldSpec& field : fields)
        if (field.init)
            signature += ", " + field.name + (field.byDefault || field.factory ? "=0" : "");
    const auto bound = in.bind(signature, a, className);
    auto* object = bound["self"].object<InstanceValue>();
    for (const FieldSpec& field : fields)
        if (field.init && bound.has(field.name))
            object->attributes[field.name] = bound[field.name];
        else if (field.factory)
            object->attributes[field.name] = in.call(*field.factory, {}, a.call);
        else if (field.byDefault)
            object->attributes[field.name] = *field.byDefault;
    if (const auto post = in.classAttribute(*object->type, "__post_init__")) {
        object->attributes["$init"] = Value(true);
        in.call(*post, {bound["self"]}, a.call);
        object->attributes.erase("$init");
    }
    return {};
}

Value makeDataclass(Interpreter& in, const Value& value, Args options)
{
    const auto* type = value.get<ClassPtr>();
    if (!type)
        return value;
    const auto fields = fieldsOf(**type);
    std::vector<Value> names;
    for (const FieldSpec& field : fields) {
        names.emplace_back(field.name);
        if (field.byDefault)
            (*type)->attributes[field.name] = *field.byDefault;
        else
            (*type)->attributes.erase(field.name);
    }
    (*type)->attributes["__dataclass_fields__"] = makeTuple(names);
    (*type)->attributes["__match_args__"] = makeTuple(names);
    const Value* frozen = keyword(options, "frozen");
    if (frozen && in.truth(*frozen, options.call))
        (*type)->attributes["__dataclass_frozen__"] = Value(true);
    if (!(*type)->attributes.contains("__init__"))
        (*type)->attributes["__init__"] = native("__init__", [fields, name = (*type)->name](Interpreter& inner, Args a) {
            return initialise(inner, fields, name, a);
        });
    return value;
}

Value asDict(Interpreter& in, const Value& value, const SourceRange& range, int depth = 0)
{
    const auto* object = value.object<InstanceValue>();
    const auto fields = object ? in.classAttribute(*object->type, "__dataclass_fields__") : std::nullopt;
    if (!fields || depth > 20)
        return value;
    const Value dict = makeDict();
    in.chargeMemory(256, range);
    for (const Value& name : in.iterate(*fields, range))
        dictSet(*dict.object<DictValue>(), name, asDict(in, in.attribute(value, {*name.str(), range}), range, depth + 1));
    return dict;
}

Value replaced(Interpreter&, Args a)
{
    const auto* old = a.items.at(0).value->object<InstanceValue>();
    if (!old)
        return *a.items[0].value;
    auto copy = std::make_shared<InstanceValue>(*old);
    for (const CallArgument& argument : a.items)
        if (!argument.keyword.empty())
            copy->attributes[argument.keyword] = *argument.value;
    return copy;
}

}  // namespace

std::vector<FieldSpec> fieldsOf(const ClassValue& type)
{
    std::vector<FieldSpec> fields;
    std::vector<const ClassValue*> order;
    for (auto it = type.bases.rbegin(); it != type.bases.rend(); ++it)
        order.push_back(it->get());
    order.push_back(&type);
    for (const ClassValue* one : order) {
        const auto listed = one->attributes.find("$fields");
        const auto* names = listed == one->attributes.end() ? nullptr : listed->second.object<const TupleValue>();
        for (std::size_t i = 0; names && i < names->items.size(); ++i) {
            FieldSpec field;
            field.name = *names->items[i].str();
            if (const auto it = one->attributes.find(field.name); it != one->attributes.end()) {
                const auto* spec = it->second.object<InstanceValue>();
                if (spec && spec->type->name == "Field") {
                    const auto at = [&](const char* key) -> std::optional<Value> {
                        const auto found = spec->attributes.find(key);
                        return found == spec->attributes.end() ? std::nullopt : std::optional(found->second);
                    };
                    field.byDefault = at("default");
                    field.factory = at("factory");
                    const auto init = at("init");
                    field.init = !init || !init->get<bool>() || *init->get<bool>();
                } else {
                    field.byDefault = it->second;
                }
            }
            const auto old = std::find_if(fields.begin(), fields.end(), [&](const FieldSpec& f) { return f.name == field.name; });
            if (old == fields.end())
                fields.push_back(std::move(field));
            else
                *old = std::move(field);
        }
    }
    return fields;
}

std::optional<Value> dataclassesMember(Interpreter&, const std::string& name)
{
    if (name == "dataclass")
        return decorator("dataclass", makeDataclass);
    if (name == "field")
        return native("field", makeField);
    if (name == "asdict" || name == "astuple")
        return native(name, [name](Interpreter& in, Args a) -> Value {
            const Value dict = asDict(in, *a.items.at(0).value, a.call);
            if (name == "asdict" || !dict.object<DictValue>())
                return dict;
            return makeTuple(dictMethod("values")(in, dict, a).object<ListValue>()->items);
        });
    if (name == "replace")
        return native("replace", replaced);
    if (name == "fields")
        return native("fields", [](Interpreter& in, Args a) -> Value {
            std::vector<Value> out;
            for (const Value& field : in.iterate(in.attribute(*a.items.at(0).value, {"__dataclass_fields__", a.call}), a.call)) {
                auto object = std::make_shared<InstanceValue>();
                object->type = std::make_shared<ClassValue>();
                object->type->name = "Field";
                object->attributes["name"] = field;
                out.emplace_back(object);
            }
            return makeTuple(std::move(out));
        });
    return makeOpaque("dataclasses." + name);
}

}  // namespace tw::staging

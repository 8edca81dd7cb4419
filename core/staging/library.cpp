// Standard modules that make classes: enum, collections.
#include "core/staging/library.h"

#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/text.h"
#include "core/staging/work.h"

namespace tw::staging {
namespace {

using Args = const CallArguments&;
using ClassPtr = std::shared_ptr<ClassValue>;

// ---- enum -------------------------------------------------------------------------------------------------------------

void finishEnum(Interpreter& in, const ClassPtr& type, const SourceRange& range)
{
    const bool isNumber = std::any_of(type->bases.begin(), type->bases.end(), [](const auto& b) {
        return b->name == "IntEnum" || b->name == "IntFlag" || b->name == "int" || b->name == "str" || b->name == "StrEnum";
    });
    const Value members = makeDict();
    std::vector<std::pair<std::string, Value>> wanted;
    for (const auto& [name, value] : type->attributes)
        if (name[0] != '_' && name[0] != '$' && !value.object<FunctionValue>() && !value.object<InstanceValue>())
            wanted.emplace_back(name, value);
    // Class attributes are kept by name; members count in the order of their values where these are numbers.
    std::stable_sort(wanted.begin(), wanted.end(), [](const auto& x, const auto& y) {
        const auto m = asInteger(x.second), n = asInteger(y.second);
        return m && n && *m < *n;
    });
    Integer next = 1;
    for (auto& [name, value] : wanted) {
        if (isOpaque(value) && value.object<const OpaqueValue>()->path == "enum.auto")
            value = Value(next);
        if (const auto i = asInteger(value))
            next = *i + 1;
        auto member = std::make_shared<InstanceValue>();
        member->type = type;
        member->attributes["name"] = Value(name);
        member->attributes["value"] = value;
        if (isNumber)
            member->attributes["$data"] = value;
        type->attributes[name] = Value(member);
        dictSet(*members.object<DictValue>(), Value(name), Value(member));
    }
    (void)in;
    (void)range;
    type->attributes["$members"] = members;
    type->attributes["$construct"] = native("Enum", [](Interpreter& inner, Args a) -> Value {
        const auto* cls = a.items.at(0).value->object<ClassValue>();
        const Value wantedValue = a.items.size() > 1 ? *a.items[1].value : Value();
        for (const auto& [name, member] : inner.classAttribute(*cls, "$members")->object<DictValue>()->items)
            if (equalValues(member.object<InstanceValue>()->attributes.at("value"), wantedValue) || equalValues(member, wantedValue))
                return member;
        inner.raise("ValueError", Code::kValueRange, a.call, fmt::format("{} is no value of `{}`", repr(wantedValue), cls->name));
    });
}

// ---- collections ------------------------------------------------------------------------------------------------------

Value makeNamedTuple(const std::string& name, const std::vector<std::string>& fields, const std::map<std::string, Value>& defaults)
{
    auto type = std::make_shared<ClassValue>();
    type->name = name;
    std::string signature = "cls";
    std::vector<Value> names;
    for (const std::string& field : fields) {
        signature += ", " + field + (defaults.contains(field) ? "=0" : "");
        names.emplace_back(field);
    }
    type->attributes["_fields"] = makeTuple(names);
    type->attributes["__match_args__"] = makeTuple(names);
    type->attributes["$construct"] = native(name, [signature, fields, defaults, name](Interpreter& in, Args a) -> Value {
        const auto bound = in.bind(signature, a, name);
        auto object = std::make_shared<InstanceValue>();
        object->type = *bound["cls"].get<ClassPtr>();
        std::vector<Value> items;
        for (const std::string& field : fields) {
            items.push_back(bound.has(field) ? bound[field] : defaults.at(field));
            object->attributes[field] = items.back();
        }
        object->attributes["$data"] = makeTuple(std::move(items));
        return object;
    });
    type->attributes["_asdict"] = native("_asdict", [fields](Interpreter& in, Args a) {
        const Value dict = makeDict();
        for (const std::string& field : fields)
            dictSet(*dict.object<DictValue>(), Value(field), in.attribute(*a.items.at(0).value, {field, a.call}));
        return dict;
    });
    type->attributes["_replace"] = native("_replace", [fields](Interpreter& in, Args a) -> Value {
        const auto* old = a.items.at(0).value->object<InstanceValue>();
        CallArguments made;
        made.call = made.callee = a.call;
        for (const std::string& field : fields) {
            const Value* given = keyword(a, field);
            made.items.push_back({"", std::make_shared<Value>(given ? *given : old->attributes.at(field)), a.call});
        }
        return in.call(Value(old->type), made);
    });
    return type;
}

Value namedtuple(Interpreter& in, Args a)
{
    const auto bound = in.bind("typename, field_names, *, defaults=None, rename=False, module=None", a, "namedtuple");
    std::vector<std::string> fields;
    if (const auto* text = bound["field_names"].str()) {
        std::string word;
        for (const char c : *text + " ") {
            if (c != ' ' && c != ',') {
                word += c;
            } else if (!word.empty()) {
                fields.push_back(std::move(word));
                word.clear();
            }
        }
    } else {
        for (const Value& field : in.iterate(bound["field_names"], a.call)) {
            const auto* pair = field.object<const TupleValue>();  // typing.NamedTuple("N", [("x", int)])
            fields.push_back(plainText(pair && !pair->items.empty() ? pair->items[0] : field));
        }
    }
    std::map<std::string, Value> defaults;
    if (!bound["defaults"].isNone()) {
        const auto values = in.iterate(bound["defaults"], a.call);
        for (std::size_t i = 0; i < values.size() && i < fields.size(); ++i)
            defaults[fields[fields.size() - 1 - i]] = values[values.size() - 1 - i];
    }
    return makeNamedTuple(plainText(bound["typename"]), fields, defaults);
}

ClassPtr dictLike(Interpreter& in, const char* name)
{
    auto type = std::make_shared<ClassValue>();
    type->name = name;
    type->bases = {in.builtinClass("dict")};
    return type;
}

Value makeDefaultDict(Interpreter& in)
{
    const ClassPtr type = dictLike(in, "defaultdict");
    type->attributes["__init__"] = native("__init__", [](Interpreter& inner, Args a) -> Value {
        auto* object = a.items.at(0).value->object<InstanceValue>();
        object->attributes["$factory"] = a.items.size() > 1 ? *a.items[1].value : Value();
        CallArguments rest = a;
        rest.items.erase(rest.items.begin(), rest.items.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, a.items.size())));
        dictMethod("update")(inner, object->attributes.at("$data"), rest);
        return {};
    });
    type->attributes["__missing__"] = native("__missing__", [](Interpreter& inner, Args a) -> Value {
        auto* object = a.items.at(0).value->object<InstanceValue>();
        const Value key = *a.items.at(1).value;
        if (object->attributes["$factory"].isNone())
            inner.raise("KeyError", Code::kValueRange, a.call, fmt::format("the dict has no key {}", repr(key)));
        Value made = inner.call(object->attributes["$factory"], {}, a.call);
        auto& data = *object->attributes.at("$data").object<DictValue>();
        chargeKey(inner, data, key, a.call);
        dictSet(data, key, made);
        return made;
    });
    return type;
}

Value makeCounter(Interpreter& in)
{
    const ClassPtr type = dictLike(in, "Counter");
    type->attributes["__init__"] = native("__init__", [](Interpreter& inner, Args a) -> Value {
        auto& data = *a.items.at(0).value->object<InstanceValue>()->attributes.at("$data").object<DictValue>();
        if (a.items.size() > 1)
            for (const Value& item : inner.iterate(*a.items[1].value, a.call)) {
                chargeKey(inner, data, item, a.call);
                const Value* old = dictFind(data, item);
                dictSet(data, item, Value(old ? asInteger(*old).value_or(0) + 1 : Integer{1}));
            }
        return {};
    });
    type->attributes["__missing__"] = native("__missing__", [](Interpreter&, Args) { return Value(0); });
    return type;
}

}  // namespace

Value native(std::string name, std::function<Value(Interpreter&, Args)> f)
{
    return makeNative(std::move(name), [f = std::move(f)](Evaluator& e, Args a) { return f(static_cast<Interpreter&>(e), a); });
}

Value markerClass(const char* name)
{
    auto type = std::make_shared<ClassValue>();
    type->name = name;
    return type;
}

std::optional<Value> enumMember(Interpreter&, const std::string& name)
{
    if (name == "auto")
        return native("auto", [](Interpreter&, Args) { return makeOpaque("enum.auto"); });
    if (name == "unique")
        return native("unique", [](Interpreter& in, Args a) { return positional(in, a, "unique", 1, 1)[0]; });
    if (name == "Enum" || name == "IntEnum" || name == "Flag" || name == "IntFlag" || name == "StrEnum")
        return markerClass(name.c_str());
    return makeOpaque("enum." + name);
}

std::optional<Value> collectionsMember(Interpreter& in, const std::string& name)
{
    if (name == "namedtuple")
        return native("namedtuple", namedtuple);
    if (name == "defaultdict")
        return makeDefaultDict(in);
    if (name == "Counter")
        return makeCounter(in);
    if (name == "OrderedDict")
        return *in.builtin("dict");
    if (name == "deque")
        return native("deque", [](Interpreter& inner, Args a) -> Value {
            const auto bound = inner.bind("iterable=None, maxlen=None", a, "deque");
            return makeList(bound.has("iterable") ? inner.iterate(bound["iterable"], a.call) : std::vector<Value>());
        });
    return makeOpaque("collections." + name);
}

std::shared_ptr<ModuleValue> makeLibraryModule(Interpreter& interpreter, const std::string& name)
{
    using Member = std::optional<Value> (*)(Interpreter&, const std::string&);
    static const std::map<std::string, Member> kModules = {
        {"dataclasses", dataclassesMember}, {"enum", enumMember},  {"collections", collectionsMember},
        {"contextlib", contextlibMember},   {"sys", sysMember},    {"types", typesMember},
        {"copy", copyMember},               {"abc", abcMember}};
    const auto it = kModules.find(name);
    if (it == kModules.end())
        return nullptr;
    auto module = std::make_shared<ModuleValue>();
    module->name = name;
    // One object for each member: classes are compared by identity.
    auto made = std::make_shared<std::map<std::string, Value>>();
    module->attribute = [&interpreter, member = it->second, made](Evaluator&, const std::string& attribute) -> std::optional<Value> {
        if (const auto old = made->find(attribute); old != made->end())
            return old->second;
        auto value = member(interpreter, attribute);
        if (value)
            made->emplace(attribute, *value);
        return value;
    };
    return module;
}

void finishClass(Interpreter& interpreter, const std::shared_ptr<ClassValue>& type, const SourceRange& range)
{
    if (type->attributes.contains("$namedtuple")) {
        std::vector<std::string> fields;
        std::map<std::string, Value> defaults;
        for (const FieldSpec& field : fieldsOf(*type)) {
            fields.push_back(field.name);
            if (field.byDefault)
                defaults[field.name] = *field.byDefault;
        }
        const Value made = makeNamedTuple(type->name, fields, defaults);
        for (const auto& [name, value] : made.object<ClassValue>()->attributes)
            type->attributes.insert_or_assign(name, value);
        return;
    }
    for (const auto& base : type->bases)
        if (base->name == "Enum" || base->name == "IntEnum" || base->name == "Flag" || base->name == "IntFlag" ||
            base->name == "StrEnum") {
            finishEnum(interpreter, type, range);
            return;
        }
}

}  // namespace tw::staging

// Small standard modules: contextlib, copy, sys, types, abc.
#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/library.h"
#include "core/staging/work.h"

namespace tw::staging {
namespace {

using Args = const CallArguments&;

Value contextObject(Value entered, std::function<Value(Interpreter&, Args)> leave)
{
    auto object = std::make_shared<InstanceValue>();
    object->type = std::make_shared<ClassValue>();
    object->type->name = "context";
    object->attributes["__enter__"] = native("__enter__", [entered](Interpreter&, Args) { return entered; });
    object->attributes["__exit__"] = native("__exit__", std::move(leave));
    return object;
}

// The generator has run to its end when the context opens: nothing after `yield` may change what is staged.
Value contextManager(Interpreter& in, Args a)
{
    const Value function = positional(in, a, "contextmanager", 1, 1)[0];
    return native("contextmanager", [function](Interpreter& inner, Args b) -> Value {
        const Value generator = inner.call(function, b);
        if (isOpaque(generator))
            return generator;
        auto first = inner.iterator(generator, b.call)->next(inner);
        return contextObject(first.value_or(Value()), [](Interpreter&, Args) { return Value(); });
    });
}

Value suppress(Interpreter&, Args a)
{
    std::vector<Value> types;
    for (const CallArgument& argument : a.items)
        types.push_back(*argument.value);
    return contextObject(Value(), [types](Interpreter& in, Args b) -> Value {
        return b.items.size() > 1 && !b.items[1].value->isNone() && in.isInstance(*b.items[1].value, makeTuple(types), b.call);
    });
}

Value shallowCopy(const Value& value)
{
    if (const auto* list = value.object<ListValue>())
        return makeList(list->items);
    if (const auto* dict = value.object<DictValue>())
        return copyOf(*dict);
    if (const auto* set = value.object<SetValue>())
        return copyOf(*set);
    if (const auto* object = value.object<InstanceValue>())
        return std::make_shared<InstanceValue>(*object);
    return value;
}

Value deepCopy(Interpreter& in, const Value& value, const SourceRange& range, int depth = 0)
{
    in.chargeMemory(256 + sizeOf(value), range);
    Value out = shallowCopy(value);
    if (depth > 50)
        return out;
    const auto each = [&](std::vector<Value>& items) {
        for (Value& item : items)
            item = deepCopy(in, item, range, depth + 1);
    };
    if (auto* list = out.object<ListValue>())
        each(list->items);
    else if (auto* dict = out.object<DictValue>())
        for (auto& [key, item] : dict->items)
            item = deepCopy(in, item, range, depth + 1);
    else if (auto* object = out.object<InstanceValue>())
        for (auto& [name, item] : object->attributes)
            item = deepCopy(in, item, range, depth + 1);
    return out;
}

}  // namespace

std::optional<Value> sysMember(Interpreter&, const std::string& name)
{
    if (name == "exit")
        return native("exit", [](Interpreter& in, Args a) -> Value {
            in.call(*in.builtin("SystemExit"), a);
            in.raise("SystemExit", Code::kRaised, a.call, "the file ends itself with sys.exit");
        });
    if (name == "argv")
        return makeList({Value("kernel.py")});
    if (name == "platform")
        return Value("linux");
    if (name == "maxsize")
        return Value(std::numeric_limits<std::int64_t>::max());
    if (name == "version_info")
        return makeTuple({3, 12, 0});
    if (name == "path")
        return makeList({});
    if (name == "modules")
        return makeDict();
    return makeOpaque("sys." + name);
}

std::optional<Value> typesMember(Interpreter&, const std::string& name)
{
    if (name == "SimpleNamespace") {
        auto type = std::make_shared<ClassValue>();
        type->name = name;
        type->attributes["__init__"] = native("__init__", [](Interpreter&, Args a) -> Value {
            for (std::size_t i = 1; i < a.items.size(); ++i)
                a.items[0].value->object<InstanceValue>()->attributes[a.items[i].keyword] = *a.items[i].value;
            return {};
        });
        return Value(type);
    }
    return makeOpaque("types." + name);
}

std::optional<Value> copyMember(Interpreter&, const std::string& name)
{
    if (name == "copy")
        return native(name, [](Interpreter& in, Args a) { return shallowCopy(positional(in, a, "copy", 1, 1)[0]); });
    if (name == "deepcopy")
        return native(name, [](Interpreter& in, Args a) { return deepCopy(in, positional(in, a, "deepcopy", 1, 2)[0], a.call); });
    return std::nullopt;
}

std::optional<Value> abcMember(Interpreter&, const std::string& name)
{
    if (name == "ABC" || name == "ABCMeta")
        return markerClass(name.c_str());
    if (name.starts_with("abstract"))
        return native(name, [](Interpreter& in, Args a) { return positional(in, a, "abstractmethod", 1, 1)[0]; });
    return std::nullopt;
}

std::optional<Value> contextlibMember(Interpreter&, const std::string& name)
{
    if (name == "contextmanager")
        return native("contextmanager", contextManager);
    if (name == "suppress")
        return native("suppress", suppress);
    if (name == "nullcontext")
        return native("nullcontext", [](Interpreter& in, Args a) {
            const auto args = positional(in, a, "nullcontext", 0, 1);
            return contextObject(args.empty() ? Value() : args[0], [](Interpreter&, Args) { return Value(); });
        });
    return makeOpaque("contextlib." + name);
}

}  // namespace tw::staging

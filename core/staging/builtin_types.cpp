// Builtin types and exceptions of Python.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/integer_math.h"
#include "core/staging/text.h"
#include "core/staging/work.h"

namespace tw::staging {
namespace {

using Args = const CallArguments&;

void refuseUnknown(Interpreter& in, Args a, const char* name, const char* instead)
{
    for (const CallArgument& argument : a.items)
        if (isDevice(*argument.value) && !asNumber(*argument.value))
            in.fail(Code::kRuntimeCondition, a.call,
                    fmt::format("Python's `{}` needs a value that is known while staging; use {} on run-time values", name, instead));
}

std::optional<double> parseFloat(std::string text)
{
    const auto isSpace = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (!text.empty() && isSpace(text.back()))
        text.pop_back();
    const auto first = std::find_if_not(text.begin(), text.end(), isSpace);
    text.erase(text.begin(), first);
    std::erase(text, '_');
    const bool negative = text.starts_with("-");
    if (negative || text.starts_with("+"))
        text.erase(0, 1);
    for (char& c : text)
        c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    double value = 0;
    if (text == "inf" || text == "infinity")
        value = HUGE_VAL;
    else if (text == "nan")
        value = NAN;
    else if (const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
             end.ec != std::errc() || end.ptr != text.data() + text.size())
        return std::nullopt;
    return negative ? -value : value;
}

Value makeInt(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "int", 0, 2);
    if (args.empty())
        return 0;
    refuseUnknown(in, a, "int", "T.cast");
    const Value& v = underlying(args[0]);
    if (isOpaque(v) || v.object<const MetaTensor>())
        return makeOpaque("int");
    if (v.str() || v.get<ir::DType>()) {
        const Integer base = args.size() > 1 ? integerArgument(in, args[1], a.call, "the base") : Integer{10};
        const std::string text = plainText(v);
        chargeText(in, 16 * text.size(), a.call);
        const auto i = base < 0 || base > 36 ? std::nullopt : parseInteger(text, static_cast<int>(base));
        if (!i)
            in.raise("ValueError", Code::kValueRange, a.call, fmt::format("{} is no integer", repr(v)));
        return Value(*i);
    }
    if (const auto i = asInteger(v))
        return Value(*i);
    if (const auto d = asNumber(v)) {
        const auto i = toInteger(*d);
        if (!i)
            in.raise("ValueError", Code::kValueRange, a.call, fmt::format("{} has no integer value", floatText(*d)));
        return Value(*i);
    }
    if (auto method = v.object<InstanceValue>() ? in.findAttribute(v, "__int__", a.call) : std::nullopt)
        return in.call(*method, {}, a.call);
    in.fail(Code::kTypeMismatch, a.call, fmt::format("`int` does not take {}", typeName(v)));
}

Value makeFloat(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "float", 0, 1);
    if (args.empty())
        return 0.0;
    refuseUnknown(in, a, "float", "T.cast");
    const Value& v = underlying(args[0]);
    if (isOpaque(v) || v.object<const MetaTensor>())
        return makeOpaque("float");
    if (const auto* text = v.str()) {
        if (const auto d = parseFloat(*text))
            return Value(*d);
        in.raise("ValueError", Code::kValueRange, a.call, fmt::format("{} is no number", repr(v)));
    }
    if (const auto d = asNumber(v))
        return Value(*d);
    if (auto method = v.object<InstanceValue>() ? in.findAttribute(v, "__float__", a.call) : std::nullopt)
        return in.call(*method, {}, a.call);
    in.fail(Code::kTypeMismatch, a.call, fmt::format("`float` does not take {}", typeName(v)));
}

Value makeBool(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "bool", 0, 1);
    if (args.empty())
        return false;
    const auto known = in.knownTruth(args[0], a.call);
    return known ? Value(*known) : makeOpaque("bool");
}

Value makeStr(Interpreter& in, Args a)
{
    if (a.items.empty())
        return "";
    const Value& v = *a.items[0].value;
    return isOpaque(v) ? v : Value(in.text(v, a.call));
}

Value makeListOf(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "list", 0, 1);
    if (!args.empty() && isOpaque(args[0]))
        return args[0];
    Value made = makeList(args.empty() ? std::vector<Value>() : in.iterate(args[0], a.call));
    if (!args.empty())
        in.chargeMemory(sizeOf(made), a.call);
    return made;
}

Value makeTupleOf(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "tuple", 0, 1);
    if (!args.empty() && isOpaque(args[0]))
        return args[0];
    Value made = makeTuple(args.empty() ? std::vector<Value>() : in.iterate(args[0], a.call));
    if (!args.empty())
        in.chargeMemory(sizeOf(made), a.call);
    return made;
}

Value makeDictOf(Interpreter& in, Args a)
{
    const Value dict = makeDict();
    dictMethod("update")(in, dict, a);
    return dict;
}

template <bool frozen>
Value makeSetOf(Interpreter& in, Args a)
{
    const auto args = positional(in, a, frozen ? "frozenset" : "set", 0, 1);
    if (!args.empty() && isOpaque(args[0]))
        return args[0];
    return makeSet(in, args.empty() ? std::vector<Value>() : in.iterate(args[0], a.call), a.call, frozen);
}

Value makeType(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "type", 1, 3);
    if (args.size() == 1)
        return in.typeOf(args[0]);
    auto type = std::make_shared<ClassValue>();
    type->name = plainText(args[0]);
    if (args.size() > 2)
        if (const auto* dict = args[2].object<DictValue>())
            for (const auto& [key, value] : dict->items)
                type->attributes[plainText(key)] = value;
    return type;
}

Value makeSlice(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "slice", 1, 3);
    SliceValue slice;
    slice.lower = args.size() > 1 ? args[0] : Value();
    slice.upper = args.size() > 1 ? args[1] : args[0];
    slice.step = args.size() > 2 ? args[2] : Value();
    return std::make_shared<const SliceValue>(std::move(slice));
}

// property, staticmethod, classmethod: objects that attribute look-up understands.
std::shared_ptr<InstanceValue> wrap(const std::shared_ptr<ClassValue>& type, const char* slot, const Value& function)
{
    auto object = std::make_shared<InstanceValue>();
    object->type = type;
    object->attributes[slot] = function;
    return object;
}

void addWrappers(Environment& scope)
{
    for (const auto& [name, slot] : {std::pair{"property", "fget"}, {"staticmethod", "func"}, {"classmethod", "func"},
                                     {"cached_property", "fget"}}) {
        auto type = std::make_shared<ClassValue>();
        type->name = name;
        const std::weak_ptr<ClassValue> weak = type;
        type->construct = [weak, slot = slot](Evaluator&, Args a) -> Value {
            return wrap(weak.lock(), slot, a.items.empty() ? Value() : *a.items[0].value);
        };
        if (std::string_view(name) == "property")
            for (const char* kind : {"setter", "getter", "deleter"})
                type->attributes[kind] = makeNative(kind, [weak, kind](Evaluator&, Args a) -> Value {
                    const auto* old = a.items[0].value->object<InstanceValue>();
                    auto object = wrap(weak.lock(), std::string_view(kind) == "setter" ? "fset" : "fdel", *a.items[1].value);
                    object->attributes.insert(old->attributes.begin(), old->attributes.end());
                    return object;
                });
        scope.names[name] = Value(type);
    }
}

}  // namespace

void addBuiltinTypes(Environment& scope)
{
    using Function = Value (*)(Interpreter&, Args);
    static const std::pair<const char*, Function> kTypes[] = {
        {"int", makeInt}, {"float", makeFloat}, {"bool", makeBool}, {"str", makeStr}, {"list", makeListOf},
        {"tuple", makeTupleOf}, {"dict", makeDictOf}, {"set", makeSetOf<false>}, {"frozenset", makeSetOf<true>},
        {"type", makeType}, {"slice", makeSlice}, {"bytes", makeStr}, {"bytearray", makeStr}};
    for (const auto& [name, make] : kTypes) {
        auto type = std::make_shared<ClassValue>();
        type->name = name;
        type->construct = [make = make](Evaluator& e, Args a) { return make(static_cast<Interpreter&>(e), a); };
        scope.names[name] = Value(type);
    }
    for (const char* name : {"object", "super", "function", "NoneType"}) {
        auto type = std::make_shared<ClassValue>();
        type->name = name;
        scope.names[name] = Value(type);
    }
    scope.names["complex"] = makeOpaque("complex");
    scope.names["memoryview"] = makeOpaque("memoryview");
    scope.names["NotImplemented"] = makeOpaque("NotImplemented");
    scope.names["Ellipsis"] = Value(Value::Storage(EllipsisValue{}));
    scope.names["__debug__"] = Value(true);
    addWrappers(scope);
}

void addExceptions(Environment& scope)
{
    static const std::pair<const char*, const char*> kExceptions[] = {
        {"BaseException", ""}, {"Exception", "BaseException"}, {"KeyboardInterrupt", "BaseException"},
        {"SystemExit", "BaseException"}, {"GeneratorExit", "BaseException"}, {"ArithmeticError", "Exception"},
        {"ZeroDivisionError", "ArithmeticError"}, {"OverflowError", "ArithmeticError"}, {"AssertionError", "Exception"},
        {"AttributeError", "Exception"}, {"ImportError", "Exception"}, {"ModuleNotFoundError", "ImportError"},
        {"LookupError", "Exception"}, {"IndexError", "LookupError"}, {"KeyError", "LookupError"}, {"MemoryError", "Exception"},
        {"NameError", "Exception"}, {"UnboundLocalError", "NameError"}, {"OSError", "Exception"},
        {"FileNotFoundError", "OSError"}, {"FileExistsError", "OSError"}, {"PermissionError", "OSError"},
        {"TimeoutError", "OSError"}, {"RuntimeError", "Exception"}, {"NotImplementedError", "RuntimeError"},
        {"RecursionError", "RuntimeError"}, {"StopIteration", "Exception"}, {"TypeError", "Exception"},
        {"ValueError", "Exception"}, {"UnicodeError", "ValueError"}, {"UnicodeDecodeError", "UnicodeError"},
        {"BufferError", "Exception"}, {"EOFError", "Exception"}, {"Warning", "Exception"}, {"UserWarning", "Warning"},
        {"DeprecationWarning", "Warning"}, {"RuntimeWarning", "Warning"}, {"FutureWarning", "Warning"},
        {"SyntaxError", "Exception"}, {"IOError", "OSError"}, {"EnvironmentError", "OSError"}};
    for (const auto& [name, base] : kExceptions) {
        auto type = std::make_shared<ClassValue>();
        type->name = name;
        if (*base) {
            const auto parent = *scope.names[base].get<std::shared_ptr<ClassValue>>();
            type->bases.push_back(parent);
            type->bases.insert(type->bases.end(), parent->bases.begin(), parent->bases.end());
        }
        scope.names[name] = Value(type);
    }
}

std::shared_ptr<Environment> makeBuiltins()
{
    auto scope = std::make_shared<Environment>();
    addBuiltinFunctions(*scope);
    addReflectionFunctions(*scope);
    addBuiltinTypes(*scope);
    addExceptions(*scope);
    return scope;
}

Value makeFieldList(const Value& old, const std::string& name)
{
    std::vector<Value> names;
    if (const auto* list = old.object<const TupleValue>())
        names = list->items;
    names.emplace_back(name);
    return makeTuple(std::move(names));
}

}  // namespace tw::staging

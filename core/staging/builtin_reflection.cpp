// Builtin functions of Python that look at objects and text.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/integer_math.h"
#include "core/staging/text.h"
#include "core/staging/work.h"

namespace tw::staging {
namespace {

using Args = const CallArguments&;

Value isinstance(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "isinstance", 2, 2);
    return in.isInstance(args[0], args[1], a.call);
}

Value issubclass(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "issubclass", 2, 2);
    const auto* type = args[0].object<ClassValue>();
    if (!type)
        return makeOpaque("issubclass");
    const auto isBase = [&](const Value& other) {
        const auto* base = other.object<ClassValue>();
        return base == type || std::any_of(type->bases.begin(), type->bases.end(), [&](const auto& b) { return b.get() == base; });
    };
    const auto* several = args[1].object<const TupleValue>();
    return several ? std::any_of(several->items.begin(), several->items.end(), isBase) : isBase(args[1]);
}

Value getattr(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "getattr", 2, 3);
    if (!args[1].str() && !args[1].get<ir::DType>())
        return makeOpaque("getattr");
    const std::string name = plainText(args[1]);
    if (args.size() < 3)
        return in.attribute(args[0], {name, a.items[1].range});
    if (isOpaque(args[0]))
        return in.attribute(args[0], {name, a.call});
    return in.findAttribute(args[0], name, a.call).value_or(args[2]);
}

Value hasattr(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "hasattr", 2, 2);
    if (isOpaque(args[0]) || !args[1].str())
        return makeOpaque("hasattr");
    const auto found = in.findAttribute(args[0], *args[1].str(), a.call);
    return found && isOpaque(*found) && args[0].object<ModuleValue>() ? makeOpaque("hasattr") : Value(found.has_value());
}

Value setattr(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "setattr", 3, 3);
    in.setAttribute(args[0], plainText(args[1]), args[2], a.call);
    return {};
}

Value callable(Interpreter& in, Args a)
{
    const Value v = positional(in, a, "callable", 1, 1)[0];
    if (const auto* object = v.object<InstanceValue>())
        return in.classAttribute(*object->type, "__call__").has_value() || object->type->isOpaqueBase;
    if (isOpaque(v))
        return v;
    return v.object<FunctionValue>() || v.object<const NativeFunction>() || v.object<const BoundMethod>() ||
           v.object<ClassValue>() || v.object<KernelValue>() || v.get<ir::DType>();
}

Value next(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "next", 1, 2);
    if (isOpaque(args[0]))
        return args[0];
    if (auto method = args[0].object<InstanceValue>() ? in.findAttribute(args[0], "__next__", a.call) : std::nullopt)
        return in.call(*method, {}, a.call);
    if (auto item = in.iterator(args[0], a.call)->next(in))
        return *item;
    if (args.size() > 1)
        return args[1];
    in.raise("StopIteration", Code::kRaised, a.call, "the iterator has no further item");
}

Value iter(Interpreter& in, Args a) { return Value(in.iterator(positional(in, a, "iter", 1, 2)[0], a.call)); }
Value reprOf(Interpreter& in, Args a)
{
    const Value v = positional(in, a, "repr", 1, 1)[0];
    if (auto method = v.object<InstanceValue>() ? in.findAttribute(v, "__repr__", a.call) : std::nullopt)
        return in.call(*method, {}, a.call);
    if (isOpaque(v))
        return v;
    std::string text = repr(v);
    chargePrint(in, text.size(), a.call);
    in.chargeMemory(static_cast<Integer>(text.size()), a.call);
    return Value(std::move(text));
}
Value identity(Interpreter& in, Args a)
{
    const Value v = positional(in, a, "id", 1, 1)[0];
    chargeKey(in, v, a.call);
    return Value(static_cast<std::int64_t>(hashValue(v) & 0xFFFFFFFF));
}
Value hash(Interpreter& in, Args a)
{
    const Value v = positional(in, a, "hash", 1, 1)[0];
    chargeKey(in, v, a.call);
    if (!isHashable(v))
        in.fail(Code::kTypeMismatch, a.call, fmt::format("a {} cannot be hashed", typeName(v)));
    return Value(static_cast<std::int64_t>(hashValue(v) & 0x7FFFFFFF));
}
// The names of a scope, charged as the dict that they become.
const std::map<std::string, Value, std::less<>>& countedNames(Interpreter& in, const Environment& scope, Args a)
{
    chargeItems(in, 8 * scope.names.size(), a.call);
    in.chargeMemory(static_cast<Integer>(scope.names.size() * 144), a.call);
    return scope.names;
}
Value vars(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "vars", 0, 1);
    if (!args.empty())
        if (auto dict = in.findAttribute(args[0], "__dict__", a.call))
            return *dict;
    const Value dict = makeDict();
    if (const auto scope = in.currentScope())
        for (const auto& [name, value] : countedNames(in, *scope, a))
            dictSet(*dict.object<DictValue>(), Value(name), value);
    return dict;
}
Value globals(Interpreter& in, Args a)
{
    const Value dict = makeDict();
    auto scope = in.currentScope();
    while (scope && scope->parent)
        scope = scope->parent;
    if (scope)
        for (const auto& [name, value] : countedNames(in, *scope, a))
            dictSet(*dict.object<DictValue>(), Value(name), value);
    return dict;
}
Value ord(Interpreter& in, Args a)
{
    const Value v = positional(in, a, "ord", 1, 1)[0];
    return v.str() && v.str()->size() == 1 ? Value(static_cast<int>(static_cast<unsigned char>((*v.str())[0]))) : makeOpaque("ord");
}
Value chr(Interpreter& in, Args a)
{
    const Integer i = integerArgument(in, positional(in, a, "chr", 1, 1)[0], a.call, "a code point");
    return i >= 0 && i < 128 ? Value(std::string(1, static_cast<char>(i))) : makeOpaque("chr");
}
template <int base>
Value digits(Interpreter& in, Args a)
{
    const Integer i = integerArgument(in, positional(in, a, "hex", 1, 1)[0], a.call, "the argument");
    std::string text = integerText(i, base);
    if (i < 0)
        text.erase(0, 1);
    return (i < 0 ? "-0" : "0") + std::string(1, base == 16 ? 'x' : base == 8 ? 'o' : 'b') + text;
}
Value formatOf(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "format", 1, 2);
    std::string text = formatValue(args[0], args.size() > 1 ? plainText(args[1]) : "").value_or(plainText(args[0]));
    chargePrint(in, text.size(), a.call);
    in.chargeMemory(static_cast<Integer>(text.size()), a.call);
    return Value(std::move(text));
}
Value dir(Interpreter& in, Args a)
{
    std::vector<Value> names;
    for (const Value& v : positional(in, a, "dir", 0, 1))
        for (const std::string& name : methodNames(v))
            names.emplace_back(name);
    return makeList(std::move(names));
}

// Files, input and code from text are never touched while staging.
Value refuse(Interpreter& in, Args a, const char* name)
{
    if (!in.surveying())
        in.fail(Code::kForeignInKernel, a.call,
                fmt::format("`{}` is not available while a kernel is staged: the compiler reads no files and runs no foreign code", name));
    return makeOpaque(name);
}

}  // namespace

void addReflectionFunctions(Environment& scope)
{
    addFunctions(scope, {{"isinstance", isinstance}, {"issubclass", issubclass}, {"getattr", getattr}, {"hasattr", hasattr},
                         {"setattr", setattr}, {"callable", callable}, {"next", next}, {"iter", iter}, {"repr", reprOf},
                         {"id", identity}, {"hash", hash}, {"vars", vars}, {"locals", vars}, {"globals", globals}, {"ord", ord},
                         {"chr", chr}, {"hex", digits<16>}, {"oct", digits<8>}, {"bin", digits<2>}, {"format", formatOf}, {"dir", dir}});
    for (const char* name : {"open", "input", "exec", "eval", "compile", "__import__", "breakpoint"})
        scope.names[name] = makeNative(name, [name](Evaluator& e, Args a) { return refuse(static_cast<Interpreter&>(e), a, name); });
}

}  // namespace tw::staging

// operator, typing, os and argparse: small modules of plain functions.
#include <fmt/format.h>

#include "core/staging/interpreter.h"
#include "core/staging/modules/helpers.h"
#include "core/staging/modules/modules.h"

namespace tw::staging {

namespace {

Value binaryOperator(const char* name, syntax::BinaryOp op)
{
    return makeNative(name, [name, op](Evaluator& evaluator, const CallArguments& arguments) {
        const auto args = positional(evaluator, arguments, std::string("operator.") + name, 2, 2);
        return evaluator.binary(op, args[0], args[1], arguments.call);
    });
}

Value unaryOperator(const char* name, syntax::UnaryOp op)
{
    return makeNative(name, [name, op](Evaluator& evaluator, const CallArguments& arguments) {
        const auto args = positional(evaluator, arguments, std::string("operator.") + name, 1, 1);
        return static_cast<Interpreter&>(evaluator).unary(op, args[0], arguments.call);
    });
}

Value compareOperator(const char* name, syntax::CompareOp op)
{
    return makeNative(name, [name, op](Evaluator& evaluator, const CallArguments& arguments) {
        const auto args = positional(evaluator, arguments, std::string("operator.") + name, 2, 2);
        return evaluator.compare(op, args[0], args[1], arguments.call);
    });
}

// itemgetter(0, 2), attrgetter("a"): functions that pick.
Value getter(const char* name, bool isAttribute)
{
    return makeNative(name, [isAttribute](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const auto keys = positional(evaluator, arguments, isAttribute ? "operator.attrgetter" : "operator.itemgetter", 1, 64);
        return makeNative("getter", [keys, isAttribute](Evaluator& e, const CallArguments& call) -> Value {
            const Value object = positional(e, call, "a getter", 1, 1)[0];
            std::vector<Value> picked;
            for (const Value& key : keys) {
                if (isAttribute && key.str()) {
                    picked.push_back(e.attribute(object, {*key.str(), call.call}));
                } else {
                    const Value method = e.attribute(object, {"__getitem__", call.call});
                    picked.push_back(e.call(method, {key}, call.call));
                }
            }
            return picked.size() == 1 ? picked[0] : makeTuple(std::move(picked));
        });
    });
}

// Optional[int], List[float], …: annotations only; subscripting and calling give something that may be ignored.
Value anything(const std::string& path)
{
    return makeOpaque(path);
}

Value joinPath(Evaluator& evaluator, const CallArguments& arguments)
{
    std::string path;
    for (const CallArgument& argument : arguments.items) {
        const std::string* piece = argument.value->str();
        if (!piece)
            return makeOpaque("os.path.join");
        if (!path.empty() && path.back() != '/' && !piece->starts_with('/'))
            path += '/';
        path = piece->starts_with('/') ? *piece : path + *piece;
    }
    static_cast<void>(evaluator);
    return path;
}

Value lastPart(bool directory)
{
    return makeNative(directory ? "dirname" : "basename", [directory](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const auto args = positional(evaluator, arguments, directory ? "os.path.dirname" : "os.path.basename", 1, 1);
        if (!args[0].str())
            return makeOpaque("os.path");
        const std::string& path = *args[0].str();
        const auto slash = path.rfind('/');
        if (slash == std::string::npos)
            return directory ? std::string() : path;
        return directory ? path.substr(0, slash) : path.substr(slash + 1);
    });
}

// The environment is empty: a program means the same on every machine.
Value environmentGet()
{
    return makeNative("get", [](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        return evaluator.bind("key, default=None", arguments, "os.environ.get")["default"];
    });
}

Value environ()
{
    auto module = std::make_shared<ModuleValue>();
    module->name = "os.environ";
    module->attribute = [](Evaluator&, const std::string& name) -> std::optional<Value> {
        if (name == "get")
            return environmentGet();
        return makeOpaque("os.environ." + name);
    };
    return module;
}

Value pathModule()
{
    auto module = std::make_shared<ModuleValue>();
    module->name = "os.path";
    module->attribute = [](Evaluator&, const std::string& name) -> std::optional<Value> {
        static const NativeTable table = {
            {"join", makeNative("join", joinPath)}, {"dirname", lastPart(true)}, {"basename", lastPart(false)}};
        if (auto found = lookUp(table, name))
            return found;
        return makeOpaque("os.path." + name);
    };
    return module;
}

}  // namespace

std::optional<Value> operatorMember(const std::string& name)
{
    using enum syntax::BinaryOp;
    static const NativeTable table = {
        {"add", binaryOperator("add", kAdd)},
        {"sub", binaryOperator("sub", kSub)},
        {"mul", binaryOperator("mul", kMul)},
        {"truediv", binaryOperator("truediv", kDiv)},
        {"floordiv", binaryOperator("floordiv", kFloorDiv)},
        {"mod", binaryOperator("mod", kMod)},
        {"pow", binaryOperator("pow", kPow)},
        {"lshift", binaryOperator("lshift", kShl)},
        {"rshift", binaryOperator("rshift", kShr)},
        {"and_", binaryOperator("and_", kBitAnd)},
        {"or_", binaryOperator("or_", kBitOr)},
        {"xor", binaryOperator("xor", kBitXor)},
        {"matmul", binaryOperator("matmul", kMatMul)},
        {"neg", unaryOperator("neg", syntax::UnaryOp::kNegate)},
        {"pos", unaryOperator("pos", syntax::UnaryOp::kPlus)},
        {"invert", unaryOperator("invert", syntax::UnaryOp::kInvert)},
        {"not_", unaryOperator("not_", syntax::UnaryOp::kNot)},
        {"eq", compareOperator("eq", syntax::CompareOp::kEq)},
        {"ne", compareOperator("ne", syntax::CompareOp::kNe)},
        {"lt", compareOperator("lt", syntax::CompareOp::kLt)},
        {"le", compareOperator("le", syntax::CompareOp::kLe)},
        {"gt", compareOperator("gt", syntax::CompareOp::kGt)},
        {"ge", compareOperator("ge", syntax::CompareOp::kGe)},
        {"itemgetter", getter("itemgetter", false)},
        {"attrgetter", getter("attrgetter", true)},
    };
    return lookUp(table, name);
}

std::optional<Value> typingMember(const std::string& name)
{
    if (name == "TYPE_CHECKING")
        return Value(false);
    if (name == "cast")
        return makeNative("cast", [](Evaluator& e, const CallArguments& a) { return positional(e, a, "typing.cast", 2, 2)[1]; });
    if (name == "overload" || name == "final" || name == "no_type_check" || name == "runtime_checkable")
        return makeNative(name, [name](Evaluator& e, const CallArguments& a) { return positional(e, a, "typing." + name, 1, 1)[0]; });
    return anything("typing." + name);
}

std::optional<Value> osMember(const std::string& name)
{
    if (name == "environ")
        return environ();
    if (name == "getenv")
        return environmentGet();
    if (name == "path")
        return pathModule();
    if (name == "sep")
        return Value("/");
    return makeOpaque("os." + name);
}

namespace {

// ArgumentParser keeps the defaults of its arguments; parse_args gives them. Nothing reads a command line.
struct ParserState {
    std::vector<std::pair<std::string, Value>> defaults;
};

std::string destination(const std::string& option)
{
    const auto start = option.find_first_not_of('-');
    std::string name = start == std::string::npos ? option : option.substr(start);
    for (char& c : name)
        if (c == '-')
            c = '_';
    return name;
}

const Value* keywordOf(const CallArguments& arguments, const std::string& name)
{
    for (const CallArgument& a : arguments.items)
        if (a.keyword == name)
            return a.value.get();
    return nullptr;
}

// A string default goes through type=, as argparse does.
Value defaultOf(Evaluator& evaluator, const CallArguments& arguments)
{
    const Value* given = keywordOf(arguments, "default");
    const Value* action = keywordOf(arguments, "action");
    if (!given && action && action->str() && *action->str() == "store_true")
        return false;
    if (!given && action && action->str() && *action->str() == "store_false")
        return true;
    if (!given)
        return {};
    const Value* type = keywordOf(arguments, "type");
    if (type && given->str())
        return evaluator.call(*type, {*given}, arguments.call);
    return *given;
}

Value addArgument(const std::shared_ptr<ParserState>& state)
{
    return makeNative("add_argument", [state](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        std::string name;
        for (const CallArgument& a : arguments.items)
            if (a.keyword.empty() && a.value->str() && (name.empty() || a.value->str()->starts_with("--")))
                name = *a.value->str();
        bool positional = !name.starts_with('-');
        if (const Value* dest = keywordOf(arguments, "dest"); dest && dest->str())
            name = *dest->str();
        Value value = defaultOf(evaluator, arguments);
        if (value.isNone() && (positional || keywordOf(arguments, "required")))
            value = makeOpaque("argparse." + destination(name));  // known only when the program runs
        state->defaults.emplace_back(destination(name), value);
        return makeOpaque("argparse.Action");
    });
}

std::shared_ptr<InstanceValue> emptyNamespace()
{
    auto instance = std::make_shared<InstanceValue>();
    instance->type = std::make_shared<ClassValue>();
    instance->type->name = "Namespace";
    return instance;
}

Value parseArguments(const std::shared_ptr<ParserState>& state, bool known)
{
    return makeNative("parse_args", [state, known](Evaluator&, const CallArguments&) -> Value {
        const auto instance = emptyNamespace();
        for (const auto& [name, value] : state->defaults)
            instance->attributes.insert_or_assign(name, value);
        return known ? makeTuple({Value(instance), makeList({})}) : Value(instance);
    });
}

Value parserObject(const std::shared_ptr<ParserState>& state)
{
    auto module = std::make_shared<ModuleValue>();
    module->name = "argparse.ArgumentParser";
    module->attribute = [state](Evaluator&, const std::string& name) -> std::optional<Value> {
        if (name == "add_argument")
            return addArgument(state);
        if (name == "parse_args" || name == "parse_known_args")
            return parseArguments(state, name == "parse_known_args");
        if (name == "add_argument_group" || name == "add_mutually_exclusive_group")
            return makeNative(name, [state](Evaluator&, const CallArguments&) { return parserObject(state); });
        if (name == "set_defaults")
            return makeNative(name, [state](Evaluator&, const CallArguments& arguments) -> Value {
                for (const CallArgument& a : arguments.items)
                    state->defaults.emplace_back(a.keyword, *a.value);
                return {};
            });
        return makeOpaque("argparse.ArgumentParser." + name);
    };
    return module;
}

}  // namespace

std::optional<Value> argparseMember(const std::string& name)
{
    if (name == "ArgumentParser")
        return makeNative(name, [](Evaluator&, const CallArguments&) { return parserObject(std::make_shared<ParserState>()); });
    if (name == "Namespace")
        return makeNative(name, [](Evaluator&, const CallArguments& arguments) -> Value {
            const auto instance = emptyNamespace();
            for (const CallArgument& a : arguments.items)
                if (!a.keyword.empty())
                    instance->attributes.insert_or_assign(a.keyword, *a.value);
            return Value(instance);
        });
    return makeOpaque("argparse." + name);
}

}  // namespace tw::staging

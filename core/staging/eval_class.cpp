// Classes, instances, attributes.
#include <set>

#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/guards.h"
#include "core/staging/meta_tensor.h"
#include "core/staging/trace/tracer.h"
#include "core/staging/work.h"

namespace tw::staging {

using namespace syntax;

namespace {

using ClassPtr = std::shared_ptr<ClassValue>;

// C3 merge of the bases' orders; where they contradict, in order of appearance.
std::vector<ClassPtr> mergeOrders(std::vector<std::vector<ClassPtr>> lists)
{
    std::vector<ClassPtr> out;
    const auto inTail = [&](const ClassPtr& type) {
        return std::any_of(lists.begin(), lists.end(), [&](const auto& list) {
            return list.size() > 1 && std::find(list.begin() + 1, list.end(), type) != list.end();
        });
    };
    for (;;) {
        std::erase_if(lists, [](const auto& list) { return list.empty(); });
        if (lists.empty())
            return out;
        ClassPtr next = lists.front().front();
        for (const auto& list : lists)
            if (!inTail(list.front())) {
                next = list.front();
                break;
            }
        out.push_back(next);
        for (auto& list : lists)
            std::erase(list, next);
    }
}

void setOwner(const Value& value, const ClassPtr& type)
{
    if (const auto* function = value.get<std::shared_ptr<FunctionValue>>()) {
        if (!(*function)->owner)
            (*function)->owner = type;
    } else if (auto* wrapper = value.object<InstanceValue>()) {
        if (wrapper->type->name == "property" || wrapper->type->name == "staticmethod" || wrapper->type->name == "classmethod")
            for (auto& [name, inner] : wrapper->attributes)
                setOwner(inner, type);
    }
}

// What a torch module answers with itself: layer.cuda().half().eval()(x).
bool givesItself(std::string_view name)
{
    static const std::set<std::string_view> kSelf = {"cuda", "cpu", "to", "half", "float", "double", "bfloat16", "eval", "train", "requires_grad_"};
    return kSelf.contains(name);
}

bool isWrapper(const Value& value, const char* name)
{
    const auto* object = value.object<InstanceValue>();
    return object && object->type->name == name;
}

}  // namespace

std::vector<ClassPtr> Interpreter::resolutionOrder(const std::vector<ClassPtr>& bases)
{
    std::vector<std::vector<ClassPtr>> lists;
    std::size_t total = 0;
    for (const ClassPtr& base : bases) {
        lists.push_back({base});
        lists.back().insert(lists.back().end(), base->bases.begin(), base->bases.end());
        total += lists.back().size();
    }
    chargeMemory(static_cast<Integer>(total * sizeof(ClassPtr)), current_);
    chargeItems(*this, total, current_);
    if (bases.size() == 1)
        return lists.front();
    // Each place of the order is looked for in every list.
    charge(static_cast<std::int64_t>(total * total / 64), current_);
    lists.push_back(bases);
    return mergeOrders(std::move(lists));
}

void Interpreter::execClassDef(const ClassDef& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    auto type = std::make_shared<ClassValue>();
    type->name = node.name.text;
    type->range = range;
    classes_.push_back(type);
    std::vector<ClassPtr> bases;
    CallArguments hook;  // of the bases' __init_subclass__
    hook.call = hook.callee = node.name.range;
    hook.items.push_back({"", std::make_shared<Value>(Value(type)), node.name.range});
    for (const Argument& argument : node.bases) {
        const Value base = evaluate(*argument.value, scope);
        if (argument.kind == Argument::Kind::kKeyword) {
            if (argument.keyword.text != "metaclass")
                hook.items.push_back({argument.keyword.text, std::make_shared<Value>(base), argument.value->range});
            continue;
        }
        if (const auto* known = base.get<std::shared_ptr<ClassValue>>())
            bases.push_back(*known);
        else if (isOpaque(base) && base.object<const OpaqueValue>()->path == "typing.NamedTuple")
            type->attributes["$namedtuple"] = Value(true);
        else if (isOpaque(base) && !base.object<const OpaqueValue>()->path.starts_with("typing."))
            type->isOpaqueBase = true;
    }
    type->bases = resolutionOrder(bases);
    auto inner = std::make_shared<Environment>();
    inner->parent = scope;
    inner->module = scope->module;
    inner->isClass = true;
    inner->names["__qualname__"] = Value(node.name.text);
    execBlock(node.body, inner);
    const bool isNamedTuple = type->attributes.contains("$namedtuple");
    type->attributes = {inner->names.begin(), inner->names.end()};
    if (isNamedTuple)
        type->attributes["$namedtuple"] = Value(true);
    for (const ClassPtr& base : type->bases) {
        type->isOpaqueBase = type->isOpaqueBase || base->isOpaqueBase;
        type->isMeta = type->isMeta || base->isMeta;
    }
    for (const auto& [name, value] : type->attributes)
        setOwner(value, type);
    Value value(type);
    finishClass(*this, type, range);  // enumerations, named tuples
    for (const ClassPtr& base : type->bases)
        if (const auto found = base->attributes.find("__init_subclass__"); found != base->attributes.end()) {
            const bool isWrapped = isWrapper(found->second, "classmethod");
            callValue(isWrapped ? found->second.object<InstanceValue>()->attributes.at("func") : found->second, hook);
            break;
        }
    for (auto it = node.decorators.rbegin(); it != node.decorators.rend(); ++it) {
        const Value decorator = evaluate(**it, scope);
        if (isOpaque(decorator))
            continue;
        Value decorated = call(decorator, {value}, (*it)->range);
        if (!isOpaque(decorated))
            value = std::move(decorated);
    }
    bindName(scope, node.name.text, std::move(value));
}

std::optional<Value> Interpreter::classAttribute(const ClassValue& type, const std::string& name) const
{
    if (const auto it = type.attributes.find(name); it != type.attributes.end())
        return it->second;
    for (const ClassPtr& base : type.bases)
        if (const auto it = base->attributes.find(name); it != base->attributes.end())
            return it->second;
    return std::nullopt;
}

Value Interpreter::bindMethod(const Value& found, const Value& self, const ClassPtr& type, const SourceRange& range)
{
    if (isWrapper(found, "staticmethod"))
        return found.object<InstanceValue>()->attributes.at("func");
    if (isWrapper(found, "classmethod"))
        return std::make_shared<const BoundMethod>(BoundMethod{Value(type), found.object<InstanceValue>()->attributes.at("func")});
    if (isWrapper(found, "property"))
        return call(found.object<InstanceValue>()->attributes.at("fget"), {self}, range);
    if (isWrapper(found, "cached_property")) {
        Value value = call(found.object<InstanceValue>()->attributes.at("fget"), {self}, range);
        return value;
    }
    if (found.object<FunctionValue>() || found.object<const NativeFunction>())
        return std::make_shared<const BoundMethod>(BoundMethod{self, found});
    return found;
}

std::optional<Value> Interpreter::instanceAttribute(const Value& object, const std::string& name, const SourceRange& range)
{
    auto& instance = *object.object<InstanceValue>();
    chargeItems(*this, instance.type->bases.size(), range);
    if (instance.type->name == "super")
        return superAttribute(instance, name, range);
    const auto found = classAttribute(*instance.type, name);
    if (found && (isWrapper(*found, "property") || isWrapper(*found, "cached_property")))
        return bindMethod(*found, object, instance.type, range);
    if (const auto it = instance.attributes.find(name); it != instance.attributes.end())
        return it->second;
    if (found)
        return bindMethod(*found, object, instance.type, range);
    if (name == "__class__")
        return Value(instance.type);
    if (name == "__dict__") {
        chargeItems(*this, 8 * instance.attributes.size(), range);
        chargeMemory(static_cast<Integer>(instance.attributes.size() * 144), range);
        const Value dict = makeDict();
        for (const auto& [key, value] : instance.attributes)
            if (key[0] != '$')
                dictSet(*dict.object<DictValue>(), Value(key), value);
        return dict;
    }
    if (&underlying(object) != &object)
        if (auto inherited = findAttribute(underlying(object), name, range))
            return inherited;
    if (const auto dynamic = classAttribute(*instance.type, "__getattr__"))
        return call(bindMethod(*dynamic, object, instance.type, range), {Value(name)}, range);
    if (instance.type->isOpaqueBase && givesItself(name))
        return makeNative(name, [object](Evaluator&, const CallArguments&) { return object; });
    if (instance.type->isOpaqueBase)
        return makeOpaque(instance.type->name + "." + name);
    return std::nullopt;
}

std::optional<Value> Interpreter::superAttribute(const InstanceValue& proxy, const std::string& name, const SourceRange& range)
{
    const Value& self = proxy.attributes.at("$self");
    const auto* owner = proxy.attributes.at("$owner").object<ClassValue>();
    const auto* object = self.object<InstanceValue>();
    const auto* own = self.get<std::shared_ptr<ClassValue>>();
    const ClassPtr type = object ? object->type : own ? *own : nullptr;
    if (!type)
        return makeOpaque("super");
    bool passed = type.get() == owner;
    for (const ClassPtr& base : type->bases) {
        if (passed)
            if (const auto it = base->attributes.find(name); it != base->attributes.end())
                return bindMethod(it->second, self, type, range);
        passed = passed || base.get() == owner;
    }
    if (name == "__init__" || name == "__init_subclass__" || name == "__enter__" || name == "__exit__" || name == "__setattr__")
        return makeNative(name, [](Evaluator&, const CallArguments&) { return Value(); });
    if (type->isOpaqueBase)
        return makeOpaque(type->name + "." + name);
    return std::nullopt;
}

std::optional<Value> Interpreter::typeAttribute(const ClassPtr& type, const std::string& name)
{
    if (name == "__name__" || name == "__qualname__")
        return Value(type->name);
    if (name == "__members__" || name == "__dict__") {
        chargeItems(*this, 8 * type->attributes.size(), current_);
        chargeMemory(static_cast<Integer>(type->attributes.size() * 144), current_);
        const Value dict = makeDict();
        for (const auto& [key, value] : type->attributes)
            if (name == "__dict__" || isInstance(value, Value(type), type->range))
                dictSet(*dict.object<DictValue>(), Value(key), value);
        return dict;
    }
    chargeItems(*this, type->bases.size(), current_);
    if (name == "__bases__" || name == "__mro__") {
        std::vector<Value> bases;
        for (const ClassPtr& base : type->bases)
            bases.emplace_back(base);
        return makeTuple(std::move(bases));
    }
    if (const auto found = classAttribute(*type, name)) {
        if (isWrapper(*found, "staticmethod"))
            return found->object<InstanceValue>()->attributes.at("func");
        if (isWrapper(*found, "classmethod"))
            return Value(std::make_shared<const BoundMethod>(
                BoundMethod{Value(type), found->object<InstanceValue>()->attributes.at("func")}));
        return found;
    }
    // str.upper, dict.fromkeys: methods of builtin types take the object first.
    const auto unbound = [&](Method method) -> std::optional<Value> {
        if (!method)
            return std::nullopt;
        return makeNative(name, [this, method](Evaluator&, const CallArguments& arguments) {
            if (arguments.items.empty())
                fail(Code::kCallArguments, arguments.call, "a method of a type needs the object as its first argument");
            CallArguments rest = arguments;
            rest.items.erase(rest.items.begin());
            return callMethod(*this, method, *arguments.items[0].value, rest);
        });
    };
    if (type->name == "dict" && name == "fromkeys")
        return makeNative(name, [this](Evaluator&, const CallArguments& arguments) {
            const auto args = positional(*this, arguments, "dict.fromkeys", 1, 2);
            const Value dict = makeDict();
            for (const Value& key : iterate(args[0], arguments.call)) {
                chargeKey(*this, *dict.object<DictValue>(), key, arguments.call);
                chargeMemory(128, arguments.call);
                dictSet(*dict.object<DictValue>(), key, args.size() > 1 ? args[1] : Value());
            }
            return dict;
        });
    if (type->construct) {
        const Method method = type->name == "str"    ? stringMethod(name)
                              : type->name == "list" ? listMethod(name)
                              : type->name == "dict" ? dictMethod(name)
                              : type->name == "set"  ? setMethod(name)
                                                     : nullptr;
        if (auto found = unbound(method))
            return found;
    }
    // torch.autograd.Function: apply runs forward with a context of its own.
    if (const auto forward = name == "apply" && type->isOpaqueBase ? classAttribute(*type, "forward") : std::nullopt)
        return makeNative(name, [this, forward = isWrapper(*forward, "staticmethod") ? forward->object<InstanceValue>()->attributes.at("func")
                                                                                    : *forward](Evaluator&, const CallArguments& arguments) {
            CallArguments all = arguments;
            all.items.insert(all.items.begin(), {"", std::make_shared<Value>(makeOpaque("ctx")), arguments.callee});
            return call(forward, all);
        });
    if (name == "__init__" || name == "__new__")
        return makeNative(name, [](Evaluator&, const CallArguments&) { return Value(); });
    if (type->isOpaqueBase)
        return makeOpaque(type->name + "." + name);
    return std::nullopt;
}

Value Interpreter::instantiate(const ClassPtr& type, const CallArguments& arguments)
{
    if (type->construct)
        return type->construct(*this, arguments);
    if (const auto special = classAttribute(*type, "$construct"))  // enumerations, named tuples
        return call(std::make_shared<const BoundMethod>(BoundMethod{Value(type), *special}), arguments);
    chargeItems(*this, 2 * type->bases.size(), arguments.call);
    chargeMemory(256, arguments.call);
    auto object = std::make_shared<InstanceValue>();
    object->type = type;
    const Value value(object);
    const bool isException = type->name == "BaseException" ||
                             std::any_of(type->bases.begin(), type->bases.end(),
                                         [](const ClassPtr& base) { return base->name == "BaseException"; });
    if (isException) {
        std::vector<Value> args;
        for (const CallArgument& argument : arguments.items)
            args.push_back(*argument.value);
        object->attributes["args"] = makeTuple(std::move(args));
    }
    for (const ClassPtr& base : type->bases) {
        if (base->construct && base->name != "object") {
            CallArguments none;
            none.call = none.callee = arguments.call;
            const bool own = classAttribute(*type, "__init__").has_value();
            object->attributes["$data"] = base->construct(*this, own ? none : arguments);
            if (own)
                break;
        }
    }
    if (const auto init = classAttribute(*type, "__init__"))
        call(std::make_shared<const BoundMethod>(BoundMethod{value, *init}), arguments);
    else if (!arguments.items.empty() && !type->isOpaqueBase && !object->attributes.contains("args") &&
             !object->attributes.contains("$data"))
        fail(Code::kCallArguments, arguments.call, fmt::format("`{}` takes no arguments: it has no __init__", type->name));
    return value;
}

std::optional<Value> Interpreter::dunder(const Value& object, const char* name, std::vector<Value> arguments, const SourceRange& range)
{
    const auto* instance = object.object<InstanceValue>();
    if (!instance)
        return std::nullopt;
    chargeItems(*this, instance->type->bases.size(), range);
    const auto method = classAttribute(*instance->type, name);
    if (!method)
        return std::nullopt;
    Value result = call(bindMethod(*method, object, instance->type, range), std::move(arguments), range);
    if (isOpaque(result) && result.object<const OpaqueValue>()->path == "NotImplemented")
        return std::nullopt;
    return result;
}

}  // namespace tw::staging

// Exceptions and contexts.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/guards.h"
#include "core/staging/text.h"

namespace tw::staging {

using namespace syntax;

namespace {

// Python's text of an exception object: its arguments.
std::string exceptionText(const InstanceValue& object)
{
    const auto it = object.attributes.find("args");
    const auto* args = it == object.attributes.end() ? nullptr : it->second.object<const TupleValue>();
    if (!args || args->items.empty())
        return "";
    return args->items.size() == 1 ? plainText(args->items[0]) : repr(it->second);
}

}  // namespace

void Interpreter::execRaise(const Raise& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    Value value;
    if (node.exception) {
        value = evaluate(*node.exception, scope);
    } else if (!handled_.empty()) {
        value = *handled_.back();
    }
    if (value.object<ClassValue>())
        value = call(value, {}, range);
    Diagnostic diagnostic;
    diagnostic.code = Code::kRaised;
    diagnostic.range = range;
    const auto* object = value.object<InstanceValue>();
    const std::string name = object ? object->type->name : isOpaque(value) ? value.object<const OpaqueValue>()->path : "an exception";
    const std::string said = object ? exceptionText(*object) : "";
    diagnostic.message = said.empty() ? fmt::format("{} is raised while staging", name) : fmt::format("{}: {}", name, said);
    // Where the innermost call of the kernel's own code stands.
    for (auto it = frames_.rbegin(); it != frames_.rend() && diagnostic.notes.size() < 2; ++it)
        if (it->function && it->call.isKnown() && it->function->def)
            diagnostic.notes.push_back({it->call, fmt::format("`{}` is called here", it->function->name)});
    stop(std::move(diagnostic), "Exception", object ? std::optional(value) : std::nullopt, true);
}

Flow Interpreter::execTry(const Try& node, const std::shared_ptr<Environment>& scope)
{
    const auto run = [&]() -> Flow {
        const std::size_t frames = frames_.size();
        DeviceHooks* const hooks = hooks_;
        ++tryDepth_;
        struct Leave {
            Interpreter& self;
            bool left = false;
            void now()
            {
                if (!left)
                    --self.tryDepth_;
                left = true;
            }
            ~Leave() { now(); }
        } leave{*this};
        Flow flow = Flow::kNormal;
        try {
            flow = execBlock(node.body, scope);
        } catch (const StagingStop& stop) {
            leave.now();
            TW_CHECK(frames_.size() == frames, "frames");
            hooks_ = hooks;
            if (stop.fatal)
                throw;
            return execHandlers(node, stop, scope);
        }
        leave.now();
        return flow == Flow::kNormal && !node.orElse.empty() ? execBlock(node.orElse, scope) : flow;
    };
    if (node.finally.empty())
        return run();
    Flow flow = Flow::kNormal;
    try {
        flow = run();
    } catch (const StagingStop& stop) {
        if (!stop.fatal)
            execBlock(node.finally, scope);
        throw;
    }
    const Value result = frames_.empty() ? Value() : frames_.back().result;
    const Flow last = execBlock(node.finally, scope);
    if (last != Flow::kNormal)
        return last;
    if (!frames_.empty())
        frames_.back().result = result;
    return flow;
}

Flow Interpreter::execHandlers(const Try& node, const StagingStop& stop, const std::shared_ptr<Environment>& scope)
{
    for (const ExceptHandler& handler : node.handlers) {
        if (handler.type) {
            const Value type = evaluate(*handler.type, scope);
            if (stop.exception && !isInstance(*stop.exception, type, handler.range))
                continue;
        }
        const Value object = stop.exception ? *stop.exception : makeOpaque("exception");
        if (handler.name)
            bindName(scope, handler.name->text, object);
        handled_.push_back(std::make_shared<Value>(object));
        struct Leave {
            Interpreter& self;
            ~Leave() { self.handled_.pop_back(); }
        } leave{*this};
        return execBlock(handler.body, scope);
    }
    // Nobody takes it: it was held back for the handlers and is reported now.
    if (stop.pending && kernelDepth_ > 0 && tryDepth_ == 0) {
        diagnostics().report(*stop.pending);
        StagingStop reported = stop;
        reported.pending = nullptr;
        throw reported;
    }
    throw stop;
}

// ---- with -------------------------------------------------------------------------------------------------------------

Flow Interpreter::execWith(const With& node, std::size_t item, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    if (item == node.items.size())
        return execBlock(node.body, scope);
    const Value context = evaluate(*node.items[item].context, scope);
    if (const auto* ours = context.object<const ContextValue>())
        return execContext(node, item, *ours, scope, range);
    return execWithItem(node, item, context, scope, range);
}

Flow Interpreter::execContext(const With& node, std::size_t item, const ContextValue& context,
                              const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    const WithItem& one = node.items[item];
    SourceRange head = range;
    head.end = std::max(head.begin + 1, one.context->range.end);
    std::optional<DeviceScope> names;
    if (context.isDeviceScope)
        names.emplace(*this, scope, range);
    const Value value = context.enter(*this, one.context->range);
    if (one.target) {
        const bool single = std::holds_alternative<Name>(one.target->node);
        const auto* name = std::get_if<Name>(&one.target->node);
        if (single && isDevice(value))
            assignNamed({name->id, one.target->range}, value, scope, one.target->range);  // the index gets its name
        else if (single)
            bindName(scope, name->id, value);
        else
            bindContextTarget(*one.target, value, scope);
    }
    const Flow flow = execWith(node, item + 1, scope, range);
    context.leave(*this);
    return flow;
}

// `as (bx, by)`: as many names as the launch has axes.
void Interpreter::bindContextTarget(const Expr& target, const Value& value, const std::shared_ptr<Environment>& scope)
{
    const auto* tuple = std::get_if<TupleExpr>(&target.node);
    const auto* list = std::get_if<ListExpr>(&target.node);
    if (!tuple && !list) {
        assign(target, value, scope, target.range);
        return;
    }
    const auto& targets = tuple ? tuple->items : list->items;
    const std::vector<Value> values = iterate(value, target.range);
    if (values.size() != targets.size())
        fail(Code::kTypeMismatch, target.range,
             fmt::format("the launch has {} block {}, but {} name{} stand after `as`", values.size(),
                         values.size() == 1 ? "index" : "indices", targets.size(), targets.size() == 1 ? "" : "s"));
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (const auto* name = std::get_if<Name>(&targets[i]->node); name && isDevice(values[i]))
            assignNamed({name->id, targets[i]->range}, values[i], scope, targets[i]->range);
        else if (name)
            bindName(scope, name->id, values[i]);
        else
            assign(*targets[i], values[i], scope, targets[i]->range);
    }
}

Flow Interpreter::execWithItem(const With& node, std::size_t item, const Value& context,
                               const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    const WithItem& one = node.items[item];
    const auto enter = isOpaque(context) ? std::nullopt : findAttribute(context, "__enter__", one.context->range);
    if (isOpaque(context) && kernelDepth_ > 0 && context.object<const OpaqueValue>()->path == "open")
        foreign(context, one.context->range);
    if (!enter || isOpaque(*enter)) {
        if (one.target)
            assign(*one.target, isOpaque(context) ? context : makeOpaque("context"), scope, range);
        return execWith(node, item + 1, scope, range);
    }
    const Value value = call(*enter, {}, one.context->range);
    if (one.target)
        assign(*one.target, value, scope, range);
    const auto exit = findAttribute(context, "__exit__", one.context->range);
    const auto leave = [&](const Value& type, const Value& exception) {
        return exit ? call(*exit, {type, exception, Value()}, one.context->range) : Value();
    };
    Flow flow = Flow::kNormal;
    ++tryDepth_;
    struct Depth {
        Interpreter& self;
        ~Depth() { --self.tryDepth_; }
    };
    std::optional<StagingStop> unwinding;
    {
        const Depth depth{*this};
        try {
            flow = execWith(node, item + 1, scope, range);
        } catch (const StagingStop& stop) {
            if (stop.fatal)
                throw;
            unwinding = stop;
        }
    }
    if (!unwinding) {
        const Value result = frames_.empty() ? Value() : frames_.back().result;
        leave(Value(), Value());
        if (!frames_.empty())
            frames_.back().result = result;
        return flow;
    }
    const Value exception = unwinding->exception ? *unwinding->exception : Value();
    const Value swallowed = leave(typeOf(exception), exception);
    if (!isOpaque(swallowed) && knownTruth(swallowed, range).value_or(false))
        return Flow::kNormal;
    if (unwinding->pending && kernelDepth_ > 0 && tryDepth_ == 0) {
        diagnostics().report(*unwinding->pending);
        unwinding->pending = nullptr;
    }
    throw *unwinding;
}

}  // namespace tw::staging

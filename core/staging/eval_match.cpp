// match statements.
#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/interpreter.h"
#include "core/staging/work.h"

namespace tw::staging {

using namespace syntax;

Flow Interpreter::execMatch(const Match& node, const std::shared_ptr<Environment>& scope, const SourceRange&)
{
    const Value subject = evaluate(*node.subject, scope);
    if (isDevice(subject) && scope->kernelMode)
        fail(Code::kRuntimeCondition, node.subject->range, "`match` needs a value that is known while staging; use `if` on run-time values");
    if (isOpaque(subject)) {
        // Any case may be the one: all are surveyed.
        for (const MatchCase& one : node.cases) {
            const Flow flow = execBlock(one.body, scope);
            if (flow == Flow::kReturn && !frames_.empty())
                frames_.back().alternatives.push_back(frames_.back().result);
        }
        return Flow::kNormal;
    }
    for (const MatchCase& one : node.cases) {
        if (!matchPattern(*one.pattern, subject, scope))
            continue;
        if (one.guard && !truth(evaluate(*one.guard, scope), one.guard->range))
            continue;
        return execBlock(one.body, scope);
    }
    return Flow::kNormal;
}

bool Interpreter::matchPattern(const Pattern& pattern, const Value& subject, const std::shared_ptr<Environment>& scope)
{
    charge(1, pattern.range);
    return match(
        pattern.node,
        [&](const ValuePattern& p) {
            const Value value = evaluate(*p.value, scope);
            return truth(compare(CompareOp::kEq, subject, value, pattern.range), pattern.range);
        },
        [&](const CapturePattern& p) {
            if (p.pattern && !matchPattern(*p.pattern, subject, scope))
                return false;
            if (!p.name.empty())
                bindName(scope, p.name, subject);
            return true;
        },
        [&](const SequencePattern& p) { return matchSequence(p, subject, scope, pattern.range); },
        [&](const StarPattern&) { return true; }, [&](const MappingPattern& p) { return matchMapping(p, subject, scope); },
        [&](const ClassPattern& p) { return matchClass(p, subject, scope, pattern.range); },
        [&](const OrPattern& p) {
            return std::any_of(p.alternatives.begin(), p.alternatives.end(),
                               [&](const PatternPtr& one) { return matchPattern(*one, subject, scope); });
        });
}

bool Interpreter::matchSequence(const SequencePattern& pattern, const Value& subject, const std::shared_ptr<Environment>& scope,
                                const SourceRange& range)
{
    if (!subject.object<ListValue>() && !subject.object<const TupleValue>())
        return false;
    const std::vector<Value> items = iterate(subject, range);
    const auto star = std::find_if(pattern.items.begin(), pattern.items.end(), [](const PatternPtr& p) {
        return std::holds_alternative<StarPattern>(p->node);
    });
    const std::size_t fixed = pattern.items.size() - (star == pattern.items.end() ? 0 : 1);
    if (items.size() < fixed || (star == pattern.items.end() && items.size() != fixed))
        return false;
    std::size_t next = 0;
    for (auto it = pattern.items.begin(); it != pattern.items.end(); ++it) {
        if (it == star) {
            const std::size_t count = items.size() - fixed;
            const auto first = items.begin() + static_cast<std::ptrdiff_t>(next);
            const auto& name = std::get<StarPattern>((*it)->node).name;
            chargeItems(*this, count, range);
            chargeMemory(static_cast<Integer>(count * sizeof(Value)), range);
            if (!name.empty())
                bindName(scope, name, makeList({first, first + static_cast<std::ptrdiff_t>(count)}));
            next += count;
        } else if (!matchPattern(**it, items[next++], scope)) {
            return false;
        }
    }
    return true;
}

bool Interpreter::matchMapping(const MappingPattern& pattern, const Value& subject, const std::shared_ptr<Environment>& scope)
{
    const Value data = underlying(subject);
    const auto* dict = data.object<DictValue>();
    if (!dict)
        return false;
    chargeItems(*this, 8 * dict->items.size(), current_);
    chargeMemory(static_cast<Integer>(dict->items.size() * 96), current_);
    const Value rest = copyOf(*dict);
    for (std::size_t i = 0; i < pattern.keys.size(); ++i) {
        const Value key = evaluate(*pattern.keys[i], scope);
        chargeKey(*this, *dict, key, current_);
        const Value* found = dictFind(*dict, key);
        if (!found || !matchPattern(*pattern.values[i], *found, scope))
            return false;
        dictErase(*rest.object<DictValue>(), key);
    }
    if (!pattern.rest.empty())
        bindName(scope, pattern.rest, rest);
    return true;
}

bool Interpreter::matchClass(const ClassPattern& pattern, const Value& subject, const std::shared_ptr<Environment>& scope,
                             const SourceRange& range)
{
    const Value type = evaluate(*pattern.type, scope);
    if (!isInstance(subject, type, range))
        return false;
    const auto* cls = type.object<ClassValue>();
    if (cls && cls->construct && pattern.positional.size() == 1)  // int(x), str(s)
        return matchPattern(*pattern.positional[0], subject, scope);
    std::vector<Value> names;
    if (const auto fields = cls ? classAttribute(*cls, "__match_args__") : std::nullopt)
        names = iterate(*fields, range);
    if (pattern.positional.size() > names.size())
        return false;
    for (std::size_t i = 0; i < pattern.positional.size(); ++i) {
        const auto value = findAttribute(subject, *names[i].str(), range);
        if (!value || !matchPattern(*pattern.positional[i], *value, scope))
            return false;
    }
    for (std::size_t i = 0; i < pattern.keywords.size(); ++i) {
        const auto value = findAttribute(subject, pattern.keywords[i].text, range);
        if (!value || !matchPattern(*pattern.keywordPatterns[i], *value, scope))
            return false;
    }
    return true;
}

}  // namespace tw::staging

#include "core/staging/modules/helpers.h"

#include <algorithm>

#include <fmt/format.h>

namespace tw::staging {

std::vector<Value> plainArguments(Evaluator& evaluator, const CallArguments& arguments, const std::string& name,
                                  std::size_t least, std::size_t most)
{
    std::vector<Value> values;
    for (const CallArgument& argument : arguments.items) {
        if (!argument.keyword.empty())
            evaluator.fail(Code::kCallArguments, argument.range,
                           fmt::format("{} takes no keyword argument '{}'", name, argument.keyword));
        values.push_back(*argument.value);
    }
    if (values.size() < least || values.size() > most) {
        const std::string wanted = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
        evaluator.fail(Code::kCallArguments, arguments.call,
                       fmt::format("{} takes {} argument{}, not {}", name, wanted, most == 1 ? "" : "s", values.size()));
    }
    return values;
}

bool anyOpaque(const std::vector<Value>& values)
{
    return std::any_of(values.begin(), values.end(), [](const Value& v) { return v.object<const OpaqueValue>() != nullptr; });
}

std::optional<Integer> integerOf(const Value& value)
{
    if (const auto* b = value.get<bool>())
        return *b ? 1 : 0;
    if (const auto* i = value.get<Integer>())
        return *i;
    if (const auto* constant = ir::asInt(value.expr()))
        return *constant;
    return {};
}

std::optional<double> numberOf(const Value& value)
{
    if (const auto* d = value.get<double>())
        return *d;
    if (const auto i = integerOf(value))
        return static_cast<double>(*i);
    if (const auto* constant = ir::as<ir::FloatImm>(value.expr()))
        return constant->value;
    return {};
}

namespace {

[[noreturn]] void refuse(Evaluator& evaluator, const Value& value, const std::string& name, const char* what,
                         const SourceRange& range)
{
    const std::string last = name.substr(name.rfind('.') + 1);
    if (isDevice(value))
        evaluator.fail(Code::kRuntimeCondition, range,
                       fmt::format("{} needs {} known while the kernel is built, this is a run-time expression; use T.{} in a kernel",
                                   name, what, last));
    evaluator.fail(Code::kTypeMismatch, range, fmt::format("{} needs {}, not {}", name, what, typeName(value)));
}

}  // namespace

Integer needInteger(Evaluator& evaluator, const Value& value, const std::string& name, const SourceRange& range)
{
    if (const auto i = integerOf(value))
        return *i;
    refuse(evaluator, value, name, "an integer", range);
}

double needNumber(Evaluator& evaluator, const Value& value, const std::string& name, const SourceRange& range)
{
    if (const auto d = numberOf(value))
        return *d;
    refuse(evaluator, value, name, "a number", range);
}

std::optional<Value> lookUp(const NativeTable& table, const std::string& name)
{
    for (const auto& [key, value] : table)
        if (key == name)
            return value;
    return {};
}

}  // namespace tw::staging

#include "core/staging/arguments.h"

#include <fmt/format.h>

#include "core/staging/interpreter.h"

namespace tw::staging {

std::vector<Value> positional(Evaluator& evaluator, const CallArguments& arguments, std::string_view name, std::size_t least,
                              std::size_t most)
{
    std::vector<Value> out;
    for (const CallArgument& argument : arguments.items) {
        if (!argument.keyword.empty())
            evaluator.fail(Code::kCallArguments, argument.range, fmt::format("`{}` has no argument `{}`", name, argument.keyword));
        out.push_back(*argument.value);
    }
    if (out.size() < least || out.size() > most)
        evaluator.fail(Code::kCallArguments, arguments.call,
                         least == most ? fmt::format("`{}` takes {} argument{}, {} are given", name, least,
                                                     least == 1 ? "" : "s", out.size())
                                       : fmt::format("`{}` takes {} to {} arguments, {} are given", name, least, most, out.size()));
    return out;
}

const Value* keyword(const CallArguments& arguments, std::string_view name)
{
    for (const CallArgument& argument : arguments.items)
        if (argument.keyword == name)
            return argument.value.get();
    return nullptr;
}

std::optional<Integer> asInteger(const Value& given)
{
    const Value& value = underlying(given);
    if (const auto* i = value.get<Integer>())
        return *i;
    if (const auto* b = value.get<bool>())
        return *b ? 1 : 0;
    if (const auto* constant = ir::asInt(value.expr()))
        return *constant;
    return std::nullopt;
}

std::optional<double> asNumber(const Value& given)
{
    const Value& value = underlying(given);
    if (const auto* d = value.get<double>())
        return *d;
    if (const auto i = asInteger(value))
        return static_cast<double>(*i);
    if (const auto* constant = ir::as<ir::FloatImm>(value.expr()))
        return constant->value;
    return std::nullopt;
}

Integer integerArgument(Evaluator& evaluator, const Value& value, const SourceRange& range, const char* what)
{
    if (const auto i = asInteger(value))
        return *i;
    if (isDevice(value))
        evaluator.fail(Code::kRuntimeCondition, range,
                         fmt::format("{} of staging code must be known while staging; this is a run-time value", what));
    evaluator.fail(Code::kTypeMismatch, range, fmt::format("{} must be an int, not {}", what, typeName(value)));
}

}  // namespace tw::staging

#include "core/staging/modules/helpers.h"

#include <algorithm>

#include <fmt/format.h>

namespace tw::staging {

bool anyOpaque(const std::vector<Value>& values)
{
    return std::any_of(values.begin(), values.end(), [](const Value& v) {
        return v.object<const OpaqueValue>() != nullptr || v.object<const MetaTensor>() != nullptr;
    });
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
    if (const auto i = asInteger(value))
        return *i;
    refuse(evaluator, value, name, "an integer", range);
}

double needNumber(Evaluator& evaluator, const Value& value, const std::string& name, const SourceRange& range)
{
    if (const auto d = asNumber(value))
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

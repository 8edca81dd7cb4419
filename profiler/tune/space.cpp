#include "profiler/tune/space.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "core/support/diagnostic.h"

namespace tw::tune {
namespace {

std::vector<std::string> parameterNames(const staging::Kernel& kernel)
{
    std::vector<std::string> names;
    for (const staging::KernelParameter& p : kernel.parameters)
        names.push_back(p.name);
    for (const auto& [name, values] : kernel.tunable)
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    return names;
}

std::string unknown(const staging::Kernel& kernel, const std::string& name)
{
    const auto names = parameterNames(kernel);
    const std::string near = nearestName(name, names);
    return fmt::format("{} has no parameter {}{}; it has {}", kernel.name, name, near.empty() ? "" : fmt::format(", did you mean {}", near), fmt::join(names, ", "));
}

}  // namespace

tl::expected<Space, std::string> spaceOf(const staging::Kernel& kernel, const Values& given)
{
    if (given.empty()) {
        if (kernel.configs.empty())
            return tl::unexpected(fmt::format("{} lists no configurations; give --space NAME=VALUE,VALUE,… for one of its parameters {}", kernel.name,
                                              fmt::join(parameterNames(kernel), ", ")));
        Space space{kernel.tunable, {}};
        for (const staging::Bindings& config : kernel.configs)
            if (std::find(space.configs.begin(), space.configs.end(), config) == space.configs.end())
                space.configs.push_back(config);
        return space;
    }
    const auto names = parameterNames(kernel);
    Space space{given, {{}}};
    for (const auto& [name, values] : given) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            return tl::unexpected(unknown(kernel, name));
        std::vector<std::string> distinct;
        for (const std::string& value : values)
            if (std::find(distinct.begin(), distinct.end(), value) == distinct.end())
                distinct.push_back(value);
        if (space.configs.size() * distinct.size() > kMostConfigs)
            return tl::unexpected(fmt::format("the space has more than {} configurations; give fewer values", kMostConfigs));
        std::vector<staging::Bindings> wider;
        for (const staging::Bindings& config : space.configs) {
            for (const std::string& value : distinct) {
                wider.push_back(config);
                wider.back()[name] = value;
            }
        }
        space.configs = std::move(wider);
    }
    return space;
}

std::vector<std::string> splitValues(const std::string& text)
{
    std::vector<std::string> out(1);
    int depth = 0;
    char quote = 0;
    for (const char c : text) {
        if (quote)
            quote = c == quote ? '\0' : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (c == '(' || c == '[' || c == '{')
            ++depth;
        else if (c == ')' || c == ']' || c == '}')
            --depth;
        if (c == ',' && depth == 0 && !quote)
            out.emplace_back();
        else
            out.back() += c;
    }
    for (std::string& value : out) {
        value.erase(0, value.find_first_not_of(' '));
        value.erase(value.find_last_not_of(' ') + 1);
    }
    return out;
}

}  // namespace tw::tune

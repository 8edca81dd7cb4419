#include "profiler/tune/write_back.h"

#include <algorithm>

#include <fmt/core.h>

namespace tw::tune {

tl::expected<std::vector<FixIt>, std::string> editsFor(const staging::Kernel& kernel, const staging::Instance* instance, const staging::Bindings& values,
                                                       const SourceSet& sources)
{
    std::vector<FixIt> edits;
    for (const auto& [name, value] : values) {
        if (kernel.tunable.contains(name))
            return tl::unexpected(fmt::format("{} comes from the kernel's own list of configurations, not from its default", name));
        const auto parameter = std::find_if(kernel.parameters.begin(), kernel.parameters.end(), [&](const auto& p) { return p.name == name; });
        if (parameter == kernel.parameters.end() || !parameter->defaultText)
            return tl::unexpected(fmt::format("{} has no default to write to", name));
        const bool isOwn = parameter->range.isKnown() && parameter->range.file == 0;
        // The default as it stands must be the literal itself: an expression, or a name, may be used elsewhere too.
        if (!isOwn || sources.file(0).slice(parameter->range) != *parameter->defaultText)
            return tl::unexpected(fmt::format("the default of {} is computed; it is {} now", name, *parameter->defaultText));
        if (instance && instance->params.contains(name) && instance->params.at(name) != *parameter->defaultText)
            return tl::unexpected(fmt::format("{} is given by the call itself: {}", name, instance->params.at(name)));
        if (value != *parameter->defaultText)
            edits.push_back({parameter->range, value});
    }
    return edits;
}

std::string applied(std::string_view text, std::vector<FixIt> edits)
{
    std::sort(edits.begin(), edits.end(), [](const FixIt& a, const FixIt& b) { return a.range.begin > b.range.begin; });
    std::string out(text);
    for (const FixIt& edit : edits)
        out.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.replacement);
    return out;
}

}  // namespace tw::tune

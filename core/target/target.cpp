#include "core/target/target.h"

#include <algorithm>

#include "core/support/check.h"

namespace tw::target {

namespace {

std::vector<Target> makeTable()
{
    std::vector<Target> table;
#define TW_TARGET(text, family, cc, warp, sms, sharedBlock, sharedSm, registersSm, threadsSm)                     \
    table.push_back({.name = text, .kind = Kind::family, .compute = cc, .warpSize = warp, .multiprocessors = sms, \
                     .maxThreadsPerBlock = 1024, .sharedBytesPerBlock = sharedBlock,                              \
                     .sharedBytesPerMultiprocessor = sharedSm, .registersPerMultiprocessor = registersSm,         \
                     .maxThreadsPerMultiprocessor = threadsSm});
#include "core/target/targets.def"
#undef TW_TARGET
    return table;
}

const Target* byName(std::string_view name)
{
    for (const Target& target : all())
        if (target.name == name)
            return &target;
    return nullptr;
}

bool contains(std::string_view text, std::string_view word)
{
    return text.find(word) != std::string_view::npos;
}

}  // namespace

const std::vector<Target>& all()
{
    static const std::vector<Target> table = makeTable();
    return table;
}

const Target& defaultTarget()
{
    const Target* target = byName("sm_90a");
    TW_CHECK(target, "the default target is in the table");
    return *target;
}

std::optional<Target> parse(std::string_view text)
{
    // A name of the table anywhere in an option string or dict decides; "sm_90" and "sm_100" mean the "a" variants.
    const Target* found = nullptr;
    for (const Target& target : all()) {
        if (target.name.starts_with("sm_") || target.name.starts_with("gfx")) {
            std::string_view stem = target.name;
            if (stem.ends_with('a') && stem.starts_with("sm_"))
                stem.remove_suffix(1);
            const auto at = text.find(stem);
            if (at == std::string_view::npos)
                continue;
            const auto behind = text.substr(at + stem.size());
            if (!behind.empty() && behind.front() >= '0' && behind.front() <= '9')
                continue;
            if (!found || target.name.size() > found->name.size())
                found = &target;
        }
    }
    if (found)
        return *found;
    for (std::string_view name : {"cpu", "llvm", "c"})
        if (text == name || contains(text, std::string("'kind': '") + std::string(name) + "'"))
            return *byName("cpu");
    if (text == "apple" || contains(text, "metal"))
        return *byName("apple");
    if (text == "hip" || text == "rocm" || contains(text, "'hip'") || contains(text, "'rocm'"))
        return *byName("gfx942");
    if (contains(text, "sm_") || contains(text, "gfx"))
        return {};  // an architecture that the table does not have
    if (text == "auto" || text == "cutedsl" || text.starts_with("cuda") || contains(text, "'cuda'"))
        return defaultTarget();
    return {};
}

}  // namespace tw::target

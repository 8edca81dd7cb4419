#include "profiler/device/cuda_target.h"

#include "core/target/target.h"

namespace tw::device {

bool runsOn(const std::string& name, int major, int minor)
{
    const auto target = target::parse(name);
    if (!target || !target->isCuda())
        return false;
    const int there = major * 10 + minor;
    return target->name.ends_with('a') ? target->compute == there : target->compute / 10 == major && target->compute <= there;
}

std::optional<std::string> targetFor(int major, int minor)
{
    const target::Target* best = nullptr;
    for (const target::Target& t : target::all())
        if (runsOn(t.name, major, minor) && (!best || t.compute > best->compute))
            best = &t;
    return best ? std::optional(best->name) : std::nullopt;
}

}  // namespace tw::device

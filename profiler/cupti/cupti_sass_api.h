// The part of CUPTI's binary interface that counts instructions by patched code (cupti_sass_metrics.h there; the rest is in cupti_api.h).
#pragma once

#include "profiler/cupti/cupti_base.h"

namespace tw::cupti::api {

inline constexpr std::uint8_t kWholeGpu = 0;  // one value a metric and instruction
struct SassDetails {
    std::uint64_t id;
    const char *name, *description;
};
struct SassProperties : Head {
    const char *chip, *metric;
    SassDetails details;
};
struct SassChoice {
    std::uint64_t id;
    std::uint8_t granularity;  // kWholeGpu
};
struct SassConfig : Head {
    std::size_t count;
    SassChoice* choices;
    std::uint32_t device;  // ordinal
};
struct SassUnconfig : Head {
    std::uint32_t device;
};
struct SassEnable : Head {
    Context context;
    std::uint8_t isLazy;  // patch a kernel when it is launched
};
struct SassDisable : Head {
    Context context;
    std::size_t dropped;
};
struct SassDataInfo : Head {
    Context context;
    std::size_t records, instances;
};
struct SassValue {
    std::uint64_t id, value;
};
struct SassRecord : Head {
    std::uint32_t cubinCrc, functionIndex;
    const char* function;
    std::uint32_t offset;
    SassValue* values;  // as many as there are instances
};
struct SassFlush : Head {
    Context context;
    std::size_t records, instances;
    SassRecord* data;
};

}  // namespace tw::cupti::api

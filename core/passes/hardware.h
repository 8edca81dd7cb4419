// What every target of the passes has in common.
#pragma once

#include <cstdint>

namespace tw::passes {

inline constexpr std::int64_t kWarpSize = 32;     // lanes that run in step
inline constexpr std::int64_t kAccessBits = 128;  // the widest access of a thread

}  // namespace tw::passes

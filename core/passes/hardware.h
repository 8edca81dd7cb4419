// What every target of the passes has in common.
#pragma once

#include <cstdint>

namespace tw::passes {

inline constexpr std::int64_t kWarpSize = 32;     // lanes that run in step
inline constexpr std::int64_t kAccessBits = 128;  // the widest access of a thread
// CUDA C++ Programming Guide, "Compute Capabilities": 255 registers of 32 bits a thread.
inline constexpr std::int64_t kRegisterBytes = 255 * 4;
// Up to twice the registers the assembler keeps the better part of an array in them; of more, the time it takes is without bound.
inline constexpr std::int64_t kMostUnrolledBytes = 2 * kRegisterBytes;

}  // namespace tw::passes

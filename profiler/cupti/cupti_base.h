// What all of CUPTI's structures share (cupti_api.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "profiler/cuda/driver_api.h"

namespace tw::cupti::api {

using cuda::api::Context;
using Bytes = std::uint8_t*;
using ConstBytes = const std::uint8_t*;
using HostObject = struct HostObjectTag*;
using RangeObject = struct RangeObjectTag*;
using PmObject = struct PmObjectTag*;

// How every structure begins. `size` counts up to the last member, without the padding behind it.
struct Head {
    std::size_t size;
    void* reserved;
};

}  // namespace tw::cupti::api

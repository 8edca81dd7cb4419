// CUDA text to machine code: from the cache, by this machine's NVRTC, or by the client of this runner.
#pragma once

#include <stop_token>

#include "profiler/protocol/messages.h"

namespace tw::device {

// With this machine's NVRTC, through the cache. Without NVRTC: outcome kCannot and what to install.
[[nodiscard]] protocol::CudaCompileResult compileHere(const protocol::CudaCompileRequest& request, std::stop_token stop = {});

// The same, and where this machine has no NVRTC the client is asked, if there is one.
[[nodiscard]] protocol::CudaCompileResult compileAnywhere(const protocol::CudaCompileRequest& request, const protocol::CudaCompiler& client);

}  // namespace tw::device

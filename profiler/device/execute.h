// The work behind the runner protocol: a request in, a result out. The same functions serve `tilec serve` and tests.
//
// They never throw: an internal failure is a diagnostic of the result. One call uses the calling thread (and the device's own).
#pragma once

#include <functional>
#include <stop_token>

#include "profiler/protocol/messages.h"

namespace tw::device {

using ReportProgress = std::function<void(const protocol::Progress&)>;

// `compiler`: for CUDA text where this machine has no NVRTC; may be empty.
[[nodiscard]] protocol::RunResult execute(const protocol::RunRequest& request, const ReportProgress& progress = {},
                                          std::stop_token stop = {}, const protocol::CudaCompiler& compiler = {});
[[nodiscard]] protocol::VerifyResult execute(const protocol::VerifyRequest& request, const ReportProgress& progress = {},
                                             std::stop_token stop = {}, const protocol::CudaCompiler& compiler = {});
[[nodiscard]] protocol::CompileResult execute(const protocol::CompileRequest& request, const ReportProgress& progress = {},
                                              std::stop_token stop = {});

}  // namespace tw::device

// Thread-stage IR to CUDA C++ that NVRTC and nvcc compile without any header.
#pragma once

#include "codegen/gpu_c/emit.h"
#include "core/target/target.h"

namespace tw::cuda_backend {

// As gpu::emitProgram; `target` is a CUDA target.
[[nodiscard]] std::optional<gpu::GpuProgram> emitCuda(const ir::Function& function, const target::Target& target, const SourceSet* sources,
                                                      DiagnosticSink& diagnostics);

// The whole device prelude (resources/device/cuda), and the sections of it that define what `text` uses, in order.
[[nodiscard]] const std::string& devicePrelude();
[[nodiscard]] std::string preludeFor(const std::string& text);

}  // namespace tw::cuda_backend

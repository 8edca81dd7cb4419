// A GPU program loaded into a context, ready to run on host tensors.
#pragma once

#include "codegen/gpu_c/gpu_program.h"
#include "profiler/cuda/context.h"
#include "profiler/device/device.h"

namespace tw::device {

// `function`: whose parameters the program's arguments name. `cubin`: the program's kernels as machine code.
[[nodiscard]] cuda::Result<std::unique_ptr<Executable>> loadCuda(std::shared_ptr<cuda::Context> context,
                                                                std::shared_ptr<const ir::Function> function,
                                                                std::shared_ptr<const gpu::GpuProgram> program, const std::string& cubin);

// A failure as a diagnostic, with its remedy as a note. Its code follows the kind of failure.
[[nodiscard]] Diagnostic toDiagnostic(const cuda::Failure& failure, const SourceRange& range);

}  // namespace tw::device

// A GPU program loaded into a context, ready to run on host tensors.
#pragma once

#include "profiler/device/cuda_kernels.h"
#include "profiler/device/device.h"

namespace tw::device {

[[nodiscard]] std::unique_ptr<Executable> makeExecutable(CudaKernels kernels);

// A failure as a diagnostic, with its remedy as a note. Its code follows the kind of failure.
[[nodiscard]] Diagnostic toDiagnostic(const cuda::Failure& failure, const SourceRange& range);

}  // namespace tw::device

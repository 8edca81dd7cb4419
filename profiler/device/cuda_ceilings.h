// What a GPU itself reaches, for the roofline: measured in place of the data sheet's number.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ir/dtype.h"
#include "profiler/capture/capture.h"
#include "profiler/cuda/cubin_cache.h"
#include "profiler/cuda/memory.h"
#include "profiler/protocol/messages.h"

namespace tw::device {

// "DRAM": bytes a second, read and written ones together, of a copy of `bytes` within the GPU's memory; the median of five. Takes
// twice the memory and some milliseconds.
[[nodiscard]] cuda::Result<capture::Ceiling> measureCopyCeiling(const std::shared_ptr<cuda::Context>& context, std::int64_t bytes = std::int64_t{1} << 29);

// "tensor TYPE": operations a second of products without memory traffic (product_kernel.h); the median of ten launches of about 2 ms
// each, one right after the other, clocks as they are. Fails with a sentence.
[[nodiscard]] tl::expected<capture::Ceiling, std::string> measureProductCeiling(const std::shared_ptr<cuda::Context>& context, ir::DType type,
                                                                                const protocol::CudaCompiler& client);

// Beside the folder of cubins.
[[nodiscard]] std::filesystem::path ceilingFolder();

// Both, the second for each of `products`. What was measured before on this GPU with this driver comes from `cache`: its files are small, and
// removing them has everything measured again. `absences`: "measured ceilings" where some could not be.
[[nodiscard]] std::vector<capture::Ceiling> ceilingsOfGpu(const std::shared_ptr<cuda::Context>& context, const std::vector<ir::DType>& products,
                                                          const protocol::CudaCompiler& client, std::map<std::string, std::string>& absences,
                                                          const cuda::CubinCache& cache = cuda::CubinCache(ceilingFolder()));

}  // namespace tw::device

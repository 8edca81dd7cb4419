#include "profiler/device/cuda_timing.h"

#include "profiler/cuda/output_capture.h"

namespace tw::device {

cuda::Result<std::vector<double>> timeCall(CudaCall& call, const CudaKernels& kernels, const cuda::TimingOptions& options, std::string& log,
                                           const std::stop_token& stop)
{
    std::optional<cuda::OutputCapture> capture;
    if (kernels.program->prints)
        capture.emplace();
    auto samples = cuda::time(kernels.context, [&] { return call.restore(); }, [&] { return call.launchAll(); }, options, stop);
    // The driver prints when it is waited for.
    const auto done = kernels.context->isLost() || stop.stop_requested() ? cuda::Result<void>() : kernels.context->synchronize("running the kernel");
    if (capture)
        log += capture->take();
    if (!done)
        return tl::unexpected(done.error());
    return samples;
}

}  // namespace tw::device

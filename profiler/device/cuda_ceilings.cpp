#include "profiler/device/cuda_ceilings.h"

#include "profiler/cuda/timing.h"

namespace tw::device {

cuda::Result<capture::Ceiling> measureCopyCeiling(const std::shared_ptr<cuda::Context>& context, std::int64_t bytes)
{
    if (auto done = context->enter(); !done)
        return tl::unexpected(done.error());
    auto from = cuda::Memory::allocate(context, bytes);
    if (!from)
        return tl::unexpected(from.error());
    auto to = cuda::Memory::allocate(context, bytes);
    if (!to)
        return tl::unexpected(to.error());
    if (auto done = (*from)->fill(1); !done)
        return tl::unexpected(done.error());
    const auto samples = cuda::time(context, {}, [&] { return (*to)->copyFrom(**from); }, {.warmUps = 1, .repeats = 5, .flushL2 = false});
    if (!samples)
        return tl::unexpected(samples.error());
    const double us = cuda::summarizeTimes(*samples).median;
    return capture::Ceiling{"DRAM", us > 0 ? 2 * static_cast<double>(bytes) / us * 1e6 : 0, true, capture::Origin::kMeasured};
}

}  // namespace tw::device

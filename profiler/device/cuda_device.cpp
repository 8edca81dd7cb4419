#include "profiler/device/cuda_device.h"

#include <fmt/core.h>

#include "profiler/device/cuda_executable.h"
#include "profiler/device/cuda_target.h"

namespace tw::device {
namespace {

class CudaDevice final : public Device {
public:
    CudaDevice(std::shared_ptr<cuda::Context> context, std::string target, protocol::CudaCompiler client)
        : context_(std::move(context)), target_(std::move(target)), client_(std::move(client))
    {
    }

    std::string name() const override { return fmt::format("cuda:{}", context_->device().ordinal); }
    unsigned stages() const override
    {
        using driver::StageWanted;
        return (StageWanted::kTrace | StageWanted::kCheck) | static_cast<unsigned>(StageWanted::kCuda);
    }
    std::optional<std::string> target() const override { return target_; }

    std::unique_ptr<Executable> load(const driver::CompileSnapshot& snapshot, DiagnosticSink& diagnostics) override
    {
        auto kernels = compileKernels(context_, snapshot, client_, diagnostics);
        return kernels ? makeExecutable(std::move(*kernels)) : nullptr;
    }

private:
    std::shared_ptr<cuda::Context> context_;
    std::string target_;
    protocol::CudaCompiler client_;
};

}  // namespace

tl::expected<std::unique_ptr<Device>, std::string> makeCudaDevice(int ordinal, const protocol::CudaCompiler& client)
{
    auto context = openCudaContext(ordinal);
    if (!context)
        return tl::unexpected(context.error());
    const cuda::DeviceInfo& device = (*context)->device();
    const auto target = targetFor(device.major, device.minor);
    if (!target)
        return tl::unexpected(fmt::format("not supported: {} has compute capability {}.{}, which is none of our targets", device.name, device.major, device.minor));
    return std::make_unique<CudaDevice>(std::move(*context), *target, client);
}

}  // namespace tw::device

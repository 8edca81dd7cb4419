#include "profiler/device/cuda_device.h"

#include <fmt/core.h>

#include "codegen/nvrtc/nvrtc.h"
#include "profiler/device/cuda_compile.h"
#include "profiler/device/cuda_executable.h"
#include "profiler/device/cuda_target.h"

namespace tw::device {
namespace {

std::string refusal(const cuda::Failure& failure)
{
    return "not supported: " + failure.message + (failure.remedy.empty() ? "" : "; " + failure.remedy);
}

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
        if (!runsHere(snapshot.target, diagnostics) || !snapshot.gpuProgram)
            return nullptr;  // where there is no program, the snapshot says why
        const gpu::GpuProgram& program = *snapshot.gpuProgram;
        const std::string text = nvrtc::withLineDirectives(program, &snapshot.program->sources());
        const protocol::CudaCompileResult compiled = compileAnywhere({snapshot.function->name, text, snapshot.target.name, program.fastMath}, client_);
        for (const Diagnostic& d : compiled.head.diagnostics)
            diagnostics.report(d);
        if (compiled.head.outcome != protocol::Outcome::kFine)
            return nullptr;
        auto executable = loadCuda(context_, snapshot.function, snapshot.gpuProgram, compiled.cubin);
        if (!executable) {
            diagnostics.report(toDiagnostic(executable.error(), snapshot.function->range));
            return nullptr;
        }
        return std::move(*executable);
    }

private:
    bool runsHere(const target::Target& target, DiagnosticSink& diagnostics) const
    {
        const cuda::DeviceInfo& device = context_->device();
        if (runsOn(target.name, device.major, device.minor))
            return true;
        diagnostics.error(Code::kNotSupported, {},
                          fmt::format("not supported: code for {} does not run on {}, which is {}", target.name, device.name, target_));
        return false;
    }

    std::shared_ptr<cuda::Context> context_;
    std::string target_;
    protocol::CudaCompiler client_;
};

}  // namespace

tl::expected<std::unique_ptr<Device>, std::string> makeCudaDevice(int ordinal, const protocol::CudaCompiler& client)
{
    auto driver = cuda::Driver::open();
    if (!driver)
        return tl::unexpected(refusal(driver.error()));
    auto context = cuda::Context::open(*driver, ordinal);
    if (!context)
        return tl::unexpected(refusal(context.error()));
    const cuda::DeviceInfo& device = (*context)->device();
    const auto target = targetFor(device.major, device.minor);
    if (!target)
        return tl::unexpected(fmt::format("not supported: {} has compute capability {}.{}, which is none of our targets", device.name, device.major, device.minor));
    return std::make_unique<CudaDevice>(std::move(*context), *target, client);
}

}  // namespace tw::device

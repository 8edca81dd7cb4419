#include "profiler/device/cuda_kernels.h"

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

bool runsHere(const cuda::DeviceInfo& device, const target::Target& target, DiagnosticSink& diagnostics)
{
    if (runsOn(target.name, device.major, device.minor))
        return true;
    diagnostics.error(Code::kNotSupported, {},
                      fmt::format("not supported: code for {} does not run on {}, which is {}", target.name, device.name,
                                  targetFor(device.major, device.minor).value_or("none of our targets")));
    return false;
}

}  // namespace

tl::expected<std::shared_ptr<cuda::Context>, std::string> openCudaContext(int ordinal)
{
    auto driver = cuda::Driver::open();
    if (!driver)
        return tl::unexpected(refusal(driver.error()));
    auto context = cuda::Context::open(*driver, ordinal);
    if (!context)
        return tl::unexpected(refusal(context.error()));
    return *context;
}

cuda::Result<CudaKernels> loadKernels(std::shared_ptr<cuda::Context> context, std::shared_ptr<const ir::Function> function,
                                      std::shared_ptr<const gpu::GpuProgram> program, std::string cubin)
{
    if (auto done = context->enter(); !done)
        return tl::unexpected(done.error());
    CudaKernels out{std::move(context), std::move(function), std::move(program), std::move(cubin), nullptr, {}};
    auto module = cuda::Module::load(out.context, out.cubin);
    if (!module)
        return tl::unexpected(module.error());
    out.module = std::move(*module);
    for (const gpu::KernelLaunch& launch : out.program->launches) {
        const auto entry = out.module->find(launch.entry);
        if (!entry)
            return tl::unexpected(entry.error());
        out.functions.push_back(*entry);
    }
    return out;
}

std::optional<CudaKernels> compileKernels(std::shared_ptr<cuda::Context> context, const driver::CompileSnapshot& snapshot,
                                          const protocol::CudaCompiler& client, DiagnosticSink& diagnostics)
{
    if (!runsHere(context->device(), snapshot.target, diagnostics) || !snapshot.gpuProgram)
        return std::nullopt;
    const gpu::GpuProgram& program = *snapshot.gpuProgram;
    const std::string text = nvrtc::withLineDirectives(program, &snapshot.program->sources());
    protocol::CudaCompileResult compiled = compileAnywhere({snapshot.function->name, text, snapshot.target.name, program.fastMath}, client);
    for (const Diagnostic& d : compiled.head.diagnostics)
        diagnostics.report(d);
    if (compiled.head.outcome != protocol::Outcome::kFine)
        return std::nullopt;
    auto kernels = loadKernels(std::move(context), snapshot.function, snapshot.gpuProgram, std::move(compiled.cubin));
    if (kernels)
        return std::move(*kernels);
    diagnostics.report(toDiagnostic(kernels.error(), snapshot.function->range));
    return std::nullopt;
}

}  // namespace tw::device

#include "profiler/device/cuda_executable.h"

#include "profiler/cuda/output_capture.h"
#include "profiler/cuda/timing.h"
#include "profiler/device/cuda_call.h"

namespace tw::device {
namespace {

constexpr int kWarmUps = 2;

class CudaExecutable final : public Executable {
public:
    CudaExecutable(std::shared_ptr<cuda::Context> context, std::shared_ptr<const ir::Function> function,
                   std::shared_ptr<const gpu::GpuProgram> program, std::unique_ptr<cuda::Module> module,
                   std::vector<cuda::api::Function> functions)
        : context_(std::move(context)), function_(std::move(function)), program_(std::move(program)), module_(std::move(module)),
          functions_(std::move(functions))
    {
    }

    bool run(interp::Arguments& arguments, int repeat, RunReport& report, DiagnosticSink& diagnostics, const std::function<void(double)>&,
             std::stop_token stop) override
    {
        report.clock = "device events";
        const bool ok = runPrepared(arguments, repeat, report, diagnostics, stop);
        report.deviceIsLost = context_->isLost() || stillRuns_;
        return ok;
    }

private:
    bool runPrepared(interp::Arguments& arguments, int repeat, RunReport& report, DiagnosticSink& diagnostics, std::stop_token stop)
    {
        const auto failed = [&](const cuda::Failure& failure) {
            diagnostics.report(toDiagnostic(failure, where()));
            return false;
        };
        if (auto done = context_->enter(); !done)
            return failed(done.error());
        CudaCall call(context_, *function_, *program_, functions_, arguments);
        if (!call.prepare(diagnostics))
            return false;
        const bool isRepeated = repeat > 1;
        if (isRepeated)
            if (auto done = call.keepInputs(); !done)
                return failed(done.error());
        // The first run is the one whose output counts; it also finds faults before anything is repeated.
        auto samples = measure(call, {0, 1, false}, report.log, stop);
        if (samples && isRepeated && samples->size() == 1) {
            std::string unused;
            samples = measure(call, {kWarmUps, repeat, true}, unused, stop);
        }
        if (!samples)
            return failed(samples.error());
        if (stop.stop_requested() || samples->empty()) {
            stillRuns_ = true;
            return false;
        }
        report.samplesUs = std::move(*samples);
        return call.finish(arguments, diagnostics);
    }

    cuda::Result<std::vector<double>> measure(CudaCall& call, const cuda::TimingOptions& options, std::string& log, const std::stop_token& stop)
    {
        std::optional<cuda::OutputCapture> capture;
        if (program_->prints)
            capture.emplace();
        auto samples = cuda::time(context_, [&] { return call.restore(); }, [&] { return call.launchAll(); }, options, stop);
        // The driver prints when it is waited for.
        const auto done = context_->isLost() || stop.stop_requested() ? cuda::Result<void>() : context_->synchronize("running the kernel");
        if (capture)
            log += capture->take();
        if (!done)
            return tl::unexpected(done.error());
        return samples;
    }

    SourceRange where() const { return program_->launches.empty() ? function_->range : program_->launches.front().range; }

    std::shared_ptr<cuda::Context> context_;
    std::shared_ptr<const ir::Function> function_;
    std::shared_ptr<const gpu::GpuProgram> program_;
    std::unique_ptr<cuda::Module> module_;
    std::vector<cuda::api::Function> functions_;  // one a launch
    bool stillRuns_ = false;                      // a kernel that was not waited for
};

}  // namespace

Diagnostic toDiagnostic(const cuda::Failure& failure, const SourceRange& range)
{
    Diagnostic d;
    d.range = range;
    d.message = failure.message;
    switch (failure.kind) {
        case cuda::FailureKind::kFault: d.code = failure.result == cuda::api::kAssert ? Code::kDeviceAssert : Code::kOutOfBounds; break;
        case cuda::FailureKind::kBadLaunch: d.code = Code::kCapacity; break;
        default:
            d.code = Code::kNotSupported;
            d.message = "not supported: " + failure.message;
    }
    if (!failure.remedy.empty())
        d.notes.push_back({range, failure.remedy});
    return d;
}

cuda::Result<std::unique_ptr<Executable>> loadCuda(std::shared_ptr<cuda::Context> context, std::shared_ptr<const ir::Function> function,
                                                  std::shared_ptr<const gpu::GpuProgram> program, const std::string& cubin)
{
    if (auto done = context->enter(); !done)
        return tl::unexpected(done.error());
    auto module = cuda::Module::load(context, cubin);
    if (!module)
        return tl::unexpected(module.error());
    std::vector<cuda::api::Function> functions;
    for (const gpu::KernelLaunch& launch : program->launches) {
        const auto entry = (*module)->find(launch.entry);
        if (!entry)
            return tl::unexpected(entry.error());
        functions.push_back(*entry);
    }
    return std::make_unique<CudaExecutable>(std::move(context), std::move(function), std::move(program), std::move(*module), std::move(functions));
}

}  // namespace tw::device

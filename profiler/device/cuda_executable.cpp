#include "profiler/device/cuda_executable.h"

#include "profiler/device/cuda_timing.h"

namespace tw::device {
namespace {

class CudaExecutable final : public Executable {
public:
    explicit CudaExecutable(CudaKernels kernels) : kernels_(std::move(kernels)) {}

    bool run(interp::Arguments& arguments, int repeat, RunReport& report, DiagnosticSink& diagnostics, const std::function<void(double)>&,
             std::stop_token stop) override
    {
        report.clock = "device events";
        const bool ok = runPrepared(arguments, repeat, report, diagnostics, stop);
        report.deviceIsLost = kernels_.context->isLost() || stillRuns_;
        return ok;
    }

private:
    bool runPrepared(interp::Arguments& arguments, int repeat, RunReport& report, DiagnosticSink& diagnostics, std::stop_token stop)
    {
        const auto failed = [&](const cuda::Failure& failure) {
            diagnostics.report(toDiagnostic(failure, where()));
            return false;
        };
        if (auto done = kernels_.context->enter(); !done)
            return failed(done.error());
        CudaCall call(kernels_, arguments);
        if (!call.prepare(diagnostics))
            return false;
        const bool isRepeated = repeat > 1;
        if (isRepeated)
            if (auto done = call.keepInputs(); !done)
                return failed(done.error());
        // The first run is the one whose output counts; it also finds faults before anything is repeated.
        auto samples = timeCall(call, kernels_, {0, 1, false}, report.log, stop);
        if (samples && isRepeated && samples->size() == 1) {
            std::string unused;
            samples = timeCall(call, kernels_, {kWarmUpRounds, repeat, true}, unused, stop);
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

    SourceRange where() const { return kernels_.program->launches.empty() ? kernels_.function->range : kernels_.program->launches.front().range; }

    CudaKernels kernels_;
    bool stillRuns_ = false;  // a kernel that was not waited for
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

std::unique_ptr<Executable> makeExecutable(CudaKernels kernels) { return std::make_unique<CudaExecutable>(std::move(kernels)); }

}  // namespace tw::device

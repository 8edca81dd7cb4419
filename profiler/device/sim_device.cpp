#include "profiler/device/sim_device.h"

#include <fmt/format.h>

#include "core/sim/sim.h"
#include "profiler/device/strided.h"

namespace tw::device {
namespace {

// The code to run; null with a diagnostic for a target that the simulator does not play, and without one where the passes have said why
// there is none.
std::shared_ptr<const ir::Function> threadStage(const driver::CompileSnapshot& snapshot, DiagnosticSink& diagnostics)
{
    if (!snapshot.target.isCuda()) {
        diagnostics.error(Code::kNotSupported, {},
                          fmt::format("not supported: the simulator runs code for NVIDIA GPUs, and {} is none; --target sm_90a is one",
                                      snapshot.target.name));
        return nullptr;
    }
    auto function = snapshot.passes.empty() ? nullptr : snapshot.passes.back().after;
    return function && function->stage == ir::Stage::kThread ? function : nullptr;
}

class SimExecutable final : public Executable {
public:
    explicit SimExecutable(std::shared_ptr<const ir::Function> function) : function_(std::move(function)) {}

    bool run(interp::Arguments& arguments, int repeat, RunReport& report, DiagnosticSink& diagnostics,
             const std::function<void(double)>& progress, std::stop_token stop) override
    {
        sim::SimOptions options;
        options.progress = progress;
        return repeatOnHost(arguments, repeat, report, [&](interp::Arguments& values, std::string& log) {
            const PointerOrder order(*function_, values);
            sim::SimResult result = sim::simulate(*function_, values, options, diagnostics, stop);
            order.restore(values);
            log += result.log;
            report.simulation = std::move(result.report);
            return result.ok;
        });
    }

private:
    std::shared_ptr<const ir::Function> function_;
};

class SimDevice final : public Device {
public:
    std::string name() const override { return "sim"; }
    unsigned stages() const override
    {
        using driver::StageWanted;
        return (StageWanted::kTrace | StageWanted::kCheck) | static_cast<unsigned>(StageWanted::kPasses);
    }
    std::unique_ptr<Executable> load(const driver::CompileSnapshot& snapshot, DiagnosticSink& diagnostics) override
    {
        auto function = threadStage(snapshot, diagnostics);
        return function ? std::make_unique<SimExecutable>(std::move(function)) : nullptr;
    }
};

}  // namespace

std::unique_ptr<Device> makeSimDevice() { return std::make_unique<SimDevice>(); }

}  // namespace tw::device

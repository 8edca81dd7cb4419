#include "profiler/device/interp_device.h"

#include "core/interp/interpreter.h"
#include "profiler/device/strided.h"

namespace tw::device {
namespace {

class InterpExecutable final : public Executable {
public:
    explicit InterpExecutable(std::shared_ptr<const ir::Function> function) : function_(std::move(function)) {}

    bool run(interp::Arguments& arguments, int repeat, RunReport& report, DiagnosticSink& diagnostics,
             const std::function<void(double)>& progress, std::stop_token stop) override
    {
        interp::RunOptions options;
        options.progress = progress;
        const PointerOrder order(*function_, arguments);
        const bool ok = repeatOnHost(arguments, repeat, report, [&](interp::Arguments& values, std::string& log) {
            interp::RunResult result = interp::run(*function_, values, options, diagnostics, stop);
            log += result.log;
            return result.ok;
        });
        order.restore(arguments);
        return ok;
    }

private:
    std::shared_ptr<const ir::Function> function_;
};

class InterpDevice final : public Device {
public:
    std::string name() const override { return "interp"; }
    unsigned stages() const override { return driver::StageWanted::kTrace | driver::StageWanted::kCheck; }
    std::unique_ptr<Executable> load(const driver::CompileSnapshot& snapshot, DiagnosticSink&) override
    {
        return std::make_unique<InterpExecutable>(snapshot.function);
    }
};

}  // namespace

std::unique_ptr<Device> makeInterpDevice() { return std::make_unique<InterpDevice>(); }

}  // namespace tw::device

#include "profiler/device/cpu_device.h"

#include "codegen/llvm/cpu_kernel.h"
#include "profiler/device/strided.h"

namespace tw::device {
namespace {

class CpuExecutable final : public Executable {
public:
    CpuExecutable(std::shared_ptr<const ir::Function> function, std::unique_ptr<llvm_backend::CpuKernel> kernel)
        : function_(std::move(function)), kernel_(std::move(kernel))
    {
    }

    // The compiled kernel reports no progress of its own.
    bool run(interp::Arguments& arguments, int repeat, RunReport& report, DiagnosticSink& diagnostics, const std::function<void(double)>&,
             std::stop_token stop) override
    {
        const PointerOrder order(*function_, arguments);
        const bool ok = repeatOnHost(arguments, repeat, report, [&](interp::Arguments& values, std::string& log) {
            return kernel_->run(values, 0, log, diagnostics, stop);
        });
        order.restore(arguments);
        return ok;
    }

private:
    std::shared_ptr<const ir::Function> function_;
    std::unique_ptr<llvm_backend::CpuKernel> kernel_;
};

class CpuDevice final : public Device {
public:
    std::string name() const override { return "cpu"; }
    unsigned stages() const override
    {
        using driver::StageWanted;
        return (StageWanted::kTrace | StageWanted::kCheck) | static_cast<unsigned>(StageWanted::kCpuLowered);
    }
    std::unique_ptr<Executable> load(const driver::CompileSnapshot& snapshot, DiagnosticSink& diagnostics) override
    {
        if (!snapshot.cpuFunction)
            return nullptr;
        auto kernel = llvm_backend::compileForCpu(snapshot.cpuFunction, diagnostics);
        return kernel ? std::make_unique<CpuExecutable>(snapshot.function, std::move(kernel)) : nullptr;
    }
};

}  // namespace

std::unique_ptr<Device> makeCpuDevice() { return std::make_unique<CpuDevice>(); }

}  // namespace tw::device

// One call of a GPU program: its memory, its launches with everything evaluated.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "codegen/gpu_c/gpu_program.h"
#include "core/interp/tensor.h"
#include "core/support/diagnostic.h"
#include "profiler/cuda/launch.h"
#include "profiler/cuda/memory.h"
#include "profiler/device/cuda_kernels.h"
#include "profiler/device/host_values.h"

namespace tw::device {

class CudaCall {
public:
    // `kernels` outlives the call.
    CudaCall(const CudaKernels& kernels, const interp::Arguments& arguments);

    // Evaluates, allocates and uploads. False with a diagnostic: an assertion of the host that does not hold, a value that cannot
    // be evaluated, memory that the GPU does not have.
    [[nodiscard]] bool prepare(DiagnosticSink& diagnostics);
    // Keeps the written tensors' values, so that `restore` can bring them back.
    [[nodiscard]] cuda::Result<void> keepInputs();
    [[nodiscard]] cuda::Result<void> restore();
    // Puts every launch into the stream, in order.
    [[nodiscard]] cuda::Result<void> launchAll();
    // The same one by one: what every launch needs before it, and launch `i` of `launches`.
    [[nodiscard]] cuda::Result<void> clearWorkspaces();
    [[nodiscard]] cuda::Result<void> launch(std::size_t i);
    // Waits, then downloads the written tensors into `arguments`. False with a diagnostic: a store outside a tensor.
    [[nodiscard]] bool finish(interp::Arguments& arguments, DiagnosticSink& diagnostics);
    // Of the program's list; after `prepare`.
    [[nodiscard]] cuda::Memory& workspace(int index) { return *workspaces_.at(static_cast<std::size_t>(index)); }

    struct Launch {
        std::size_t index = 0;  // into the program's launches: those whose condition holds are made
        cuda::api::Function function = nullptr;
        cuda::LaunchShape shape;
        cuda::ParameterList parameters;
    };
    [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }
    // Launches the same kernels as loaded another time. One a launch of the program.
    void use(const std::vector<cuda::api::Function>& functions);

private:
    struct Tensor {
        std::string name;
        StridedLayout layout;
        bool isWritten = false;
        std::unique_ptr<cuda::Memory> memory, kept;
    };

    bool checkAsserts(DiagnosticSink& diagnostics);
    bool makeTensors(DiagnosticSink& diagnostics);
    bool makeWorkspaces(DiagnosticSink& diagnostics);
    bool makeMaps(DiagnosticSink& diagnostics);
    bool makeLaunches(DiagnosticSink& diagnostics);
    bool addParameter(const gpu::Argument& argument, Launch& launch, const SourceRange& range, DiagnosticSink& diagnostics);
    bool addScalar(const gpu::Argument& argument, std::variant<std::int64_t, double> value, Launch& launch);
    [[nodiscard]] std::vector<std::int64_t> evaluate(std::span<const ir::Expr> list, const std::string& what, DiagnosticSink& diagnostics);

    std::shared_ptr<cuda::Context> context_;
    const ir::Function& function_;
    const gpu::GpuProgram& program_;
    const std::vector<cuda::api::Function>& functions_;
    const interp::Arguments& arguments_;
    HostValues values_;
    std::map<int, Tensor> tensors_;  // by index of the parameter
    std::vector<std::unique_ptr<cuda::Memory>> workspaces_;
    std::vector<cuda::api::TensorMap> maps_;
    std::vector<Launch> launches_;
};

}  // namespace tw::device

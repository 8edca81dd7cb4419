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
#include "profiler/device/host_values.h"

namespace tw::device {

class CudaCall {
public:
    // `functions`: one a launch of `program`.
    CudaCall(std::shared_ptr<cuda::Context> context, const ir::Function& function, const gpu::GpuProgram& program,
             const std::vector<cuda::api::Function>& functions, const interp::Arguments& arguments);

    // Evaluates, allocates and uploads. False with a diagnostic: an assertion of the host that does not hold, a value that cannot
    // be evaluated, memory that the GPU does not have.
    [[nodiscard]] bool prepare(DiagnosticSink& diagnostics);
    // Keeps the written tensors' values, so that `restore` can bring them back.
    [[nodiscard]] cuda::Result<void> keepInputs();
    [[nodiscard]] cuda::Result<void> restore();
    // Puts every launch into the stream, in order.
    [[nodiscard]] cuda::Result<void> launchAll();
    // Waits, then downloads the written tensors into `arguments`. False with a diagnostic: a store outside a tensor.
    [[nodiscard]] bool finish(interp::Arguments& arguments, DiagnosticSink& diagnostics);

private:
    struct Tensor {
        std::string name;
        StridedLayout layout;
        bool isWritten = false;
        std::unique_ptr<cuda::Memory> memory, kept;
    };
    struct Launch {
        cuda::api::Function function = nullptr;
        cuda::LaunchShape shape;
        cuda::ParameterList parameters;
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

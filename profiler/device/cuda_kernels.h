// A compiled snapshot as machine code in a GPU's context.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/driver/compile.h"
#include "profiler/cuda/context.h"
#include "profiler/protocol/messages.h"

namespace tw::device {

struct CudaKernels {
    std::shared_ptr<cuda::Context> context;
    std::shared_ptr<const ir::Function> function;     // whose parameters the program's arguments name
    std::shared_ptr<const gpu::GpuProgram> program;
    std::string cubin;
    std::unique_ptr<cuda::Module> module;             // of `cubin`
    std::vector<cuda::api::Function> functions;       // one a launch of `program`
};

// Opens the driver and a GPU. Fails with a sentence that starts "not supported: ".
[[nodiscard]] tl::expected<std::shared_ptr<cuda::Context>, std::string> openCudaContext(int ordinal);

// Puts machine code into the context and finds the program's kernels in it.
[[nodiscard]] cuda::Result<CudaKernels> loadKernels(std::shared_ptr<cuda::Context> context, std::shared_ptr<const ir::Function> function,
                                                    std::shared_ptr<const gpu::GpuProgram> program, std::string cubin);

// Compiles the snapshot's program (cache, NVRTC here, else `client`) and loads it. Empty with a diagnostic: code for another GPU,
// no compiler, a program that does not compile or load. Empty without one: no program, for which the snapshot gives the reason.
[[nodiscard]] std::optional<CudaKernels> compileKernels(std::shared_ptr<cuda::Context> context, const driver::CompileSnapshot& snapshot,
                                                        const protocol::CudaCompiler& client, DiagnosticSink& diagnostics);

}  // namespace tw::device

// A function compiled for this machine's processor, ready to run.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/interp/tensor.h"
#include "core/ir/stmt.h"
#include "core/support/diagnostic.h"

namespace tw::llvm_backend {

struct EmittedText {
    std::string text;
    // For each line of `text` (from 1): the IR provenance it came from.
    std::vector<std::pair<int, ir::Provenance>> lines;
};

// Thread-stage IR of the CPU pipeline (core/passes, target "cpu") to text. `optimized`: after LLVM's passes.
[[nodiscard]] EmittedText emitLlvmIr(const ir::Function& function, bool optimized, DiagnosticSink& diagnostics);
[[nodiscard]] EmittedText emitAssembly(const ir::Function& function, DiagnosticSink& diagnostics);
[[nodiscard]] std::string emitObject(const ir::Function& function, DiagnosticSink& diagnostics);

class CpuKernel {
public:
    virtual ~CpuKernel() = default;
    // Blocks are spread over `threads` worker threads (0: all cores). Returns false with a diagnostic on a failed device
    // assertion, an out-of-bounds access that was checked, or cancellation between blocks. `log` gets T.print's text.
    virtual bool run(interp::Arguments& arguments, int threads, std::string& log, DiagnosticSink& diagnostics,
                     std::stop_token stop) = 0;
};

// JIT-compiles. Null with a diagnostic ("not supported: …") for what the processor cannot do.
[[nodiscard]] std::unique_ptr<CpuKernel> compileForCpu(std::shared_ptr<const ir::Function> function,
                                                       DiagnosticSink& diagnostics);

}  // namespace tw::llvm_backend

// From an LLVM module to optimised IR, assembly, an object file, or code in memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/llvm/cpu_kernel.h"
#include "core/ir/stmt.h"
#include "core/support/diagnostic.h"

namespace tw::llvm_backend {

// `void tw_host(RunState*, void** tensors, int64 or double* scalars, int64* symbols)`.
using HostFunction = void (*)(void* run, void* const* tensors, const void* scalars, const std::int64_t* symbols);

// Code in memory; it goes with the object.
class CompiledCode {
public:
    virtual ~CompiledCode() = default;
    HostFunction host = nullptr;
    std::vector<ir::Provenance> provenances;  // of debug lines, the first is line 1
};

enum class TextKind { kUnoptimizedIr, kOptimizedIr, kAssembly };

// Null or empty with a diagnostic if the function cannot be emitted.
[[nodiscard]] std::unique_ptr<CompiledCode> compileToMemory(const ir::Function& function, DiagnosticSink& diagnostics);
[[nodiscard]] EmittedText compileToText(const ir::Function& function, TextKind kind, DiagnosticSink& diagnostics);
[[nodiscard]] std::string compileToObject(const ir::Function& function, DiagnosticSink& diagnostics);

}  // namespace tw::llvm_backend

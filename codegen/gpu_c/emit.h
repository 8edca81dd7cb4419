// Thread-stage IR to the text of a GPU language and what a host needs to launch it.
#pragma once

#include <optional>

#include "codegen/gpu_c/spelling.h"
#include "core/support/diagnostic.h"

namespace tw::gpu {

// `function` is in the thread stage of a GPU (core/passes/README.md). Empty with a diagnostic ("not supported: …", at the line
// that asks for it) for what the language or target cannot do. `sources` gives comments and #line directives; it may be null.
[[nodiscard]] std::optional<GpuProgram> emitProgram(const ir::Function& function, Spelling& spelling, const SourceSet* sources, DiagnosticSink& diagnostics);

}  // namespace tw::gpu

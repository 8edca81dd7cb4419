// A compiled kernel once more, with stage records in it (core/passes/record_stages.h).
#pragma once

#include <optional>

#include "codegen/driver/compile.h"
#include "codegen/gpu_c/stage_records.h"
#include "core/passes/record_stages.h"

namespace tw::driver {

struct RecordedProgram {
    std::shared_ptr<const ir::Function> function;  // thread stage, with records
    std::shared_ptr<const gpu::GpuProgram> program;
    std::vector<gpu::StageRecords> records;  // of the launches that make some
};

// `snapshot`: compiled for a CUDA target, with the passes or more; its own code stays as it is. Empty with a diagnostic where it
// has no thread stage or the text cannot be made. Any thread.
[[nodiscard]] std::optional<RecordedProgram> recordProgram(const CompileSnapshot& snapshot, const passes::RecordOptions& options,
                                                           DiagnosticSink& diagnostics);

}  // namespace tw::driver

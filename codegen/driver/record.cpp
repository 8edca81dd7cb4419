#include "codegen/driver/record.h"

#include <fmt/format.h>

#include "codegen/cuda/cuda.h"

namespace tw::driver {

std::optional<RecordedProgram> recordProgram(const CompileSnapshot& snapshot, const passes::RecordOptions& options, DiagnosticSink& diagnostics)
{
    const auto lowered = snapshot.passes.empty() ? nullptr : snapshot.passes.back().after;
    if (!lowered || lowered->stage != ir::Stage::kThread || !snapshot.target.isCuda()) {
        diagnostics.error(Code::kNotSupported, snapshot.function ? snapshot.function->range : SourceRange{},
                          fmt::format("not supported: a timeline of this kernel on {}: it has no code for the threads of an NVIDIA GPU", snapshot.target.name));
        return std::nullopt;
    }
    RecordedProgram out;
    out.function = std::make_shared<const ir::Function>(passes::recordStages(*lowered, options));
    auto program = cuda_backend::emitCuda(*out.function, snapshot.target, &snapshot.program->sources(), diagnostics);
    if (!program)
        return std::nullopt;
    out.records = gpu::stageRecords(*out.function, *program);
    out.program = std::make_shared<const gpu::GpuProgram>(std::move(*program));
    return out;
}

}  // namespace tw::driver

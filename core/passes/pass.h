// What every pass is given, and what the pipeline records about it.
//
// A pass is one pair of files with one function, `ir::Function name(const ir::Function&, PassContext&)`: pure, with a
// contract comment (requires, leaves). The pipeline, not the pass, verifies, times, records and checks cancellation.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ir/stmt.h"
#include "core/support/diagnostic.h"
#include "core/target/target.h"

namespace tw::passes {

// Why a tile has its layout.
struct LayoutReason {
    std::string buffer;
    std::string why;  // who demanded it
    std::int64_t registers = 0, copies = 1;
};

struct PassContext {
    const target::Target& target;
    DiagnosticSink& diagnostics;
    std::stop_token stop;
    std::vector<LayoutReason> layoutReasons{};  // filled by inferLayouts
    [[nodiscard]] bool stopRequested() const { return stop.stop_requested(); }
};

struct PassRecord {
    std::string name;
    std::shared_ptr<const ir::Function> after;  // `before` is the record in front of it
    bool changed = false;
    double milliseconds = 0;
};

using Pass = ir::Function (*)(const ir::Function&, PassContext&);
struct PipelineStep {
    const char* name;
    Pass pass;
    const char* reason;  // why it stands here
};

// The passes for a target, in order.
[[nodiscard]] const std::vector<PipelineStep>& pipelineFor(const target::Target& target);

struct PipelineResult {
    std::shared_ptr<const ir::Function> function;  // after the last pass that ran; empty only if `input` is broken
    std::vector<PassRecord> records;               // the first record, "trace", is the input itself
    bool complete = false;                         // false: an error, or cancelled
};
// Runs the pipeline. After each pass the IR is verified; a broken invariant or an InternalError becomes one diagnostic that
// names the pass, and the pipeline stops there.
[[nodiscard]] PipelineResult runPipeline(std::shared_ptr<const ir::Function> input, PassContext& context);

}  // namespace tw::passes

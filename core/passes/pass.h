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

// A layout that a tile could have had, and what it costs (modelled).
struct LayoutCandidate {
    std::string layout;       // in words
    std::string wantedBy;     // the operations that demand it; empty: proposed by the compiler itself
    ir::Provenance where{};   // the first of them
    std::int64_t cost = 0;    // in LayoutReason::unit
    bool chosen = false;
};
// Why a tile has its layout.
struct LayoutReason {
    std::string buffer;
    std::string why;  // who demanded it
    std::int64_t registers = 0, copies = 1;  // of fragments; 0 registers: in shared memory
    ir::Provenance demandedBy{};             // the operation; no range: none
    std::string unit{};                      // of the candidates' costs
    std::vector<LayoutCandidate> candidates{};
};

// Where planSharedMemory put a buffer, and how long it lives.
struct SharedPlacement {
    int launch = 0;  // number in the function
    std::string buffer;
    std::int64_t offset = 0, bytes = 0;  // in the block's shared memory
    int first = 0, last = 0;             // steps of the launch in which it is in use, both inclusive
    ir::Provenance allocated;
};
// A step of a launch: positions in program order that placements count in.
struct LaunchStep {
    int launch = 0, position = 0;
    ir::Provenance where;
};

// Why insertBarriers put a meeting or a fence where it is.
struct SyncReason {
    ir::OpId inserted{};                   // sync_threads, a named barrier, sync_warp, a proxy fence
    std::string buffer;                    // in which the two accesses meet
    bool earlierWrites = false, laterWrites = false;
    bool certain = true;                   // false: that they meet could not be excluded
    ir::Provenance at, earlier, later;     // the statement behind the barrier; the accesses
};

struct PassContext {
    const target::Target& target;
    DiagnosticSink& diagnostics;
    std::stop_token stop;
    std::vector<LayoutReason> layoutReasons{};       // filled by inferLayouts
    std::vector<SharedPlacement> placements{};       // by planSharedMemory
    std::vector<LaunchStep> steps{};                 // by planSharedMemory
    std::vector<SyncReason> syncReasons{};           // by insertBarriers
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

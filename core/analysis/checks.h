// The parts of check(), one question each; private to core/analysis.
#pragma once

#include "core/ir/stmt.h"
#include "core/support/diagnostic.h"
#include "core/target/target.h"

namespace tw::analysis {

struct CheckContext {
    const ir::Function& function;
    const target::Target& target;
    DiagnosticSink& diagnostics;

    // What the target cannot do: a mistake of the file if it names the target itself, else something that this target does
    // not support.
    void reportTarget(Code code, const SourceRange& range, const std::string& message) const;
};

// Nesting: tile operations, pipelines and barriers in parallel loops, private arrays indexed by their variables.
void checkStructure(const CheckContext& context);
// Two indexings of a fragment in one nest; variables of symbolic extent as fragment indices.
void checkFragments(const CheckContext& context);
// Thread counts, whole warps, barriers that not all threads reach.
void checkThreads(const CheckContext& context);
// Sizes of clusters, grids that they divide, and the blocks that copies name.
void checkClusters(const CheckContext& context);
// Shared memory and the tiles of threads against what the target has.
void checkCapacity(const CheckContext& context);
// Indices that certainly leave their extent.
void checkIndices(const CheckContext& context);
// Wide accesses by hand that certainly do not begin at a multiple of their width.
void checkAlignment(const CheckContext& context);
// Elements of on-chip buffers that are certainly read before they are written.
void checkInitialization(const CheckContext& context);
// Iterations of a parallel loop that certainly collide.
void checkRaces(const CheckContext& context);
// Warp partitions of products and instruction shapes.
void checkProducts(const CheckContext& context);
// Deferred reductions that are used before they begin or never end.
void checkReducers(const CheckContext& context);
// Copies and manual schedules of pipelined loops.
void checkPipelines(const CheckContext& context);
// User layouts that put two elements in one place, or elements of a fragment in threads that are not there.
void checkLayouts(const CheckContext& context);
// Asynchronous copies and products that nothing waits for; boxes of the TMA unit.
void checkAsync(const CheckContext& context);
// Element types of atomics, barriers of bulk copies, instructions that the target lacks.
void checkFeatures(const CheckContext& context);
// What an author asks for and does not get, as warnings.
void checkHints(const CheckContext& context);

}  // namespace tw::analysis

#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Decides how a CPU runs the threads of each launch and writes it into the launch's attribute "execution":
//   "block"    nothing depends on the thread: the body runs once a block
//   "threads"  every thread runs, those of a block (of a cluster, where the launch has one) together
//   "grid"     the same, with all blocks of the launch together: there is a grid-wide barrier
// and, with "polls", that its threads wait for each other by looking at memory: no thread may run to its end alone.
// Requires: tile stage.  Leaves: tile stage, every launch with its "execution".
[[nodiscard]] ir::Function planThreads(const ir::Function& in, PassContext& context);

// Whether the launch runs as threads.
[[nodiscard]] bool runsThreads(const ir::Launch& launch);
// Memory that every thread has for itself.
[[nodiscard]] bool isPrivate(const ir::Buffer& buffer);

}  // namespace tw::passes

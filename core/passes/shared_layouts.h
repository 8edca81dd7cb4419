// Layouts of shared buffers that no product asks for, chosen by counting how their accesses meet in the banks.
#pragma once

#include <set>
#include <span>

#include "core/passes/layout_solver.h"

namespace tw::passes {

struct SharedQuestion {
    std::span<const LayoutSite> sites;
    std::vector<const ir::BufferNode*> open;           // to be laid out: no view looks at them, nobody demands a layout
    std::vector<const ir::StmtNode*> freeNests;        // whose threads no fragment and no author decides
    std::set<const ir::BufferNode*> elsewhere;         // buffers with accesses outside of nests: those stay row-major
    std::int64_t spareBytes = 0;                       // of shared memory, for padding
};

// Fills `solution.shared` for the open buffers, changes `solution.nests` of free nests where that makes accesses cheaper, and records
// the candidates in `solution.reasons`. Candidates are row-major, chunks of 4 to 16 bytes exchanged by the row, and padding; for each,
// every free nest that touches the buffer takes the cheapest of its layouts (which lie as well in global memory as the one it had). Row-major
// stays where nothing is cheaper. Requires: all other buffers and nests are settled.
void chooseSharedLayouts(const SharedQuestion& question, LayoutSolution& solution);

}  // namespace tw::passes

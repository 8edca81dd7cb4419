// What else a fragment's layout could have been: every layout that an operation asks for, and what choosing it would cost.
#pragma once

#include "core/passes/layout_solver.h"

namespace tw::passes {

// Adds candidates to the reasons of the fragments. The cost of one (modelled) is what the operations that want another layout move
// through shared memory to get it: each writes the tile and reads it back.  Requires: everything is settled.
void explainFragments(std::span<const LayoutSite> sites, LayoutSolution& solution);

}  // namespace tw::passes

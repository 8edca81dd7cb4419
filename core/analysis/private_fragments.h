// Fragments that a program uses as every thread's own registers.
#pragma once

#include "core/ir/stmt.h"

namespace tw::analysis {

// A fragment that only plain loads and stores (and fills) of the threads touch, outside of parallel nests and tile operations, has no
// distribution: each thread works on a copy of its own, as on T.alloc_local. Where such copies differ between threads, the result says so
// (scope local); a fragment whose copies are all alike stays one tile.
// Requires: tile stage. Leaves: the same function where there is no such fragment. Any thread.
[[nodiscard]] ir::Function privateFragments(const ir::Function& in);

}  // namespace tw::analysis

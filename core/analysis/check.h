// What is certainly wrong with a tile-stage function, whatever device will run it (language.md g.2, g.2a).
#pragma once

#include "core/ir/stmt.h"
#include "core/support/diagnostic.h"
#include "core/target/target.h"

namespace tw::analysis {

// Reports structure errors (tile operations in parallel loops, …), certainly uninitialised reads, races, divergent barriers,
// indices outside constant extents, shared memory and threads beyond the target, warp partitions of products, instruction
// shapes, layouts that are not injective, features that the target lacks. Certain mistakes are errors, possible ones
// warnings. One diagnostic a cause.
void check(const ir::Function& function, const target::Target& target, DiagnosticSink& diagnostics);

}  // namespace tw::analysis

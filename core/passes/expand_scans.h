#pragma once

#include "core/ir/stmt.h"

namespace tw::passes {

// T.cumsum or T.cummax as parallel nests for `threads` threads that work together; 0: as plain loops, for each thread on its own.
// Sums of narrow floats are formed in float32 (language.md g.2b).
[[nodiscard]] ir::Stmt expandScan(const ir::OpCall& call, std::int64_t threads, const ir::Provenance& where);

}  // namespace tw::passes

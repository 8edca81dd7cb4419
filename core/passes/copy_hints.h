// What an author asks of a copy's instruction: prefer_instruction of T.copy, prefer_async of T.Parallel.
#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Whether T.copy shall be done by the TMA unit, and can be. A warning at `where` if it asks in vain. `problem`: what else keeps it, or empty.
[[nodiscard]] bool wantsBulk(const ir::OpCall& copy, std::string problem, const ir::Provenance& where, PassContext& context);
// Whether T.copy shall be done by cp.async. A warning at `where`, and false, if the copy asks for an instruction that cannot do it or
// that the target does not have: a wish that is not granted is never silent.
[[nodiscard]] bool wantsAsync(const ir::OpCall& copy, const ir::Provenance& where, PassContext& context);
// Whether a parallel loop asks for cp.async and has something for it: an element of global memory that goes to shared memory as it is. A
// warning where it asks in vain.
[[nodiscard]] bool wantsAsync(const ir::For& loop, PassContext& context);
// Warns of the wishes of a pipelined loop's copies that its schedule took away: `before` and `after` are the loop and what it became.
void reportAheadBy(const ir::Stmt& before, const ir::Stmt& after, bool byRegisters, PassContext& context);
// An asynchronous statement, committed and waited for. `wait` false: both are left to the author.
[[nodiscard]] ir::Stmt finished(const ir::Stmt& started, bool wait);

}  // namespace tw::passes

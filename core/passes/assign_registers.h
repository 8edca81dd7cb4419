#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Register budgets of a launch. Without setmaxnreg the assembler decides within the launch bounds, and nothing is done.
// Where the author moves registers between warp groups (T.set_max_nreg), the launch gets a bound of one block a multiprocessor
// if it has none, so that the assembler knows what every thread starts with, and the budgets are added up: more than the
// launch gave would make the request wait for ever. That, and threads that are not whole warp groups, are errors at the author's
// line.
// Requires: thread stage.  Leaves: the same stage.
[[nodiscard]] ir::Function assignRegisters(const ir::Function& in, PassContext& context);

}  // namespace tw::passes

#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Folds what is certain: comparisons that the ranges of loops and launches decide, arms that are never taken, loops that
// never run, arithmetic on constants.
// Requires: a verified function of either stage.  Leaves: the same meaning; floating-point arithmetic as it was.
[[nodiscard]] ir::Function simplify(const ir::Function& in, PassContext& context);

}  // namespace tw::passes

// Checks the invariants of the IR that every pass may rely on.
#pragma once

#include <string>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::ir {

// Each broken invariant in one sentence: a variable or buffer used outside the statement that binds it or bound twice, a
// wrong number of indices, operand types that differ, an operand list that does not fit ops.def, an operation that is not
// legal in the function's stage, a nested or one-element Seq, an on-chip extent that is no constant. Empty: all is well.
[[nodiscard]] std::vector<std::string> verify(const Function& f);

}  // namespace tw::ir

// Which tensors a function reads and writes.
#pragma once

#include <vector>

#include "core/ir/stmt.h"

namespace tw::analysis {

enum class TensorRole { kIn, kOut, kInOut, kUnused };

// One role a parameter, scalars are kIn. kOut: written, and never read before it is written (reading back what an earlier
// launch wrote to all of it counts as that); the effects of ops.def decide, `returned` makes an out of what is written.
[[nodiscard]] std::vector<TensorRole> tensorRoles(const ir::Function& function);

}  // namespace tw::analysis

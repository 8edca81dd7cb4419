// What people call a tile operation.
#pragma once

#include <string>

#include "core/ir/stmt.h"

namespace tw::profile_analysis {

// "copy A → A_shared", "gemm A_shared, B_shared → C_local": its name, what it reads, what it writes.
[[nodiscard]] std::string operationName(const ir::OpCall& call);
// "parallel i, j → acc": the axes of a parallel loop and the buffers stored in it.
[[nodiscard]] std::string nestName(const ir::For& nest);

}  // namespace tw::profile_analysis

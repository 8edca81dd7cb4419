// Raw pointer parameters (T.ptr): what they point to is what the kernel makes of them.
#pragma once

#include <vector>

#include "core/analysis/tensor_roles.h"
#include "core/ir/stmt.h"

namespace tw::device {

// A tensor a parameter: the parameter itself, or for a pointer the first view that the kernel makes of it (T.make_tensor),
// under the parameter's name. Null for scalars and for pointers that are never viewed.
[[nodiscard]] std::vector<ir::Buffer> parameterTensors(const ir::Function& function);

// analysis::tensorRoles, with the roles of pointers' views.
[[nodiscard]] std::vector<analysis::TensorRole> parameterRoles(const ir::Function& function);

}  // namespace tw::device

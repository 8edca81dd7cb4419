#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Makes element accesses to global buffers safe (language.md d.18): a load that may lie outside gives the buffer's safe value,
// a store or atomic that may lie outside does not happen. What the ranges of loops prove inside stays as it is. Off with
// tl.disable_safe_memory_legalize.
// Requires: tile stage.  Leaves: tile stage; no element access to global memory leaves its buffer. (On a CPU tile operations clip
// themselves when they are lowered; for a GPU they are nests of element accesses already.)
[[nodiscard]] ir::Function guardBounds(const ir::Function& in, PassContext& context);

// What reads outside `buffer` give: T.annotate_safe_value, else 0. In the buffer's element type.
[[nodiscard]] std::map<const ir::BufferNode*, ir::Expr> safeValues(const ir::Function& function);
[[nodiscard]] bool boundsAreTrusted(const ir::Function& function);

}  // namespace tw::passes

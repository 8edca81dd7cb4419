// What each operand of an operation does to its region, options included.
#pragma once

#include "core/ir/call.h"
#include "core/ir/stmt.h"

namespace tw::analysis {

struct Effect {
    bool reads = false;
    bool writes = false;
};

// The effect of operand `index` of a call. ops.def gives the role; options narrow it: a product with clear_accum=True or a
// reduction with clear=True does not read its result first; an access_ptr does what its access mode says.
[[nodiscard]] Effect effectOf(const ir::OpCall& call, std::size_t index);

}  // namespace tw::analysis

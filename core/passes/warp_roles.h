// Which warps of a block run programs of their own.
#pragma once

#include <string>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::passes {

struct WarpRole {
    std::string name;  // "block" where there is one role; "producer", "consumer 1", "warps 4-7"
    int firstWarp = 0, warps = 0;
};

// The roles of a launch in the thread stage, by warps. Warps are apart where a condition on the thread index sends whole warps
// into code that waits on barriers or asks for registers of its own; of those, a role that multiplies with wgmma is one role a
// warp group, because each goes its own pace. A role whose warps multiply is a consumer, one that only starts copies a
// producer.
[[nodiscard]] std::vector<WarpRole> warpRoles(const ir::Launch& launch);

}  // namespace tw::passes

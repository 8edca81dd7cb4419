// Code that different threads of a block run at one time, ordered by nothing but the author's mbarriers and named barriers.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::passes {

inline constexpr int kNoRole = -1;

// What one role does with a buffer, and between which of the block's own meetings.
struct RoleUse {
    bool reads = false;
    int firstSection = 0, lastSection = 0;
};
using RoleUses = std::map<int, RoleUse>;  // by role; code of no role is ordered by insertBarriers

// The arms of a launch's conditions that send some threads into code that waits for others (Meetings::waitsForRoles): the roles
// of a warp specialisation. Arms of the same threads are one role.
class ConcurrentArms {
public:
    explicit ConcurrentArms(const ir::Launch& launch);

    // The role that an arm of a condition is, or kNoRole.
    [[nodiscard]] int roleOf(const ir::StmtNode* branch, bool then) const;
    // Whether a role may still use a buffer when another, which nothing orders behind it, begins with a buffer that stands later in
    // the text. A role that has read what another wrote into the first buffer is behind that one.
    [[nodiscard]] bool overtake(const RoleUses& earlier, const RoleUses& later) const;

private:
    std::map<std::pair<const ir::StmtNode*, bool>, int> roles_;
    std::vector<std::vector<bool>> disjoint_;
};

}  // namespace tw::passes

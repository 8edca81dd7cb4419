// Which threads come to each tile operation together.
#pragma once

#include <unordered_map>

#include "core/ir/stmt.h"

namespace tw::passes {

// A range of the block's flat thread indices.
struct ThreadGroup {
    std::int64_t first = 0, count = 0;
    bool contiguous = true;  // false: the conditions around choose threads that are no range
    bool operator==(const ThreadGroup&) const = default;
};

// For every parallel nest and tile operation inside a launch: the threads for which the conditions around it hold, as far as
// they follow from the thread index. Conditions on anything else are taken to be the same for all threads.
[[nodiscard]] std::unordered_map<const ir::StmtNode*, ThreadGroup> threadGroups(const ir::Function& function);

// The flat thread index of a launch as an expression.
[[nodiscard]] ir::Expr flatThread(const ir::Launch& launch);
[[nodiscard]] std::int64_t threadCount(const ir::Launch& launch);

}  // namespace tw::passes

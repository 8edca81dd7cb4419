#pragma once

#include <string>
#include <variant>

#include "core/passes/thread_groups.h"
#include "core/passes/thread_tiles.h"

namespace tw::passes {

// The bytes of a panel that bulk copies of a tile use: 128, 64 or 32 of each row, whatever divides the row; 0: rows as they are.
[[nodiscard]] std::int64_t bulkPanelBytes(const ir::BufferNode& tile);

// What keeps the TMA unit from a copy whatever layout its tile gets; empty: nothing.
[[nodiscard]] std::string bulkCopyProblem(const ir::OpCall& copy);

// T.tma_copy as one thread of its group starts it: a load announces its bytes on the barrier first, a store is committed behind.
// A tile in panels takes one box a panel. `region` and the other operands are rewritten already; `tile` is the shared side.
// A string instead of a statement says what the TMA unit cannot do.
[[nodiscard]] std::variant<ir::Stmt, std::string> lowerBulkCopy(const ir::OpCall& call, const SharedTile& tile, const ThreadGroup& group,
                                                               const ir::Expr& thread, const ir::Provenance& where);

}  // namespace tw::passes

#pragma once

#include <set>

#include "core/passes/plan_schedule.h"
#include "core/passes/tile_accesses.h"

namespace tw::passes {

// A statement of a loop's body that does nothing but copy from global to shared memory, under conditions at most.
struct MovableCopy {
    ir::Stmt stmt;
    std::set<const ir::BufferNode*> targets;
    std::set<const ir::StmtNode*> within;  // the statement and what it holds
    std::vector<const ir::If*> arms;
    std::vector<const ir::Bind*> binds;    // visible to it
};

// The copies of the loop that may run iterations ahead, given what the body accesses (plan_schedule.h says which).
[[nodiscard]] std::vector<MovableCopy> movableCopies(const ScheduleInput& input, const TileAccesses& body);

}  // namespace tw::passes

#pragma once

#include "core/ir/stmt.h"
#include "core/schedule/schedule.h"

namespace tw::passes {

struct AppliedSchedule {
    ir::Stmt stmt;  // instead of the loop
    struct Versions {
        ir::Buffer before, after;  // `after` has one more axis in front: the slots
    };
    std::vector<Versions> versions;    // to be allocated where `before` is
    std::vector<ir::Buffer> registers; // fragments, to be allocated in front of `stmt`
};

// Lowers the schedule of one loop: entries of stage s run in the steady loop for the iteration s behind the newest, guarded
// where the newest may lie behind the end; the prologue runs the first iterations' early stages. Right for every trip count.
// A wait becomes ptx_wait_group and a barrier, a commit ptx_commit_group, also in steps that copy nothing, so that the
// number of groups in flight is always the same.
// Requires: schedule::verify finds nothing; one role, one scope, pipelines of cp.async groups or registers.
[[nodiscard]] AppliedSchedule applySchedule(const ir::For& loop, const schedule::Schedule& schedule);

}  // namespace tw::passes

#pragma once

#include <optional>

#include "core/ir/stmt.h"
#include "core/schedule/schedule.h"
#include "core/target/target.h"

namespace tw::passes {

struct ScheduleInput {
    const ir::Function& function;
    const ir::Launch& launch;  // as it is now: holds `loop`
    const ir::For& loop;       // kPipelined
    bool uniform = true;       // whether all threads of the block come to the loop
    const target::Target& target;
};

// The schedule of one pipelined loop, from its dependences: copies from global to shared memory run ahead of what reads
// them, as far as num_stages (or the author's stages) asks and shared memory allows. A copy runs ahead only if nothing that
// the loop writes, by stores, operations, atomics or extern code, reaches its source, its indices or its conditions; if its
// buffer is written by such copies alone, read behind them under the same conditions, and not needed after the loop. Others
// stay in their place. Empty if none runs ahead: the loop then is a serial one.
[[nodiscard]] std::optional<schedule::Schedule> planSchedule(const ScheduleInput& input);

}  // namespace tw::passes

// What the roles of a block do, one step after the other, without values: the input of the model in plan.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "codegen/gpu_c/stage_records.h"
#include "core/ir/stmt.h"
#include "profiler/timeline/rates.h"

namespace tw::timeline {

enum class StepKind : std::uint8_t {
    kRecord,      // `id`: the event, 0 at the end
    kWork,        // takes the time of `cost`
    kCommit,      // closes a group of the role's own copies
    kWaitGroups,  // until at most `count` of them are in flight
    kBulk,        // starts a bulk load of `cost.copied` bytes that completes on barrier `id`
    kInit,        // barrier `id` expects `count` arrivals
    kArrive,      // `count` arrivals at barrier `id`
    kWait,        // for the phase of barrier `id` with parity `count`
    kMeet         // at named barrier `id` (0: the block's), which `count` threads come to
};

// Bytes and cycles of all threads of the role together. Tensor cycles, lane cycles and shared cycles overlap.
struct Cost {
    double tensor = 0, lanes = 0, shared = 0;  // cycles
    double read = 0, written = 0;              // bytes of global memory, waited for and not
    double copied = 0;                         // bytes that arrive later
    Cost& operator+=(const Cost& other);
    [[nodiscard]] Cost times(double n) const;
    [[nodiscard]] bool isNothing() const { return tensor + lanes + shared + read + written + copied == 0; }
};
struct Step {
    StepKind kind{};
    int id = 0;
    std::int64_t count = 0;
    Cost cost;
};
// One role of one block. `threads` of it meet at barriers.
struct RoleWork {
    std::int64_t threads = 0;
    std::vector<Step> steps;
};

using Values = std::map<const ir::ExprNode*, ir::Expr>;  // constants for variables

// The steps of every role of `launch` (thread stage with records) in one block. `values`: of the function's symbols and scalars,
// and of the launch's block variables. Conditions and bounds that depend on more than these, the threads and loops around are
// taken to hold, and to be one iteration: `remarks` says so. A role ends after `limit` steps, with a remark.
[[nodiscard]] std::vector<RoleWork> workOf(const ir::Launch& launch, const gpu::StageRecords& table, const Values& values, const Rates& rates,
                                           std::size_t limit, std::vector<std::string>& remarks);

}  // namespace tw::timeline

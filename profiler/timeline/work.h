// What the roles of a block do, one step after the other, without values: the input of the model in plan.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "codegen/gpu_c/stage_records.h"
#include "core/interp/observer.h"
#include "core/ir/stmt.h"
#include "core/target/pipes.h"
#include "core/target/rates.h"

namespace tw::timeline {

enum class StepKind : std::uint8_t {
    kRecord,      // `id`: the event, 0 at the end
    kWork,        // what `cost` says
    kCommit,      // closes a group of the role's own work of `engine`
    kWaitGroups,  // until at most `count` of them are at work
    kBulk,        // starts a bulk load of `cost.copied` bytes that completes on barrier `id`
    kInit,        // barrier `id` expects `count` arrivals
    kArrive,      // `count` arrivals at barrier `id`
    kArriveCopies,  // the same, when the copies of the arriving threads are done
    kWait,        // for the phase of barrier `id` with parity `count`
    kMeet,        // at named barrier `id` (0: the block's), which `count` threads come to
    kFence        // between the proxies
};

// Instructions are those of each warp, bytes and products of all threads together.
struct Cost {
    double simple = 0, narrow = 0, special = 0, longs = 0;  // arithmetic, by the pipes of core/sim/trace.h
    double chain = 0;                       // of simple and narrow ones, how many each wait for the one before
    double shuffles = 0, shuffleChain = 0;  // the same of shuffles
    double sharedAccesses = 0, shared = 0;  // instructions, bytes
    double reads = 0, read = 0, writes = 0, written = 0, copies = 0, copied = 0;  // of global memory: instructions, bytes; copied: arrives later
    double bulkWritten = 0;                 // bytes of bulk stores
    double mmas = 0, mma = 0;               // instructions; clocks of all tensor cores at work
    double wgmmas = 0, wgmma = 0, wgmmaBytes = 0;  // the same, and what they read of shared memory

    Cost& operator+=(const Cost& other);
    // Of `n` iterations. `wide`: they are one access each way. `carried`: each waits for the one before.
    [[nodiscard]] Cost times(double n, bool wide, bool carried) const;
    [[nodiscard]] bool isNothing() const;
};
struct Step {
    StepKind kind{};
    int id = 0;
    std::int64_t count = 0;
    Cost cost;
    interp::Engine engine{};
    int warp = 0, warps = 1;  // of the block: those that take it
};
// One role of one block.
struct RoleWork {
    std::int64_t leader = 0, threads = 0;
    std::vector<Step> steps;
};
struct Machine {
    const target::Rates& rates;
    const target::Pipes& pipes;
};

using Values = std::map<const ir::ExprNode*, ir::Expr>;  // constants for variables

// The steps of every role of `launch` (thread stage with records) in one block. `values`: of the function's symbols and scalars,
// and of the launch's block variables. Conditions and bounds that depend on more than these, the threads and loops around are
// taken to hold, and to be one iteration: `remarks` says so. A role ends after `limit` steps, with a remark.
[[nodiscard]] std::vector<RoleWork> workOf(const ir::Launch& launch, const gpu::StageRecords& table, const Values& values, const Machine& machine,
                                           std::size_t limit, std::vector<std::string>& remarks);

}  // namespace tw::timeline

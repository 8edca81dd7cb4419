// The explicit schedule of one kernel: who does what, through which buffers, how many iterations ahead.
//
// A scope is a loop (or the block itself) with its operations; every role has a program for it. In the steady state of a
// loop an entry of stage s works on iteration t - s, where t is the newest iteration in flight, and a role runs its entries
// in order. A pipeline hands buffers from a producer to a consumer through `depth` slots; iteration i uses slot i % depth.
// Automatic pipelines, warp specialisation, ping-pong and overlapped attention are different values of this type and one
// lowering (core/passes/apply_schedule.h).
#pragma once

#include <string>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::schedule {

// A range of warps. `registers` a thread, 0: as launched.
struct Role {
    std::string name;
    int firstWarp = 0;
    int warps = 0;
    int registers = 0;
};

enum class PipelineKind : std::uint8_t {
    kCpAsync,    // cp.async groups; a wait is followed by a barrier of all threads of the role
    kRegisters,  // the next tile waits in registers; one slot
    kBarriers    // full and empty mbarriers: bulk copies, or threads that arrive
};

struct Pipeline {
    std::string name;
    PipelineKind kind = PipelineKind::kCpAsync;
    int depth = 1;
    std::vector<ir::Buffer> buffers;
};

enum class EntryKind : std::uint8_t {
    kOp,       // an operation of the scope
    kScope,    // a child scope
    kAcquire,  // the producer may write the slot
    kCommit,   // the producer's writes are on their way
    kWait,     // the consumer may read the slot
    kRelease   // the consumer has read the slot
};
struct Entry {
    EntryKind kind = EntryKind::kOp;
    int index = 0;  // of the operation, the child scope or the pipeline
    int stage = 0;
};
struct Program {
    int role = 0;
    std::vector<Entry> entries;
};
struct Scope {
    ir::Stmt loop;               // a For, or empty: the block
    std::vector<ir::Stmt> ops;   // of one iteration, each with the conditions and bindings that it needs
    std::vector<Program> programs;
    [[nodiscard]] int lastStage() const;
};
struct Schedule {
    std::vector<Role> roles;
    std::vector<Pipeline> pipelines;
    std::vector<Scope> scopes;
};

// What makes the schedule wrong; empty if it is right: indices and warp ranges, acquire/commit and wait/release in pairs,
// slots overwritten before their last reader, roles that wait for each other for ever.
[[nodiscard]] std::vector<std::string> verify(const Schedule& schedule);

// How many cp.async groups may still be in flight where entry `wait` (a kWait) of a program stands: the groups committed
// after the one that it needs.
[[nodiscard]] int groupsInFlight(const Program& program, const Schedule& schedule, std::size_t wait);

// `tw.schedule(roles=…, pipelines=…, scopes=…)`, one line a role, pipeline and program.
[[nodiscard]] std::string print(const Schedule& schedule);

}  // namespace tw::schedule

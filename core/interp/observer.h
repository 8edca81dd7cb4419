// What a run does to shared and global memory and to the order of its threads, told while it happens. core/sim finds races
// and counts from it; without an observer nothing of this is computed.
//
// Asynchronous operations are done where they start, so their values are there at once; the events say who would really have
// had to wait for them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::interp {

// Threads of one block at one instruction.
struct Act {
    int site = 0;  // number of the instruction
    const ir::Provenance* where = nullptr;
    int block = 0;             // linear number in the grid
    std::vector<int> threads;  // linear numbers in the block, ascending
};

// Who moves the bytes. cp.async works for one thread, through the generic proxy; bulk copies (TMA) and wgmma use the async proxy.
enum class Engine : std::uint8_t { kThread, kCpAsync, kBulkLoad, kBulkStore, kWgmma };

// A barrier of some kind; equal values are the same barrier.
struct Meeting {
    enum class Kind : std::uint8_t { kWarp, kBlock, kNamed, kBarrier, kCluster, kGrid };
    Kind kind{};
    int block = 0;  // kCluster: its first block; kGrid: 0
    int index = 0;  // kNamed: the id; kBarrier: number among the block's mbarriers
    auto operator<=>(const Meeting&) const = default;
};

// One instruction's accesses to one storage. `act.threads` has one entry an access: who does it, or started it.
struct Touch {
    enum class Kind : std::uint8_t { kRead, kWrite, kAtomic };
    Act act;
    Kind kind{};
    Engine engine{};
    bool shared = true;  // else global memory
    int owner = 0;       // shared memory: whose
    int storage = 0;     // number among the shared storages or the global ones
    const ir::BufferNode* buffer = nullptr;  // as the program names it, a view maybe
    int width = 1;       // bytes of each access
    std::vector<std::int64_t> at;      // first byte of each access
    std::vector<std::uint8_t> halves;  // elements of 4 bits: which half of the byte, one an access; else empty
    std::vector<std::int64_t> values;  // ordinary stores: what each access writes, to tell equal values; else empty
    const std::uint8_t* bytes = nullptr;  // the storage, before a write
    int step = 0, steps = 1;  // position in a vectorized loop, which is one wide access
    Meeting completes;        // kBulkLoad: the barrier that knows when it is done
};

// Registers at one instruction: `bytes` bytes from `at` on of the local array of each thread of `act`.
struct RegisterUse {
    Act act;
    int storage = 0;
    const ir::BufferNode* buffer = nullptr;
    bool writes = false;
    std::int64_t bytes = 0;
    std::vector<std::int64_t> at;
};

// How much arithmetic an instruction is, for who charges time.
enum class Effort : std::uint8_t {
    kSimple,
    kMultiply,  // which an addition that follows may take along
    kNarrow,    // comparisons, minima, selections, conversions, integers: on the pipe beside the one of additions and products
    kSpecial,   // one of the special function units, with little around it: exp2, rsqrt
    kLong       // a sequence around one of those: a division, erf
};

// Of an operator on operands of a type, and of an operation of mathematics.
[[nodiscard]] Effort effortOf(ir::BinaryOp op, ir::DType type);
[[nodiscard]] Effort effortOf(ir::OpId op);

// One instruction as threads reach it. Values are named by the slots of the compiled code; what it does to memory and to arrays of
// threads is told after it, by `touches` and `uses`.
struct Step {
    enum class Kind : std::uint8_t {
        kArithmetic,  // and conversions
        kMove,        // of values between slots
        kAccess,      // loads and stores of elements
        kOperation,   // `op` with `attrs`
        kLoopEnd,     // of an iteration, where threads synchronise in the loop
        kRecord       // a stage record of event `number`
    };
    Kind kind{};
    Effort effort{};
    int site = 0;
    const ir::Provenance* where = nullptr;
    int block = 0;
    std::uint32_t warps = 0;  // bit w: a thread of warp w executes it
    ir::DType type{};         // of what is computed
    ir::OpId op{};
    const ir::Attrs* attrs = nullptr;
    std::int64_t number = 0;
    int dst = -1;             // slots; -1: none
    std::array<int, 3> from{-1, -1, -1};
};

struct StorageShape {
    std::string name;
    std::int64_t bytes = 0;
    int granule = 1;       // no access is smaller or at an odd multiple of it
    bool written = false;  // somewhere in the function
    bool halves = false;   // has elements of 4 bits: they are stored atomically, so threads may share a byte
};
struct LaunchShape {
    int launch = 0;         // number of the launch statement in the function
    std::array<std::int64_t, 3> grid{1, 1, 1};
    int threads = 1;        // of a block
    int blocksTogether = 1; // of a cluster
    int barriers = 0;       // mbarriers of a block
    std::vector<StorageShape> shared, global;
    std::vector<std::string> barrierNames;  // one a barrier
    bool usesCpAsync = false, usesBulk = false, usesWgmma = false;
};

class Observer {
public:
    virtual ~Observer() = default;

    virtual void launchBegins(const LaunchShape& shape) = 0;
    virtual void blockBegins(int block, int cluster, int rank) = 0;
    virtual void blockEnds(int block) = 0;

    virtual void touches(const Touch& touch) = 0;
    virtual void written() = 0;  // the writes of the last touch are in memory now

    // The order of threads. `release`: what these threads have done so far belongs to the phase that `completes` next;
    // `acquire`: they go on and know all completed phases.
    virtual void release(const Meeting& meeting, const Act& act) = 0;
    virtual void completes(const Meeting& meeting) = 0;
    virtual void acquire(const Meeting& meeting, const Act& act) = 0;
    // The arrival comes when the copies that each thread has started so far are done.
    virtual void releaseCopies(const Meeting& meeting, const Act& act) = 0;
    virtual void commits(Engine engine, const Act& act) = 0;
    // At most `pending` groups are left; `readsOnly`: the sources may be overwritten, the results are not there yet.
    virtual void waits(Engine engine, std::int64_t pending, bool readsOnly, const Act& act) = 0;
    // A wgmma that was started uses these registers until a wait; `uses` is told of others' accesses while `watchesRegisters`.
    virtual void holds(const RegisterUse& use) = 0;
    virtual void uses(const RegisterUse& use) = 0;
    [[nodiscard]] virtual bool watchesRegisters() const = 0;
    virtual void fences(const Act& act) = 0;  // generic accesses before, async ones after
    virtual void leaves(const Act& act) = 0;  // these threads are done
    // A branch of these threads: `taken` has one byte each.
    virtual void branches(const Act& act, const std::vector<std::uint8_t>& taken) = 0;
    // Every instruction, before it runs, and every use of arrays of threads: told to who asks for it.
    [[nodiscard]] virtual bool watchesSteps() const { return false; }
    virtual void steps(const Step& /*step*/) {}
};

}  // namespace tw::interp

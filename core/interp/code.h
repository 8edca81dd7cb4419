// What a function is compiled to once a run: a flat list of instructions over slots. Flat, so that a fiber can stop at any
// instruction (a barrier), be split in two, and be joined again: its whole state is data.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/interp/arith.h"
#include "core/interp/observer.h"
#include "core/ir/stmt.h"

namespace tw::interp {

enum class Op : std::uint8_t {
    kElement,      // dst = element(a, b, c)
    kCast,         // dst = cast(a): from `from` to `type`; `extra` may be kUnsaturated, kStochastic or both
    kMove,         // dst = a
    kZero,         // dst = uniform 0
    kRamp,         // dst = a + b * lane number, width `extra`
    kBroadcast,    // dst = a repeated, width `extra`
    kLane,         // dst = component `extra` of a
    kPack,         // dst = vector of the slots of list `extra`
    kReinterpret,  // dst = bits of a (`from`) as `type`
    kLoad,         // dst = access `extra`
    kStore,        // access `extra` = a
    kIf,           // lanes where a holds go on, the others at `target`
    kElse,
    kEndIf,
    kFor,  // record `extra`; leaves at `target`
    kForNext,
    kWhile,
    kWhileTest,
    kWhileNext,
    kLoopEnd,  // where every loop is left
    kPersistent,
    kPersistentNext,
    kBreak,
    kContinue,
    kReturn,
    kParallel,
    kParallelNext,
    kAllocate,  // buffer `extra`
    kOp,        // operation record `extra`, result in dst
    kRecord,    // stage record of event `extra`: changes nothing
    kHostAssert,
    kLaunch,  // launch record `extra`
    kEnd
};

constexpr int kUnsaturated = 1;
constexpr int kStochastic = 2;  // the random bits are in `b`

struct Instr {
    Op op{};
    bool handsOn = false;  // kLoad, kStore: elements that nobody wrote are copied as such
    Effort effort{};       // kElement, kCast
    bool heavy = false;  // control over code that synchronises or runs tile operations: divergence splits the fiber
    ir::DType type{};    // of the result
    ir::DType from{};    // of the operands
    int dst = -1, a = -1, b = -1, c = -1;
    int target = -1;  // where to go when no lane is left, or the other way
    int outer = -1;   // the end marker of the enclosing construct: where to go when a lane set runs empty
    int extra = -1;
    ElementOp element{};
    ir::Provenance where{};
};

// A number that is known, or stands in a slot.
struct Number {
    std::int64_t value = 0;
    int slot = -1;
};

enum class Space : std::uint8_t {
    kGlobal,
    kShared,
    kFragment,    // fragments and reducers: one copy a fiber (they are the fiber's threads' registers)
    kThread,      // locals and variables outside of parallel loops: a copy a thread
    kLane,        // allocated inside a parallel loop: a copy an iteration
    kBarrier,
    kAddress      // wherever the run-time address points
};

struct BufferInfo {
    const ir::BufferNode* node = nullptr;
    ir::DType type;        // of an element; reducers of small floats accumulate in float32
    Space space{};
    int storage = -1;      // index of the storage, within its space
    std::vector<Number> shape, strides;
    int addressSlot = -1;  // kAddress
    std::int64_t first = 0;  // element of the storage that element 0 is (views at an offset)
    bool isVar = false;
    bool predicated = false;  // accesses outside are skipped, loads give the safe value
    int safeSlot = -1;
};

// Storage of one on-chip or workspace allocation; sizes in bytes.
struct StorageInfo {
    const ir::BufferNode* root = nullptr;
    std::int64_t bytes = 0;
    ir::DType type;
};

struct Access {
    int buffer = -1;
    std::vector<int> indices;  // slots
};

struct RegionRecord {
    int buffer = -1;
    std::vector<int> mins;
    std::vector<Number> extents;
    std::vector<bool> unit;  // the extent is the constant 1
};

// Operand k of the operation in ops.def's order: at most one of slot and region is set, none where it is absent.
struct OperandRecord {
    int slot = -1;
    ir::DType type;
    RegionRecord region;
    [[nodiscard]] bool present() const { return slot >= 0 || region.buffer >= 0; }
};
struct OpRecord {
    ir::OpId op{};
    std::vector<OperandRecord> operands;  // one an operand of ops.def; more for a variadic last one
    const ir::Attrs* attrs = nullptr;
    ir::DType type;    // of the result
    int id = 0;        // number within the function, counts multicasts and barriers
    bool tile = false; // executes once for the fiber

    [[nodiscard]] const OperandRecord& at(std::size_t k) const
    {
        static const OperandRecord kAbsent;
        return k < operands.size() ? operands[k] : kAbsent;
    }
};

struct ForRecord {
    int var = -1, begin = -1, end = -1, step = -1;
    ir::DType type;
    bool vectorized = false;
};
struct PersistentRecord {
    std::vector<int> vars, extents;
    int waveSize = -1, index = -1, groupSize = -1;
};
struct ParallelRecord {
    std::vector<int> vars, begins, ends;
    std::vector<int> outerSlots;    // slots bound outside that the body reads
    std::vector<int> outerLocals;   // thread storages that the body reads
    bool threadBound = false;       // the body needs to know the thread, or changes its locals
};

struct LaunchRecord {
    const ir::Launch* launch = nullptr;
    std::vector<int> grid;
    std::array<int, 3> blockVars{-1, -1, -1}, threadVars{-1, -1, -1};
    int entry = 0;           // first instruction
    bool allBlocks = false;  // every block has to be resident (grid barrier)
};

struct Program {
    std::vector<Instr> code;
    std::vector<Access> accesses;
    std::vector<BufferInfo> buffers;
    std::vector<OpRecord> ops;
    std::vector<ForRecord> fors;
    std::vector<PersistentRecord> persistents;
    std::vector<ParallelRecord> parallels;
    std::vector<LaunchRecord> launches;
    std::vector<std::vector<int>> lists;
    std::vector<std::string> messages;
    std::vector<StorageInfo> globals, shared, fragments, threads, lanes, barriers;
    std::vector<std::pair<int, Lane>> constants;                 // slot, value
    std::unordered_map<const ir::ExprNode*, int> inputs;         // parameters and symbols -> slot
    std::unordered_map<const ir::BufferNode*, int> tensors;      // tensor parameters -> global storage
    int slotCount = 0;
    bool safeMemory = true;

    // Whether the buffers' bytes of a storage survive where a parallel loop ends.
    [[nodiscard]] const StorageInfo& storage(Space space, int index) const;
};

}  // namespace tw::interp

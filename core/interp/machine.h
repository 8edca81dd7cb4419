// Executes compiled functions. One object runs one function once.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <stop_token>

#include "core/interp/address.h"
#include "core/interp/element.h"
#include "core/interp/fiber.h"
#include "core/interp/interpreter.h"
#include "core/interp/observer.h"

namespace tw::interp {

struct GlobalStorage {
    std::uint8_t* bytes = nullptr;
    std::int64_t size = 0;
    std::vector<std::uint8_t> own;    // workspaces
    std::vector<std::uint8_t> valid;  // workspaces: what has been written; empty: all
    std::int64_t launch = -1;         // workspaces: the launch that allocated it last
};

// Where an access goes, lane by lane.
struct Places {
    std::uint8_t* bytes = nullptr;
    std::uint8_t* valid = nullptr;  // null: no need to know
    bool uniform = true;            // one place for all lanes: offsets[0]
    bool outside = false;           // some active lane is outside a predicated buffer
    std::vector<std::int64_t> offsets;  // in elements
    std::vector<std::uint8_t> on;       // lanes that really access; empty: all of them
    // Address buffers: the address of the first byte of each lane's storage; and, where those are several, their memory.
    std::vector<std::int64_t> origins;
    std::vector<std::uint8_t*> bases, valids;
    [[nodiscard]] const std::uint8_t* lanesOn() const { return on.empty() ? nullptr : on.data(); }
    [[nodiscard]] bool active(std::size_t k) const { return on.empty() || on[k] != 0; }
    [[nodiscard]] std::uint8_t* bytesOf(std::size_t k) const { return bases.empty() ? bytes : bases[k]; }
    [[nodiscard]] std::uint8_t* validOf(std::size_t k) const { return valids.empty() ? valid : valids[k]; }
    [[nodiscard]] bool knowsWritten() const { return valid || !valids.empty(); }
};

// A region of one lane, ready to be walked.
struct TileAxis {
    std::int64_t extent = 1, stride = 0, low = 0, high = 1;  // positions in [low, high) are inside the buffer
};
struct TileView {
    std::uint8_t* bytes = nullptr;
    std::uint8_t* valid = nullptr;
    ir::DType type;
    std::int64_t base = 0;       // element index of position (0, …)
    std::vector<TileAxis> axes;  // one an axis of the region
    bool inside = true;          // false: an axis of extent 1 is outside, so everything is
    Lane safe{};
    const BufferInfo* info = nullptr;
    std::int64_t origin = 0;     // address buffers: the address of `bytes`
};

// Whether all of the region is inside of the buffer.
[[nodiscard]] bool isInside(const TileView& view);

struct MatrixTile;  // matrix_ops.h
struct MatrixWalk;
struct MatrixPlan;
struct RegisterMap;

class Machine {
public:
    Machine(const Program& program, const ir::Function& function, Arguments& arguments, const RunOptions& options,
            DiagnosticSink& diagnostics, std::stop_token stop);
    RunResult run();

private:
    static constexpr int kFreeLanes = 512;  // iterations at a time: their slots stay in the first-level cache

    // machine.cpp
    bool bindArguments();
    Fiber hostFiber(Block& block);
    void makeThreadMemory(Block& block, int threads) const;
    void error(Code code, const SourceRange& where, const std::string& message);
    void runFiber(Fiber& f);
    void step(Fiber& f, const Instr& in);
    [[nodiscard]] Slot& slot(Fiber& f, int index) { return f.slots[static_cast<std::size_t>(index)]; }
    [[nodiscard]] std::int64_t numberOf(Fiber& f, const Number& n, int lane = 0) const;
    void allocate(Fiber& f, const Instr& in);

    // values.cpp
    void element(Fiber& f, const Instr& in);
    void castValue(Fiber& f, const Instr& in);
    void castStochastic(Fiber& f, const Instr& in);
    void vectorValue(Fiber& f, const Instr& in);
    void reinterpret(Fiber& f, const Instr& in);
    void finish(const Instr& in, Lane* lanes, std::size_t n);
    void perturbLanes(ir::DType type, const Lane* exact, Lane* rounded, std::size_t n, bool always);
    const Lane* full(Fiber& f, const Slot& s, int width, std::vector<Lane>& scratch) const;
    void makeUniformIfEqual(Fiber& f, Slot& s) const;

    // access.cpp
    bool locate(Fiber& f, int buffer, const std::vector<int>& indices, Places& places, const SourceRange& where);
    void spreadRows(Fiber& f, const BufferInfo& info, Places& places);
    Memory* memoryOf(Fiber& f, const BufferInfo& info, bool write);
    void load(Fiber& f, const Instr& in);
    void store(Fiber& f, const Instr& in);
    void reportOutside(const BufferInfo& info, std::size_t axis, std::int64_t index, std::int64_t extent,
                       const SourceRange& where);
    void reportUninitialized(const BufferInfo& info, const SourceRange& where);
    void noteChange(Fiber& f)
    {
        ++f.changes;
        ++changes_;
    }

    // address.cpp
    bool follow(Fiber& f, std::int64_t address, Reached& out, const SourceRange& where);
    bool locateAddress(Fiber& f, const BufferInfo& info, Places& places, const SourceRange& where);
    void takeAddress(Fiber& f, const Instr& in, const OpRecord& record);
    bool moveToRank(Fiber& f, std::int64_t rank, std::int64_t& address, const SourceRange& where);

    // control.cpp
    void enterIf(Fiber& f, const Instr& in);
    void elsePart(Fiber& f, const Instr& in);
    void endIf(Fiber& f, const Instr& in);
    void enterFor(Fiber& f, const Instr& in);
    void nextFor(Fiber& f, const Instr& in);
    void setLoopVar(Fiber& f, const Frame& frame, const ForRecord& record);
    void enterWhile(Fiber& f, const Instr& in);
    void testWhile(Fiber& f, const Instr& in);
    void nextWhile(Fiber& f, const Instr& in);
    void enterPersistent(Fiber& f, const Instr& in);
    void advancePersistent(Fiber& f, const Instr& in, bool first);
    void loopEnd(Fiber& f, const Instr& in);
    void leaveIteration(Fiber& f, const Instr& in, bool isBreak);
    void returnThreads(Fiber& f, const Instr& in);
    [[nodiscard]] Mask revived(const Fiber& f, const Mask& saved) const;
    void endFiber(Fiber& f);

    // parallel.cpp
    void enterParallel(Fiber& f, const Instr& in);
    void nextParallel(Fiber& f, const Instr& in);
    void startChunk(Fiber& f, const ParallelRecord& record);
    bool needsThreads(Fiber& f, const ParallelRecord& record);

    // fork.cpp
    void fork(Fiber& f, const std::vector<std::uint8_t>& stays, int leavePc, const std::vector<std::pair<int, std::size_t>>& joins);
    void compress(Fiber& f, const std::vector<int>& lanes);
    bool meet(Fiber& f, int pc);
    void leaveGroups(Fiber& f, std::size_t depth, int pc);
    void leaveGroup(Group& group);
    void joinWaiting(Group& group);
    void merge(Fiber& into, Fiber& from);
    void mergeFragment(Fiber& into, Fiber& from, std::size_t k) const;
    bool releaseOneJoin();

    // ops.cpp
    void operation(Fiber& f, const Instr& in);
    void tileOperation(Fiber& f, const Instr& in, const OpRecord& record);
    void threadQuery(Fiber& f, const Instr& in, const OpRecord& record);
    void memoryOp(Fiber& f, const Instr& in, const OpRecord& record);
    void cpAsync(Fiber& f, const Instr& in, const OpRecord& record);
    void wideLoad(Fiber& f, const Instr& in, const OpRecord& record);
    void wideStore(Fiber& f, const Instr& in, const OpRecord& record);
    void dp4a(Fiber& f, const Instr& in, const OpRecord& record);
    void randomOp(Fiber& f, const Instr& in, const OpRecord& record);
    [[nodiscard]] std::int64_t scalarOf(Fiber& f, int slotIndex, std::int64_t otherwise);

    // atomics.cpp
    void atomicOp(Fiber& f, const Instr& in, const OpRecord& record);
    void atomicVector(Fiber& f, const Instr& in, const OpRecord& record, int width);
    void reducerUpdate(Fiber& f, const Instr& in, const OpRecord& record);
    void combineLanes(Fiber& f, const Instr& in, const OpRecord& record, ir::Combiner how, bool returnPrevious);

    // warp.cpp
    void warpOp(Fiber& f, const Instr& in, const OpRecord& record);
    void allReduce(Fiber& f, const Instr& in, const OpRecord& record);

    // sync.cpp
    void barrierOp(Fiber& f, const Instr& in, const OpRecord& record);
    void blockSync(Fiber& f, const Instr& in, const OpRecord& record);
    void namedSync(Fiber& f, const Instr& in, const OpRecord& record, bool wait);
    void barrierWait(Fiber& f, const Instr& in, const OpRecord& record);
    void barrierArrive(Fiber& f, const Instr& in, const OpRecord& record);
    void clusterSync(Fiber& f, const Instr& in, const OpRecord& record, bool arrive, bool wait);
    void warpSync(Fiber& f, const Instr& in);
    void barrierInit(Fiber& f, const Instr& in, const OpRecord& record);
    void tellArrival(Fiber& f, const Instr& in, ir::OpId op, int lane, const Meeting& meeting);
    void tellResume(Fiber& f);
    void gridSync(Fiber& f, const Instr& in);
    void checkBlockBarrier(Block& block);
    void checkWideBarriers(Block& block);
    void storeSyncResult(Fiber& f, int dst, ir::OpId op);
    [[nodiscard]] bool spaceIsPrivate(const RegionRecord& region) const;
    void completePhase(BarrierState& barrier, const Meeting& meeting);
    BarrierState* barrierAt(Fiber& f, const RegionRecord& region, int lane, const SourceRange& where, Wait* place = nullptr,
                            Block* block = nullptr);
    [[nodiscard]] bool ready(const Fiber& f) const;
    void resume(Fiber& f);

    // tile_view.cpp
    bool view(Fiber& f, const RegionRecord& region, int lane, bool write, TileView& out, const SourceRange& where,
              Block* block = nullptr);

    // tile_copy.cpp
    void copyOp(Fiber& f, const Instr& in, const OpRecord& record, int lane);
    void copyTile(TileView& src, TileView& dst, const SourceRange& where);
    void clusterCopy(Fiber& f, const Instr& in, const OpRecord& record);
    void transposeOp(Fiber& f, const Instr& in, const OpRecord& record, int lane);
    void im2colOp(Fiber& f, const Instr& in, const OpRecord& record, int lane);
    void fillOp(Fiber& f, const Instr& in, const OpRecord& record, int lane);
    void atomicTile(Fiber& f, const Instr& in, const OpRecord& record, int lane);

    // tile_gemm.cpp
    void gemmOp(Fiber& f, const Instr& in, const OpRecord& record, int lane);
    bool expandSparse(Fiber& f, const Instr& in, const OpRecord& record, int lane, std::vector<Lane>& a, std::size_t m,
                      std::size_t k);

    // tile_reduce.cpp
    void reduceOp(Fiber& f, const Instr& in, const OpRecord& record, int lane);
    void scanOp(Fiber& f, const Instr& in, const OpRecord& record, int lane);
    void reducerOp(Fiber& f, const Instr& in, const OpRecord& record, int lane);
    void anyAllOp(Fiber& f, const Instr& in, const OpRecord& record);

    // matrix_ops.cpp, wgmma.cpp
    std::vector<int> groupsOf(Fiber& f, const Instr& in, int size);
    bool registersAt(Fiber& f, const Instr& in, const OperandRecord& operand, std::size_t count, bool write, Places& places);
    void matrixMove(Fiber& f, const Instr& in, const OpRecord& record);
    const MatrixPlan* planOf(const Instr& in, const OpRecord& record);
    void loadRegisters(const OperandRecord& operand, const Places& places, int firstLane, const RegisterMap& map, ir::DType type, MatrixTile& tile);
    void storeRegisters(const OperandRecord& operand, const Places& places, int firstLane, const RegisterMap& map, const MatrixTile& tile);
    void mmaOp(Fiber& f, const Instr& in, const OpRecord& record);
    void wgmmaOp(Fiber& f, const Instr& in, const OpRecord& record);
    bool loadDescribed(Fiber& f, const Instr& in, const OperandRecord& operand, int firstLane, const MatrixWalk& walk, MatrixTile& tile);

    // bulk_ops.cpp
    void bulkLoad(Fiber& f, const Instr& in, const OpRecord& record);
    void bulkStore(Fiber& f, const Instr& in, const OpRecord& record);

    // observe.cpp
    const Act& actOf(Fiber& f, const Instr& in);
    void tellLaunch();
    [[nodiscard]] bool isObserved(const BufferInfo& info) const;
    Touch& startTouch(Fiber& f, const Instr& in, const BufferInfo& info, Touch::Kind kind, Engine engine);
    bool aim(Fiber& f, Touch& touch, std::int64_t origin);
    void tellLanes(Fiber& f, const Instr& in, const BufferInfo& info, const Places& p, Touch::Kind kind, int width, const Slot* value,
                   const Slot* holds);
    void tellRegisters(Fiber& f, const Instr& in, const BufferInfo& info, const Places& p, std::int64_t bytes, bool write, bool held);
    [[nodiscard]] bool tellsRegisters() const { return watchesSteps_ || (usesWgmma_ && options_.observer->watchesRegisters()); }
    void tellStep(Fiber& f, const Instr& in);
    void tellLocal(Fiber& f, const Instr& in, const BufferInfo& info, const Places& p, bool write)
    {
        if (info.space == Space::kThread && tellsRegisters())
            tellRegisters(f, in, info, p, 0, write, false);
    }
    void tellAccess(Fiber& f, const Instr& in, const BufferInfo& info, const Places& p, Touch::Kind kind, const Slot* value);
    void tellWide(Fiber& f, const Instr& in, const RegionRecord& region, Touch::Kind kind, int width, int predicate);
    void tellBranch(Fiber& f, const Instr& in, const std::vector<std::uint8_t>& taken);
    void tellWritten(const BufferInfo& info);
    [[nodiscard]] Meeting barrierMeeting(const Block& block, int storage, int element) const;
    [[nodiscard]] Meeting clusterMeeting(const Fiber& f) const;
    void tellRelease(Fiber& f, const Instr& in, const Meeting& meeting);
    void tellCompletion(const Meeting& meeting);
    void tellAcquire(Fiber& f, const Instr& in, const Meeting& meeting);
    void asyncOp(Fiber& f, const Instr& in, const OpRecord& record);

    // print.cpp
    void printOp(Fiber& f, const Instr& in, const OpRecord& record);
    void assertOp(Fiber& f, const Instr& in, const OpRecord& record);
    void log(const std::string& text);
    [[nodiscard]] std::string threadText(const Fiber& f, int lane) const;

    // launch.cpp
    void launch(Fiber& host, const Instr& in);
    void runBlocks(Fiber& host);
    void chooseClusters();
    void skipUnwanted();
    void startCluster(Fiber& host, std::int64_t number);
    std::unique_ptr<Block> makeBlock(Fiber& host, std::int64_t linear);
    bool runReady();
    void reportDeadlock();
    std::string describe(const Fiber& f) const;
    void reportProgress();
    void retire();

    const Program& program_;
    const ir::Function& function_;
    Arguments& arguments_;
    const RunOptions& options_;
    DiagnosticSink& diagnostics_;
    std::stop_token stop_;
    bool failed_ = false;
    bool cancelled_ = false;
    std::string log_;
    bool logFull_ = false;
    std::uint64_t steps_ = 0;
    std::uint64_t changes_ = 0;  // effects that fibers waiting for a value may want to look at
    std::uint64_t randomState_ = 0x9E3779B97F4A7C15ULL;
    std::vector<GlobalStorage> globals_;

    // the launch that runs
    const LaunchRecord* launch_ = nullptr;
    std::array<std::int64_t, 3> grid_{1, 1, 1}, clusterDims_{1, 1, 1};
    std::int64_t clusters_ = 0, nextCluster_ = 0, finishedBlocks_ = 0;
    bool choosesClusters_ = false;  // only those in wanted_ run
    std::set<std::int64_t> wanted_;
    std::vector<std::unique_ptr<Block>> blocks_;  // resident
    int threadCount_ = 1;
    std::int64_t gridArrived_ = 0, gridGeneration_ = 0;
    std::int64_t nextSerial_ = 0;
    std::int64_t launchesDone_ = 0;
    std::chrono::steady_clock::time_point lastProgress_;

    bool usesWgmma_ = false;                  // and an observer is there
    bool watchesSteps_ = false;               // it asks for every instruction of the launch that runs
    std::vector<int> barrierBase_;            // number of each barrier storage's first barrier, for the observer
    int vectorStep_ = 0, vectorSteps_ = 1;    // position in a vectorized loop

    std::map<int, std::shared_ptr<const MatrixPlan>> plans_;  // of matrix instructions, by the operation's number

    // scratch, kept to save allocations
    Act act_;
    Touch touch_;
    Places places_, places2_, places3_;
    std::vector<Lane> scratch_[4];
    std::vector<std::uint8_t> unwritten_;  // lanes of the last load of a copy that read what nobody wrote; empty: none
};

}  // namespace tw::interp

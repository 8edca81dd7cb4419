// Watches a run and writes down what takes time (trace.h).
//
// What depends on nothing that was loaded or multiplied costs nothing: addresses and counters, which a compiler computes beforehand or
// along the way. Each access to global memory pays for its own with a fixed number of instructions (core/target/pipes.h).
#pragma once

#include <map>
#include <optional>

#include "core/sim/trace.h"
#include "core/target/pipes.h"
#include "core/target/rates.h"

namespace tw::sim {

class Tracer final : public interp::Observer {
public:
    // `blocks`: linear numbers; empty: block 0. `most`: operations of one block.
    Tracer(const target::Rates& rates, const target::Pipes& pipes, std::vector<std::int64_t> blocks, std::size_t most);

    void launchBegins(const interp::LaunchShape& shape) override;
    void blockBegins(int block, int cluster, int rank) override;
    void blockEnds(int block) override;
    void touches(const interp::Touch& touch) override;
    void written() override {}
    void release(const interp::Meeting& meeting, const interp::Act& act) override { arrive(meeting, act, TraceKind::kArrive); }
    void completes(const interp::Meeting& meeting) override;
    void acquire(const interp::Meeting& meeting, const interp::Act& act) override;
    void releaseCopies(const interp::Meeting& meeting, const interp::Act& act) override { arrive(meeting, act, TraceKind::kArriveCopies); }
    void commits(interp::Engine engine, const interp::Act& act) override { group(TraceKind::kCommit, engine, 0, act); }
    void waits(interp::Engine engine, std::int64_t pending, bool /*readsOnly*/, const interp::Act& act) override
    {
        group(TraceKind::kWait, engine, pending, act);
    }
    void holds(const interp::RegisterUse& use) override { uses(use); }
    void uses(const interp::RegisterUse& use) override;
    [[nodiscard]] bool watchesRegisters() const override { return true; }
    void fences(const interp::Act& act) override;
    void leaves(const interp::Act& /*act*/) override {}
    void branches(const interp::Act& /*act*/, const std::vector<std::uint8_t>& /*taken*/) override {}
    [[nodiscard]] bool watchesSteps() const override { return true; }
    void steps(const interp::Step& step) override;

    [[nodiscard]] std::vector<BlockTrace> take() { return std::move(done_); }

private:
    // A barrier: the phase that arrivals belong to, and the last one that completed; -1: none yet.
    struct Progress {
        int open = -1, last = -1;
    };
    // Which operation (from 1) made each value of a warp; 0: nothing that takes time.
    struct Values {
        std::vector<std::uint32_t> slots;
        std::map<int, std::vector<std::uint32_t>> words;  // of the thread's own arrays, by storage
    };
    struct Running {
        BlockTrace trace;
        std::vector<Values> values;  // by warp
        std::map<std::pair<interp::Meeting::Kind, int>, Progress> barriers;
        std::size_t operations = 0;
    };
    struct OpenVector {
        std::array<std::uint32_t, 32> made{};  // by warp
        std::vector<std::int64_t> first;       // bytes of its first step
    };

    Running* running(int block);
    TraceOp* push(Running& r, int warp, TraceKind kind);
    std::uint32_t& slotOf(Running& r, int warp, int slot);
    static void needs(TraceOp& op, std::uint32_t maker);
    void needsSlots(Running& r, int warp, TraceOp& op);
    template <class F>
    void eachWarp(F&& f);
    void arithmetic(Running& r, int warp);
    void operation(Running& r, int warp);
    void product(Running& r, int warp, TraceKind kind);
    void access(Running& r, const interp::Touch& touch);
    void charge(Running& r, const interp::Touch& touch, int width, const std::vector<std::int64_t>& at);
    void chargeWarp(Running& r, const interp::Touch& touch, int warp, double passes, double sectors);
    void bulk(Running& r, const interp::Touch& touch);
    void arrive(const interp::Meeting& meeting, const interp::Act& act, TraceKind kind);
    void group(TraceKind kind, interp::Engine engine, std::int64_t number, const interp::Act& act);
    int openPhase(Running& r, const interp::Meeting& meeting);

    const target::Rates& rates_;
    const target::Pipes& pipes_;
    std::vector<std::int64_t> blocks_;
    std::size_t most_;
    int launch_ = 0;
    int threads_ = 1;
    std::map<int, Running> running_;
    std::vector<BlockTrace> done_;
    interp::Step current_;
    std::array<std::uint32_t, 32> made_{};  // by the current step, by warp
    std::map<int, OpenVector> vectors_;     // by site
};

}  // namespace tw::sim

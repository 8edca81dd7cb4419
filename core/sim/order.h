// What happens before what: vector clocks of the threads of the blocks of one cluster and of the engines that work for them.
//
// An agent is a thread, the cp.async copies of a thread, its bulk stores (their reads, their writes), the wgmmas of a warp group, or
// the bulk loads that arrive on one barrier. An agent's accesses have epochs that grow; who knows epoch e of an agent comes after
// everything that the agent did up to e.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/interp/observer.h"

namespace tw::sim {

enum class AgentKind : std::uint8_t { kThread, kCopies, kStoreReads, kStoreWrites, kWgmma, kBarrier };

// Agents of a cluster in a row, block by block.
class Agents {
public:
    Agents() = default;
    explicit Agents(const interp::LaunchShape& shape);

    [[nodiscard]] std::uint32_t of(int rank, AgentKind kind, int index) const
    {
        return static_cast<std::uint32_t>(rank * perBlock_ + first_[static_cast<std::size_t>(kind)] + index);
    }
    struct Name {
        int rank = 0;
        AgentKind kind{};
        int index = 0;  // thread, warp group or barrier
    };
    [[nodiscard]] Name name(std::uint32_t agent) const;
    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(perBlock_) * static_cast<std::size_t>(blocks_); }

private:
    int first_[7] = {};
    int perBlock_ = 0, blocks_ = 1;
};

using Clock = std::vector<std::uint32_t>;
using ClockRef = std::shared_ptr<const Clock>;

class Order {
public:
    Order(const interp::LaunchShape& shape, const Agents& agents);

    // Of a thread: the epoch of what it does now.
    [[nodiscard]] std::uint32_t now(int rank, int thread) const { return threadAt(rank, thread).own[0]; }
    // The next epoch of one of its engines.
    std::uint32_t start(int rank, int thread, AgentKind kind);
    // Of the bulk loads that the barrier's current phase waits for.
    [[nodiscard]] std::uint32_t arrival(int rank, int barrier) const;

    // Whether the thread comes after the agent's epoch; and whether a proxy fence stands between.
    [[nodiscard]] bool knows(int rank, int thread, std::uint32_t agent, std::uint32_t epoch) const;
    [[nodiscard]] bool knowsFenced(int rank, int thread, std::uint32_t agent, std::uint32_t epoch) const;

    void release(const interp::Meeting& meeting, int rank, std::span<const int> threads);
    void releaseCopies(const interp::Meeting& meeting, int rank, std::span<const int> threads);
    void completes(const interp::Meeting& meeting, int rank);
    void acquire(const interp::Meeting& meeting, int rank, std::span<const int> threads);
    void commits(AgentKind kind, int rank, std::span<const int> threads);
    void waits(AgentKind kind, std::int64_t pending, int rank, std::span<const int> threads);
    void fences(int rank, std::span<const int> threads);

private:
    static constexpr std::size_t kOwn = 5;  // kThread … kWgmma
    struct Thread {
        ClockRef known, fenced;             // of all other agents
        std::uint32_t own[kOwn] = {1, 0, 0, 0, 0};  // of its own agents: the current epoch; what it has waited for
        std::uint32_t ownFenced[2] = {0, 0};        // its own writes and copies that a fence covers
        std::uint32_t agent[kOwn] = {};
    };
    struct Engine {
        std::uint32_t started = 0;
        std::vector<std::uint32_t> groups;  // `started` at each commit
    };
    struct State {
        Clock known, fenced;       // joined so far
        ClockRef public_, publicFenced;  // as of the last completed phase
    };

    [[nodiscard]] const Thread& threadAt(int rank, int thread) const { return threads_[static_cast<std::size_t>(rank * perBlock_ + thread)]; }
    [[nodiscard]] Thread& threadAt(int rank, int thread) { return threads_[static_cast<std::size_t>(rank * perBlock_ + thread)]; }
    [[nodiscard]] Engine& engineAt(int rank, int thread, AgentKind kind);
    [[nodiscard]] State& stateOf(const interp::Meeting& meeting);

    const Agents& agents_;
    int perBlock_;
    bool fences_;  // somebody uses the asynchronous proxy
    std::vector<Thread> threads_;
    std::map<std::uint32_t, Engine> engines_;
    std::map<interp::Meeting, State> meetings_;
    std::map<std::pair<int, int>, std::uint32_t> phases_;  // (rank, barrier) -> completed phases
};

}  // namespace tw::sim

// Watches a run: who touches what in which order.
#pragma once

#include <map>
#include <set>

#include "core/sim/counters.h"
#include "core/sim/findings.h"
#include "core/sim/order.h"
#include "core/sim/shadow.h"

namespace tw::sim {

class Watcher final : public interp::Observer {
public:
    explicit Watcher(const SimOptions& options) : options_(options) {}

    void launchBegins(const interp::LaunchShape& shape) override;
    void blockBegins(int block, int cluster, int rank) override;
    void blockEnds(int block) override;
    void touches(const interp::Touch& touch) override;
    void written() override;
    void release(const interp::Meeting& meeting, const interp::Act& act) override;
    void completes(const interp::Meeting& meeting) override;
    void acquire(const interp::Meeting& meeting, const interp::Act& act) override;
    void releaseCopies(const interp::Meeting& meeting, const interp::Act& act) override;
    void commits(interp::Engine engine, const interp::Act& act) override;
    void waits(interp::Engine engine, std::int64_t pending, bool readsOnly, const interp::Act& act) override;
    void holds(const interp::RegisterUse& use) override;
    void uses(const interp::RegisterUse& use) override;
    [[nodiscard]] bool watchesRegisters() const override { return held_ > 0; }
    void fences(const interp::Act& act) override;
    void leaves(const interp::Act& act) override;
    void branches(const interp::Act& act, const std::vector<std::uint8_t>& taken) override;

    [[nodiscard]] bool foundNothing() const { return findings_.empty(); }
    void report(DiagnosticSink& sink, Report& out) const;

private:
    // The blocks of a cluster that is running.
    struct Team {
        explicit Team(const interp::LaunchShape& shape, const Agents& agents, int n) : number(n), order(shape, agents) {}
        int number;
        Order order;
        std::map<int, std::uint32_t> knows;  // of other teams, through atomics: up to which event
    };
    // Registers of a warp group that one of its wgmma instructions uses until the group `batch` is waited for.
    struct Held {
        int group = 0, storage = 0, site = 0;
        std::int64_t first = 0, end = 0, batch = 0;  // bytes of each thread's array
        bool writes = false;
        auto operator<=>(const Held&) const = default;
    };
    struct Resident {
        std::shared_ptr<Team> team;
        int rank = 0;
        std::vector<Shadow> shared;
        std::vector<std::uint8_t> gone;  // threads that have left
        std::set<Held> held;
        std::map<int, std::int64_t> batches;  // by warp group: committed so far
    };
    // One access on its way through the cells.
    struct Visit {
        const interp::Touch& touch;
        Resident& by;
        std::size_t index = 0;  // of the access
        int thread = 0;
        Entry self;
        std::int64_t byte = 0;  // of the cell
        int granule = 1;
        std::uint8_t mask = 0xff;  // of each byte
    };
    // Writes that another thread's write collides with, to be forgotten if they change nothing.
    struct Suspect {
        Entry earlier;
        Entry later;
        const std::uint8_t* bytes = nullptr;
        std::uint64_t before[2] = {};
        int size = 0;
        std::uint8_t mask = 0xff;  // of each byte
        int thread = 0;
        std::int64_t byte = 0;
        const ir::BufferNode* buffer = nullptr;
    };

    Resident& residentOf(int block) { return residents_.at(block); }
    void noteSite(const interp::Act& act);
    void letGo(Resident& r, int group, std::int64_t pending);
    void collide(const interp::RegisterUse& use, std::size_t index, const Held& held);
    void checkAlignment(const interp::Touch& touch, const Counters::Whole& whole);
    void check(const interp::Touch& touch);
    Entry entryOf(const interp::Touch& touch, Resident& by, int thread);
    void visit(Visit& v, Cell& cell);
    void visitReads(Visit& v, Cell& cell);
    void noteRead(Visit& v, Cell& cell);
    bool isOrdered(const Visit& v, const Entry& earlier);
    bool writesTheSame(const Visit& v, const Entry& earlier);
    void conflict(const Visit& v, const Entry& earlier, bool earlierWrites);
    void addFinding(FindingKind kind, const Entry& earlier, const char* earlierDoes, const Entry& later, const char* laterDoes,
                    const ir::BufferNode* buffer, std::int64_t byte, std::int64_t bytes);
    void synchronizeThroughAtomics(const interp::Touch& touch, Resident& by);
    [[nodiscard]] Witness witness(const Entry& entry, const char* does) const;
    [[nodiscard]] std::string threadName(int block, int thread) const;

    const SimOptions& options_;
    interp::LaunchShape shape_;
    Agents agents_;
    std::map<int, Resident> residents_;
    std::map<int, std::weak_ptr<Team>> teams_;  // by cluster number
    std::vector<int> teamOf_;                   // of every block that has begun
    std::vector<Shadow> global_;
    std::uint32_t stamp_ = 0, gridStamp_ = 0;
    std::size_t held_ = 0;  // registers that some wgmma uses
    std::map<std::pair<int, std::int64_t>, std::map<int, std::uint32_t>> flags_;  // atomic locations: what their writers knew
    std::map<int, ir::Provenance> sites_;
    std::vector<Suspect> suspects_;
    std::set<std::string> unknown_;
    Counters counters_;
    Findings findings_;
};

}  // namespace tw::sim

// Runs thread-stage code of a GPU on the host and says what is wrong with it and what it costs.
//
// Values are those of core/interp's machine, which executes the block's threads in step. On top of it every access to shared and
// global memory is checked against a happens-before order of threads and asynchronous engines, so that a missing barrier is found
// even where this one execution came out right; and counted, as a GPU would serve it. Numbers are simulated, never measured.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/interp/tensor.h"
#include "core/ir/stmt.h"
#include "core/support/diagnostic.h"

namespace tw::sim {

enum class FindingKind : std::uint8_t {
    kRace,             // two accesses, one of them a write, that nothing orders
    kInFlight,         // bytes of an asynchronous operation used before a wait for it
    kMissingFence,     // ordinary writes handed to TMA or wgmma without a proxy fence
    kDivergentBarrier, // a barrier that only a part of a warp reaches
    kMisaligned        // a wide access at no multiple of its width
};

// One side of a finding.
struct Witness {
    SourceRange where;
    std::uint32_t op = 0;  // the tile operation
    std::string who;       // "thread 5 of block (0, 0, 0)"
    std::string does;      // "writes"
};
struct Finding {
    FindingKind kind{};
    std::string buffer;
    std::int64_t firstByte = 0, bytes = 0;  // of the buffer's storage
    Witness earlier, later;                 // kDivergentBarrier, kMisaligned: `later` alone
    std::int64_t count = 1;                 // times that these two places collided
};

// What one access of the program cost, over the whole run. A request is one instruction of one warp.
struct SiteCost {
    SourceRange where;
    std::uint32_t op = 0;
    std::string buffer;
    bool shared = false, writes = false;
    std::int64_t requests = 0, bytes = 0;
    std::int64_t wavefronts = 0, idealWavefronts = 0;  // shared: passes over the banks, and without conflicts
    std::int64_t sectors = 0, idealSectors = 0;        // global: 32-byte sectors, and if all bytes of each were used
    int ways = 1;                                      // shared: the most passes for one group of lanes that is served at once

    [[nodiscard]] bool hasConflicts() const { return wavefronts > idealWavefronts; }
    [[nodiscard]] double efficiency() const { return sectors == 0 ? 1.0 : static_cast<double>(idealSectors) / static_cast<double>(sectors); }
};
struct BranchCost {
    SourceRange where;
    std::int64_t warps = 0, divergent = 0;  // times that warps came here, and that their lanes disagreed
};
// Bytes, summed over all blocks.
struct Traffic {
    std::int64_t sharedRead = 0, sharedWritten = 0;
    std::int64_t globalRead = 0, globalWritten = 0;    // as the lanes ask for them
    std::int64_t sectorsRead = 0, sectorsWritten = 0;  // as L2 serves them: whole sectors
    std::int64_t uniqueRead = 0, uniqueWritten = 0;    // each sector once a launch: the least that memory has to move
};

struct Report {
    std::vector<Finding> findings;
    std::vector<SiteCost> sites;        // in program order
    std::vector<BranchCost> branches;
    Traffic traffic;
    std::vector<std::string> unknown;   // what could not be decided, and why
};

struct SimOptions {
    bool findRaces = true;
    bool count = true;
    std::int64_t maxLogBytes = 1 << 20;
    std::function<void(double fraction)> progress;  // from the running thread, at most every 50 ms
};
struct SimResult {
    bool ok = false;  // the run ended and nothing was found
    bool cancelled = false;
    std::string log;  // what T.print printed
    Report report;
};

// Runs every block of `threadStage`; the written tensors of `arguments` hold the answer. Each finding is also an error diagnostic
// at the later access, with the earlier one as a note. Any thread; one call uses one thread.
[[nodiscard]] SimResult simulate(const ir::Function& threadStage, interp::Arguments& arguments, const SimOptions& options,
                                 DiagnosticSink& diagnostics, std::stop_token stop = {});

}  // namespace tw::sim

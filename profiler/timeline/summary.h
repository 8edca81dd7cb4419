// What a timeline says in numbers: where each role's time went, the longest waits, and who was late.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/capture/capture.h"

namespace tw::timeline {

// Nanoseconds, over all recorded blocks of the launch.
struct RoleSummary {
    int launch = 0;
    std::string role;
    int tracks = 0;                           // one a block
    double totalNs = 0;                       // from the start of each role to its end, summed
    std::map<std::string, double> byEvent;    // "wait", "tensor", …: sums to totalNs, gaps are "unrecorded"
    std::map<std::uint32_t, double> byOp;     // of tile operations; 0: of none
    std::map<std::string, double> iterationNs;  // median time from one begin of a stage to its next, by event; of loops only
    double waitShare = 0;                     // waits over totalNs
    double blockShare = 0;                    // totalNs over the time of its blocks, first start to last end: how near the role's stages come to all of it
};

enum class Cause : std::uint8_t {
    kProducerLate,  // what was waited for was not asked for yet when the wait began
    kMemorySlow,    // it was asked for, and had not come
    kUnknown
};
// A wait that stands out: at least three times the role's median wait of the same stage, and at least 2 % of the block's time; or
// every wait of the stage, where together they are at least a tenth of it.
struct Bubble {
    int track = 0;
    std::uint32_t op = 0;         // of the wait
    std::uint32_t nextOp = 0;     // the work that had to wait
    std::int64_t iteration = -1;
    double startNs = 0, ns = 0;
    int times = 1;                // waits that this stands for; `ns` is their sum, the rest is of the longest
    Cause cause = Cause::kUnknown;
};

struct Summary {
    std::vector<RoleSummary> roles;  // by launch, in the order of the tracks
    std::vector<Bubble> bubbles;     // longest first
    double overhead = 0;             // of recording: recorded over plain time, less 1; 0 where not measured
};

// Any timeline whose spans are sorted by track and start.
[[nodiscard]] Summary summarize(const capture::Timeline& timeline);

// "late producer", "slow memory", "".
[[nodiscard]] const char* causeText(Cause cause);

}  // namespace tw::timeline

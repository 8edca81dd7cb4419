// What one profile of one kernel holds: numbers, where each came from, and everything needed to repeat it.
//
// Plain values. Profilers and models fill them, the store keeps them, views and reports show them. A capture is whole: it carries
// the sources and the generated code, so a machine that has neither a GPU nor the files shows all of it. Absent parts are empty
// and `absences` says why. Numbers are finite: what could not be found out is absent.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "codegen/driver/compile.h"
#include "core/support/source.h"

namespace tw::capture {

// How a number came to be.
enum class Origin : std::uint8_t {
    kMeasured,   // by the device: counters, events, in-kernel clocks
    kSimulated,  // counted by core/sim while it ran the program
    kModelled    // computed from the program and the target's numbers
};
[[nodiscard]] const char* originText(Origin origin);  // "measured", "simulated", "modelled"

// One number. `launch` is the index into Capture::launches, -1: the whole call. `value` is the median of `samples`; `spread` is half
// of the 10 % to 90 % range over the median (0 for one sample or a count).
struct Metric {
    std::string name;  // as cli.md spells the headline set; else the counter's own name
    double value = 0;
    std::string unit;  // "us", "%", "bytes", "count", "bytes/s", "MHz", ...
    int launch = -1;
    Origin origin = Origin::kMeasured;
    int samples = 1;
    double spread = 0;
};

// Names of the headline set.
namespace metric {
inline constexpr const char *kDuration = "duration_us", *kTensorPipe = "tensor_pipe_pct", *kDramRead = "dram_read_bytes",
                            *kDramWrite = "dram_write_bytes", *kDramBandwidth = "dram_bandwidth_pct", *kL2Bandwidth = "l2_bandwidth_pct",
                            *kIssueSlots = "issue_slots_pct", *kOccupancy = "occupancy_pct", *kRegisters = "registers",
                            *kSharedConflicts = "shared_bank_conflicts";
// Beside it, where known: bytes that cross each arrow of the memory-flow picture, and work done.
inline constexpr const char *kL2Read = "l2_read_bytes", *kL2Write = "l2_write_bytes", *kSharedRead = "shared_read_bytes",
                            *kSharedWrite = "shared_write_bytes", *kFlops = "flops", *kMinBytes = "least_dram_bytes";
}  // namespace metric

// What is charged to one tile operation (copy, gemm, reduce, a parallel loop), because that is what the author wrote.
struct Operation {
    std::uint32_t id = 0;  // as in line maps
    std::string name;      // "copy A → A_shared"
    SourceRange where;
    int line = 0;          // of `where`, from 1
    Origin origin = Origin::kMeasured;
    double timeShare = 0;  // of the kernel's time or samples, 0 … 1
    double samples = 0;    // of the PC sampler; 0 where none ran
    std::map<std::string, double> bytes;   // by level: "dram", "l2", "shared"
    std::map<std::string, double> stalls;  // share of the operation's samples by reason, 0 … 1
    double flops = 0;
    std::map<std::string, double> counts{};  // of its instructions, by names of `count`; empty where they were not counted
};

// What instructions did, counted exactly in a run of patched code: of the kernel's launches in one call.
namespace count {
inline constexpr const char *kExecuted = "executed",                    // warp instructions
                            *kThreads = "threads",                      // thread instructions whose predicate held
                            *kSectors = "sectors", *kIdealSectors = "sectors_ideal",  // of 32 bytes in global memory; the fewest for its bytes
                            *kWavefronts = "wavefronts", *kIdealWavefronts = "wavefronts_ideal";  // passes over shared memory's banks
}  // namespace count

// Heat of one line of one text, for the margins of code views.
struct LineCost {
    std::string text;  // "source", "cuda", "ptx" or "sass"
    int line = 0;      // from 1
    std::uint32_t op = 0;
    double share = 0;  // of all samples of that text, 0 … 1
    std::map<std::string, double> stalls;  // share of the line's samples by reason
    Origin origin = Origin::kMeasured;
    std::map<std::string, double> counts{};  // as Operation::counts; a line may have counts and no share
};

// A counter over time within one launch. Equal lengths; nanoseconds from the launch's start.
struct Series {
    std::string name, unit;
    int launch = 0;
    Origin origin = Origin::kMeasured;
    std::vector<double> timeNs, values;
};

// ---- stage timeline ----
struct Track {
    std::string role;  // "producer", "consumer 1", "block"
    int launch = 0;
    std::int64_t block = 0;  // linear index
    int sm = -1, warp = 0;   // sm: -1 where unknown
};
struct Span {
    int track = 0;
    std::string event;  // "issue", "wait", "tensor", "epilogue", ...; spans of one track nest or follow, never cross
    std::uint32_t op = 0;
    std::int64_t iteration = -1;  // of the innermost pipelined loop, -1 outside
    int stage = -1;               // of the pipeline: which of its buffers, -1 outside
    double startNs = 0, endNs = 0;  // from the start of the earliest block shown
};
struct Timeline {
    Origin origin = Origin::kMeasured;
    std::vector<Track> tracks;
    std::vector<Span> spans;        // by track, then by start
    double clockMHz = 0;            // of the SMs while it ran
    double recordCostNs = 0;        // of one record, as calibrated; not subtracted
    double plainUs = 0, recordedUs = 0;  // the kernel's duration without and with records; 0: not measured
    std::int64_t dropped = 0;       // records that did not fit
};

// ---- roofline ----
struct Ceiling {
    std::string name;  // "DRAM", "L2", "tensor fp16", "fp32"
    double perSecond = 0;  // bytes or operations
    bool isBandwidth = false;
    Origin origin = Origin::kModelled;  // a data sheet's number is modelled; a device's own copy or product rate is measured
    int samples = 0;                    // of a measured one, whose rate is their median
    double spread = 0;                  // as Metric::spread
};
struct RooflinePoint {
    std::string name;  // of the kernel or launch, and the level of its bytes
    double flops = 0, bytes = 0, seconds = 0;
    std::string bandwidth, compute;  // names of the ceilings that bound it
    Origin origin = Origin::kMeasured;
};
struct Roofline {
    std::vector<Ceiling> ceilings;
    std::vector<RooflinePoint> points;
};

// ---- findings ----
// A schedule edit that the compiler can do: replacements in the source text, as a fix-it.
struct Edit {
    std::string label;  // "num_stages 3 → 4"
    std::vector<FixIt> changes;
    double modelledGain = 1;  // times faster, 1: unknown
    [[nodiscard]] bool isPossible() const { return !changes.empty(); }
};
struct Finding {
    std::string code;  // "consumer-waits", "bank-conflicts", "uncoalesced", "low-occupancy", ...
    double value = 0;  // the number it rests on
    std::string unit;
    std::string reason;  // one sentence with the numbers
    SourceRange where;
    int line = 0;
    std::uint32_t op = 0;
    double gain = 1;  // times faster if cured, as modelled: the ranking
    Origin origin = Origin::kMeasured;
    Edit edit;
};

// What ran it.
struct Environment {
    std::string device;  // as --device names it
    std::string gpu, driver, cuda, cupti, host, system;  // names and versions; empty where there is none
    double smClockMHz = 0, memoryClockMHz = 0, temperatureC = 0, powerW = 0;  // while it ran; 0: unknown
    std::vector<std::string> throttling;  // reasons that the driver gave
    bool coldL2 = true;  // whether the cache was flushed before each sample
};

// One launch of the kernel as compiled.
struct Launch {
    std::string entry;
    std::vector<std::int64_t> grid, block, cluster;
    std::int64_t staticSharedBytes = 0, dynamicSharedBytes = 0;
    int registers = 0, blocksPerSm = 0;
    double occupancy = 0;  // resident warps over the most that fit, 0 … 1
    std::string limiter;   // of the occupancy
    std::string bound;     // what limits its time, as modelled: "tensor", "DRAM", "L2", "issue", "latency", …; empty without a model
    std::int64_t spillBytes = 0;
};

struct SourceFile {
    std::string name, text;  // the opened file first, then the siblings, in the order of SourceRange::file
};

struct Capture {
    // What ran and how to run it again.
    std::string tilewright;  // version of the program
    std::string created;     // UTC, ISO 8601: "2026-11-30T01:02:03Z"
    std::vector<SourceFile> files;
    std::string kernel, instance, target;
    std::map<std::string, std::string> params;  // Python literals
    std::map<std::string, std::int64_t> dims;
    std::uint64_t seed = 0;
    int repeat = 1;
    Environment environment;

    // What the compiler made of it.
    std::vector<Launch> launches;
    driver::TargetCode cuda, sass;  // empty text: none
    std::string tileIr, threadIr;   // as TileLang
    std::string schedule;           // as printed by core/schedule

    // What came out.
    std::vector<double> samplesUs;  // durations of the whole call
    std::vector<Metric> metrics;
    std::vector<Operation> operations;  // by timeShare, largest first
    std::vector<LineCost> lines;
    std::vector<Series> series;
    std::vector<Timeline> timelines;  // measured, simulated or modelled; the planned pipeline is a modelled one
    Roofline roofline;
    std::vector<Finding> findings;  // by gain, largest first
    std::map<std::string, std::string> absences;  // "counters" → why they are missing and what would help

    // What the user says of it.
    std::string notes;
    std::vector<std::string> tags;
};

// The first metric of that name: of the launch, or (launch -1) of the whole call, else of the only launch. Null if there is none.
[[nodiscard]] const Metric* findMetric(const Capture& capture, const std::string& name, int launch = -1);

}  // namespace tw::capture

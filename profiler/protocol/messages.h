// What the two ends of the runner protocol say to each other.
//
// The runner (`tilec serve`) greets with a Hello. Then each request (run, verify, compile, …) is answered by any number of
// Progress messages and exactly one result with the request's id; Cancel asks for an early end. In between the runner may ask
// its client to compile CUDA text. Source ranges travel as
// byte offsets: both ends stage the same text, so the client's SourceSet understands them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "codegen/driver/compile.h"
#include "core/interp/tensor.h"
#include "core/sim/sim.h"
#include "profiler/capture/capture.h"
#include "profiler/protocol/frame.h"

namespace tw::protocol {

inline constexpr int kProtocolVersion = 4;

struct Hello {
    int protocol = kProtocolVersion;
    std::string version;               // of the program
    std::vector<std::string> devices;  // what --device may name here without asking a driver; MachineResult has all
};

// A kernel to compile, with all text that it needs: the runner opens no file.
struct Job {
    std::string fileName;
    std::string text;
    std::map<std::string, std::string> siblings;  // by the relative path that staging asked for
    staging::TraceRequest kernel;
    std::optional<std::string> target;
};

// One given input: the bytes of a .npy file, or a number for a scalar parameter.
struct Input {
    std::string npy;
    std::string literal;
};

// The exit codes of the command line.
enum class Outcome { kFine = 0, kProgramWrong = 1, kUsage = 2, kAnswerWrong = 3, kCannot = 4 };

// What every result says.
struct ResultHead {
    Outcome outcome = Outcome::kFine;
    bool cancelled = false;
    bool runnerEnds = false;  // after this result: the device is lost for this runner, or it cannot count instructions again
    std::string kernel, instance, target, device;
    std::vector<Diagnostic> diagnostics;
};

struct RunRequest {
    Job job;
    std::string device = "cpu";
    std::map<std::string, Input> inputs;
    std::uint64_t seed = 0;
    int repeat = 1;            // timed runs, each from the same inputs
    bool wantOutputs = false;  // send the tensors, not just their statistics
};
struct Output {
    std::string name, dtype;
    std::vector<std::int64_t> shape;
    // Over the finite elements; absent where there are none. `inf` and `nan` count elements.
    std::optional<double> min, max, mean;
    std::int64_t nan = 0, inf = 0;
    std::optional<interp::Tensor> data;
};
struct RunResult {
    ResultHead head;
    std::string log;  // T.print
    std::vector<Output> outputs;
    double compileMs = 0;
    std::vector<double> samplesUs;  // one a repetition
    std::string clock;              // what measured them: "host" or "device events"
    std::optional<sim::Report> simulation;  // of --device sim, also where it found something; counts of one run
};

struct VerifyRequest {
    Job job;
    std::string device = "cpu";
    std::map<std::string, Input> inputs;
    std::uint64_t seed = 0;
    int inputSets = 1;  // sets of fresh generated inputs
    std::optional<double> rtol, atol;
};
struct Comparison {
    std::string name;
    double maxAbs = 0, maxRel = 0;
    std::int64_t wrong = 0, total = 0, orderDependent = 0;
    std::optional<std::vector<std::int64_t>> firstWrong;
    double expected = 0, got = 0;  // at firstWrong
};
struct VerifyResult {
    ResultHead head;
    std::vector<Comparison> outputs;
};

struct ProfileRequest {
    Job job;
    std::string device = "cpu";
    std::map<std::string, Input> inputs;
    std::uint64_t seed = 0;
    int repeat = 10;                   // timed samples
    std::vector<std::string> metrics;  // names of sets ("headline", "memory", "compute", "stalls") or of metrics; empty: headline
    bool stalls = false;               // sample program counters
    bool overTime = false;             // sample counters over time
    bool timeline = false;             // run a second time with stage records
    std::vector<std::int64_t> blocks;  // whose stages are recorded; empty: a few, spread over the grid
    bool coldL2 = true;                // flush the cache before each sample
    bool instructions = false;         // count what each instruction does; on a GPU the runner ends after it, for CUPTI counts once a process
};
struct ProfileResult {
    ResultHead head;
    std::optional<capture::Capture> capture;  // absent where nothing ran; parts that failed are named in its absences
};

struct CompileRequest {
    Job job;
    unsigned stages = static_cast<unsigned>(driver::StageWanted::kFar);
};
// A launch of a GPU program. What the compiler of the target found out is absent where it has not run.
struct LaunchInfo {
    std::string entry;
    std::vector<std::string> grid;  // numbers, or expressions of symbols and scalar parameters
    std::vector<std::int64_t> block, cluster;
    std::int64_t sharedBytes = 0, dynamicSharedBytes = 0;  // the first: static
    std::optional<std::int64_t> registers, spillStores, spillLoads, stackBytes;
    std::optional<std::int64_t> blocksPerMultiprocessor;
    double occupancy = 0;
    std::string limiter;
};
struct CompileResult {
    ResultHead head;
    std::optional<driver::TargetCode> llvmIr, llvmOptimized, assembly;
    std::optional<std::string> object;
    std::optional<driver::TargetCode> cuda, ptx, sass;
    std::optional<std::string> cubin;
    std::vector<LaunchInfo> launches;  // of a GPU target
};

// CUDA text to compile. A client may ask it of a runner, and a runner that cannot do it of its client, with the id of the
// request that it is working on; the client then answers with the result.
struct CudaCompileRequest {
    std::string name;  // of the text, for messages
    std::string text, target;
    bool fastMath = false;
};
struct CudaCompileResult {
    ResultHead head;
    std::string cubin, log;
};

using CudaCompiler = std::function<CudaCompileResult(const CudaCompileRequest&)>;

// What a runner's machine has.
struct MachineRequest {};
struct Check {
    std::string name;   // "nvidia driver"
    std::string state;  // "ok", "missing" or "limited"
    std::string detail, remedy;
};
struct MachineResult {
    ResultHead head;
    std::vector<Check> checks;
    std::vector<std::string> devices;  // what --device may name there, GPUs too
};

// What may be counted on a device, for `ProfileRequest::metrics`.
struct MetricsRequest {
    std::string device = "cuda:0";
    std::string words;   // only those that hold every one of these words in their name or meaning, case ignored; empty: all
    std::string target;  // whose chip is meant where the machine has no GPU; may be empty
    int limit = 200;     // of counters; our own metrics all come
};
struct MetricInfo {
    std::string name;         // as --metrics takes it
    std::string unit, meaning;
    std::string sets;         // ours: names of the sets that it is in, separated by spaces; empty for a counter of the chip
    std::string counter;      // ours: the chip's counter behind it
    int passes = 0;           // runs of a kernel that it alone needs; 0: not known
};
struct MetricsResult {
    ResultHead head;
    std::string chip, library;  // "GH100"; "CUPTI 13.0 (path)"
    std::vector<MetricInfo> metrics;  // ours first, then counters of the chip, nearest in name first
    int found = 0;                    // counters that fit, also beyond the limit
};

struct Cancel {};
struct Progress {
    std::string phase;    // "compile", "inputs", "run", "reference"
    double fraction = 0;  // of the phase, 0 … 1
};
// A request that the runner could not understand.
struct Failure {
    std::string message;
};

using Message = std::variant<Hello, RunRequest, VerifyRequest, ProfileRequest, CompileRequest, CudaCompileRequest, MachineRequest, MetricsRequest,
                             Cancel, Progress, RunResult, VerifyResult, ProfileResult, CompileResult, CudaCompileResult, MachineResult, MetricsResult, Failure>;
struct Envelope {
    std::uint64_t id = 0;  // of the request; 0 in a Hello
    Message message;
};

[[nodiscard]] Frame encode(const Envelope& envelope);
// Fails on anything that is not a message of this protocol; never throws.
[[nodiscard]] tl::expected<Envelope, std::string> decode(const Frame& frame);

}  // namespace tw::protocol

// Tries configurations of one kernel: models all, measures the best, checks every measured answer, keeps every trial.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/protocol/client.h"
#include "profiler/store/store.h"
#include "profiler/tune/space.h"

namespace tw::tune {

using MakeClient = std::function<std::unique_ptr<protocol::Client>()>;

struct Request {
    protocol::Job job;  // params of `job.kernel` stay what they are where a configuration does not say otherwise
    Space space;
    std::string device = "cpu";      // as the runner names it: "cpu", "sim", "cuda:0"
    std::string deviceName = "cpu";  // as the user does: "ssh:HOST/cuda:0"
    std::map<std::string, protocol::Input> inputs;
    std::uint64_t seed = 0;
    MakeClient makeClient;         // runners for `device`; the reference and each compiling thread use one of their own
    std::size_t top = 0;           // so many are measured; 0: at most a sixth of the space but at least 8, fewer where the model expects
                                   // nothing better from the others (enough.h), all where nothing can be modelled
    double budgetSeconds = 0;      // no measurement begins later than this after the start; 0: no limit
    double trialSeconds = 120;     // a configuration that takes longer is given up
    int repeat = 20;               // timed runs of one measurement
    int threads = 0;               // compiling; 0: as many as the machine has
    bool isFresh = false;          // measure again what the store knows
};

enum class State : std::uint8_t {
    kWaiting,   // not looked at yet
    kInvalid,   // does not compile; `message` says why
    kModelled,  // has a modelled time, or passed the compiler where there is no model; was not measured
    kMeasured,  // measured, and its answer is right
    kWrong,     // ran, and its answer is wrong
    kFailed     // could not be run
};
[[nodiscard]] const char* stateText(State state);  // "waiting", "invalid", …

struct Candidate {
    staging::Bindings params;
    State state = State::kWaiting;
    std::optional<double> modelUs, medianUs;
    double spread = 0;  // as in capture::Metric
    int samples = 0;
    std::string message;
    bool isFromStore = false;
};

// The job of one configuration.
[[nodiscard]] protocol::Job jobOf(const Request& request, const Candidate& candidate);
// The message of the first error; a sentence where there is none.
[[nodiscard]] std::string firstError(const std::vector<Diagnostic>& diagnostics);

// From the thread that called `tune`. `changed`: the candidate whose state just changed, else null.
struct Progress {
    std::string phase;  // "model", "reference", "compile", "measure"
    std::size_t done = 0, total = 0;
    const Candidate* changed = nullptr;
};
using OnProgress = std::function<void(const Progress&)>;

struct Result {
    // Ranked: measured ones by time, then modelled ones by modelled time, then the others.
    std::vector<Candidate> candidates;
    std::string reference;        // what answers were checked against: "interp", "cpu", "each other"; empty: nothing ran
    std::string note;             // why it ended early, if it did
    std::optional<protocol::ResultHead> failure;  // why nothing could be done at all
    std::shared_ptr<protocol::Client> runner;  // that measured: warm; null where nothing was
    bool isModelOnly = false;     // the device measures nothing (sim)
    [[nodiscard]] const Candidate* best() const;  // measured, else modelled; null if there is none
};

// `store`: null keeps nothing. Never throws; whatever happens to the runners is in the result. After a stop request what was
// measured is in the result and in the store.
[[nodiscard]] Result tune(const Request& request, store::Store* store, const OnProgress& progress = {}, std::stop_token stop = {});

}  // namespace tw::tune

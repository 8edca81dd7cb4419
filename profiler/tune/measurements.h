// Measures chosen configurations one after the other on one runner, and checks every answer.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "profiler/tune/reference.h"
#include "profiler/tune/tune.h"

namespace tw::tune {

// Which, in what order, and whether the search may end before the last.
struct Choice {
    std::vector<std::size_t> order;  // into the candidates
    bool isByModel = false;          // smallest modelled time first: ends when the others cannot be expected to win (enough.h)
};

// The processor's answer, where that is the reference, is made while others are measured; until it is there, answers wait for their
// check. From one thread.
class Measurements {
public:
    using Clock = std::chrono::steady_clock;
    using Save = std::function<void(const Candidate&)>;  // keeps a trial: once it is checked, or has failed

    // `flops`: as Reference takes it. `start`: when the budget began.
    Measurements(const Request& request, std::vector<Candidate>& candidates, std::optional<double> flops, Save save, const OnProgress& progress,
                 Clock::time_point start, std::stop_token stop);

    // Candidates get their states and times, `result` its reference, note, failure and runner.
    void run(const Choice& choice, Result& result);

private:
    // A run whose answer is not checked yet.
    struct Answer {
        Candidate* candidate = nullptr;
        protocol::Job job;
        protocol::RunResult run;
    };

    void report(std::size_t done, const Candidate* changed = nullptr) const;
    [[nodiscard]] bool mayEnd(const Choice& choice, std::size_t next);
    [[nodiscard]] bool expectsNoBetter(const Candidate& next) const;
    [[nodiscard]] bool isOverBudget() const;
    void measureAll(const Choice& choice);
    void measure(Candidate& c);
    void noteLoss(const Candidate& c, bool wasLost);
    [[nodiscard]] bool refused(const Candidate& c, const protocol::ResultHead& head);
    void giveUp(Candidate& c) const;
    void keep(Candidate& c, protocol::RunResult run);
    void check();  // what waits

    const Request& request_;
    std::vector<Candidate>& candidates_;
    Save save_;
    const OnProgress& progress_;
    Clock::time_point start_;
    std::stop_token stop_;
    Reference reference_;
    std::shared_ptr<protocol::Client> client_;
    std::vector<Answer> waiting_;
    std::size_t total_ = 0, done_ = 0;  // of the chosen ones
    int losses_ = 0;                    // runners lost one after the other
    bool hasRun_ = false;               // one ran to its end
    std::optional<protocol::ResultHead> refusal_;  // the last one that may concern every configuration
    Result* result_ = nullptr;
};

}  // namespace tw::tune

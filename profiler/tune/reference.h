// What measured answers are checked against.
#pragma once

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "profiler/protocol/client.h"
#include "profiler/tune/tune.h"

namespace tw::tune {

// Programs of at most so many operations are checked by the interpreter: four runs of it in about a second.
inline constexpr double kMostInterpretedFlops = 5e7;

// From one thread.
class Reference {
public:
    // `flops`: counted for the first configuration, absent where unknown.
    Reference(const Request& request, std::optional<double> flops);

    [[nodiscard]] const std::string& kind() const { return kind_; }  // may change when it is ready
    // Lets a runner of its own get the processor's answer, where that is the reference, and returns. Once.
    void prepare(std::stop_token stop);
    // Whether `wrong` can be asked without waiting; `wait` returns when it can. Before `prepare`: not, where the processor is asked.
    [[nodiscard]] bool isReady();
    void wait();
    [[nodiscard]] bool wantsOutputs() const { return kind_ != "interp"; }
    // Empty where the answer is right. `client`: where the interpreter is asked, by it. Waits until it is ready.
    [[nodiscard]] std::string wrong(const protocol::Job& job, const protocol::RunResult& answer, protocol::Client& client, std::stop_token stop);

private:
    void ask(std::stop_token stop);

    const Request& request_;
    std::string kind_;
    std::vector<protocol::Output> outputs_;
    std::atomic<bool> isAnswered_ = false;  // by the processor
    bool hasFailed_ = false;                // it cannot run the program
    std::jthread asking_;                   // last: it writes the others
};

}  // namespace tw::tune

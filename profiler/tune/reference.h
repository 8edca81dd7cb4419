// What measured answers are checked against.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/protocol/client.h"
#include "profiler/tune/tune.h"

namespace tw::tune {

// Programs of at most so many operations are checked by the interpreter: four runs of it in about a second.
inline constexpr double kMostInterpretedFlops = 5e7;

class Reference {
public:
    // `flops`: counted for the first configuration, absent where unknown.
    Reference(const Request& request, std::optional<double> flops);

    [[nodiscard]] const std::string& kind() const { return kind_; }
    // Gets the processor's answer where that is the reference. Slow: seconds.
    void prepare(std::stop_token stop);
    [[nodiscard]] bool wantsOutputs() const { return kind_ != "interp"; }
    // Empty where the answer is right. `verified`: asks the interpreter through `client`.
    [[nodiscard]] std::string wrong(const protocol::Job& job, const protocol::RunResult& answer, protocol::Client& client, std::stop_token stop);

private:
    const Request& request_;
    std::string kind_;
    std::vector<protocol::Output> outputs_;
};

}  // namespace tw::tune

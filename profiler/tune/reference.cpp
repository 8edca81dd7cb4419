#include "profiler/tune/reference.h"

#include <fmt/core.h>

#include "profiler/tune/answers.h"

namespace tw::tune {
Reference::Reference(const Request& request, std::optional<double> flops) : request_(request)
{
    // Unknown work counts as much: the processor is then asked first, and may turn out to be quick.
    kind_ = flops && *flops <= kMostInterpretedFlops ? "interp" : request.device == "cpu" ? "each other" : "cpu";
}

void Reference::prepare(std::stop_token stop)
{
    if (kind_ != "cpu")
        return;
    asking_ = std::jthread([this, stop = std::move(stop)](const std::stop_token& end) {
        std::stop_source either;
        const auto request = [&] { either.request_stop(); };
        const std::stop_callback outer(stop, request), own(end, request);
        ask(either.get_token());
    });
}

bool Reference::isReady() { return kind_ != "cpu" || isAnswered_; }

void Reference::wait()
{
    if (asking_.joinable())
        asking_.join();
    if (hasFailed_)
        kind_ = "each other";  // what most configurations agree on cannot be known before they ran
}

void Reference::ask(std::stop_token stop)
{
    const auto client = request_.makeClient();
    protocol::RunRequest run{request_.job, "cpu", request_.inputs, request_.seed, 1, true};
    run.job.target.reset();
    for (const auto& [name, value] : request_.space.configs.front())
        run.job.kernel.params[name] = value;
    protocol::RunResult result = client->run(run, {}, std::move(stop));
    if (result.head.outcome == protocol::Outcome::kFine)
        outputs_ = std::move(result.outputs);
    else
        hasFailed_ = true;
    isAnswered_ = true;
}

std::string Reference::wrong(const protocol::Job& job, const protocol::RunResult& answer, protocol::Client& client, std::stop_token stop)
{
    wait();
    if (kind_ == "interp") {
        const protocol::VerifyResult verified = client.verify({job, request_.device, request_.inputs, request_.seed, 1, {}, {}}, {}, std::move(stop));
        if (verified.head.outcome == protocol::Outcome::kFine)
            return {};
        for (const protocol::Comparison& c : verified.outputs)
            if (c.wrong > 0)
                return fmt::format("{} of {} elements of {} are wrong: {:.6g} instead of {:.6g}", c.wrong, c.total, c.name, c.got, c.expected);
        return firstError(verified.head.diagnostics);
    }
    if (outputs_.empty()) {
        outputs_ = answer.outputs;  // the first one measured
        return {};
    }
    return disagreement(outputs_, answer.outputs);
}

}  // namespace tw::tune

#include "profiler/tune/reference.h"

#include <fmt/core.h>

#include "profiler/tune/answers.h"

namespace tw::tune {
namespace {

std::string firstError(const protocol::ResultHead& head)
{
    for (const Diagnostic& d : head.diagnostics)
        if (d.severity == Severity::kError)
            return d.message;
    return "it failed";
}

}  // namespace

Reference::Reference(const Request& request, std::optional<double> flops) : request_(request)
{
    // Unknown work counts as much: the processor is then asked first, and may turn out to be quick.
    kind_ = flops && *flops <= kMostInterpretedFlops ? "interp" : request.device == "cpu" ? "each other" : "cpu";
}

void Reference::prepare(std::stop_token stop)
{
    if (kind_ != "cpu")
        return;
    const auto client = request_.makeClient();
    protocol::RunRequest run{request_.job, "cpu", request_.inputs, request_.seed, 1, true};
    run.job.target.reset();
    run.job.kernel.params.insert(request_.space.configs.front().begin(), request_.space.configs.front().end());
    protocol::RunResult result = client->run(run, {}, std::move(stop));
    if (result.head.outcome == protocol::Outcome::kFine)
        outputs_ = std::move(result.outputs);
    else
        kind_ = "each other";  // the processor cannot run it: what most configurations agree on cannot be known before they ran
}

std::string Reference::wrong(const protocol::Job& job, const protocol::RunResult& answer, protocol::Client& client, std::stop_token stop)
{
    if (kind_ == "interp") {
        const protocol::VerifyResult verified = client.verify({job, request_.device, request_.inputs, request_.seed, 1, {}, {}}, {}, std::move(stop));
        if (verified.head.outcome == protocol::Outcome::kFine)
            return {};
        for (const protocol::Comparison& c : verified.outputs)
            if (c.wrong > 0)
                return fmt::format("{} of {} elements of {} are wrong: {:.6g} instead of {:.6g}", c.wrong, c.total, c.name, c.got, c.expected);
        return firstError(verified.head);
    }
    if (outputs_.empty()) {
        outputs_ = answer.outputs;  // the first one measured
        return {};
    }
    return disagreement(outputs_, answer.outputs);
}

}  // namespace tw::tune

#include "profiler/tune/measurements.h"

#include <algorithm>

#include <fmt/core.h>

#include "profiler/cuda/timing.h"
#include "profiler/tune/deadline.h"
#include "profiler/tune/enough.h"

namespace tw::tune {
namespace {

using protocol::Outcome;

constexpr int kMostLosses = 3;  // runners lost or silent one after the other: the machine or the line is gone, not a configuration
constexpr std::size_t kMostWaitingBytes = 1U << 30;  // of answers that wait for their check

bool isLost(const protocol::ResultHead& head)
{
    return std::any_of(head.diagnostics.begin(), head.diagnostics.end(), [](const Diagnostic& d) { return d.code == Code::kRunnerLost; });
}

}  // namespace

Measurements::Measurements(const Request& request, std::vector<Candidate>& candidates, std::optional<double> flops, Save save, const OnProgress& progress,
                           Clock::time_point start, std::stop_token stop)
    : request_(request), candidates_(candidates), save_(std::move(save)), progress_(progress), start_(start), stop_(std::move(stop)),
      reference_(request, flops)
{
}

void Measurements::run(const Choice& choice, Result& result)
{
    result_ = &result;
    total_ = choice.order.size();
    client_ = request_.makeClient();
    measureAll(choice);
    check();
    if (!hasRun_ && refusal_ && !result.failure && std::none_of(candidates_.begin(), candidates_.end(), [](const Candidate& c) { return c.isFromStore; }))
        result.failure = refusal_;
    result.runner = client_;
}

void Measurements::measureAll(const Choice& choice)
{
    for (std::size_t k = 0; k < total_; ++k) {
        Candidate& c = candidates_[choice.order[k]];
        if (stop_.stop_requested())
            return;
        if (isOverBudget()) {
            result_->note = fmt::format("the budget of {} s ended after {} of {} measurements", request_.budgetSeconds, k, total_);
            return;
        }
        if (c.isFromStore) {
            report(++done_, &c);
            continue;
        }
        if (choice.isByModel && mayEnd(choice, k)) {
            result_->note = fmt::format("ended after {} measurements: by the model and how far it was off, no other configuration is faster", k);
            return;
        }
        report(done_);
        measure(c);
        if (result_->failure || losses_ == kMostLosses)
            return;
    }
}

bool Measurements::isOverBudget() const
{
    return request_.budgetSeconds > 0 && std::chrono::duration<double>(Clock::now() - start_).count() > request_.budgetSeconds;
}

// Answers that wait are taken for right first, and asked only where that would end the search.
bool Measurements::mayEnd(const Choice& choice, std::size_t next)
{
    const Candidate& c = candidates_[choice.order[next]];
    if (!expectsNoBetter(c))
        return false;
    check();
    return expectsNoBetter(c);
}

bool Measurements::expectsNoBetter(const Candidate& next) const
{
    std::vector<Measured> measured;
    const auto isWaiting = [&](const Candidate& c) { return std::any_of(waiting_.begin(), waiting_.end(), [&](const Answer& a) { return a.candidate == &c; }); };
    for (const Candidate& c : candidates_)
        if (c.modelUs && c.medianUs && *c.modelUs > 0 && *c.medianUs > 0 && (c.state == State::kMeasured || isWaiting(c)))
            measured.push_back({*c.modelUs, *c.medianUs});
    return next.modelUs && isEnough(measured, *next.modelUs);
}

void Measurements::report(std::size_t done, const Candidate* changed) const
{
    if (progress_)
        progress_({"measure", done, total_, changed});
}

void Measurements::measure(Candidate& c)
{
    protocol::Job job = jobOf(request_, c);
    const Deadline deadline(stop_, request_.trialSeconds);
    protocol::RunResult run =
        client_->run({job, request_.device, request_.inputs, request_.seed, request_.repeat, reference_.wantsOutputs()}, {}, deadline.token());
    if (stop_.stop_requested())
        return;
    if (!deadline.isOver() && run.head.outcome == Outcome::kFine) {
        losses_ = 0;
        keep(c, std::move(run));
        return;
    }
    bool wasLost = false;
    if (deadline.isOver()) {
        giveUp(c);
        // As long as nothing answered, the runner is the likelier cause.
        wasLost = !hasRun_;
        if (hasRun_)
            save_(c);
    } else {
        c.state = State::kFailed;
        c.message = firstError(run.head.diagnostics);
        wasLost = refused(c, run.head);
    }
    noteLoss(c, wasLost);
    if (!result_->failure)
        report(++done_, &c);
}

// What says that no configuration can be measured (no such device, no such input, no runner) is not kept. True where the runner was
// lost: that says little about the configuration.
bool Measurements::refused(const Candidate& c, const protocol::ResultHead& head)
{
    const bool wasLost = isLost(head);
    if (head.outcome == Outcome::kUsage)
        result_->failure = head;
    else if (wasLost || head.outcome == Outcome::kCannot)
        refusal_ = head;
    if (!wasLost && head.outcome == Outcome::kProgramWrong)
        save_(c);
    return wasLost;
}

void Measurements::noteLoss(const Candidate& c, bool wasLost)
{
    losses_ = wasLost ? losses_ + 1 : 0;
    if (losses_ < kMostLosses)
        return;
    result_->note = fmt::format("the runner was lost {} times in a row: {}", kMostLosses, c.message);
    if (refusal_)
        return;
    refusal_.emplace();
    refusal_->outcome = Outcome::kCannot;
    refusal_->diagnostics.push_back({Code::kRunnerLost, Severity::kError, {}, result_->note, {}, {}, {}});
}

void Measurements::giveUp(Candidate& c) const
{
    c.state = State::kFailed;
    c.message = fmt::format("it took longer than {} s", request_.trialSeconds);
}

void Measurements::keep(Candidate& c, protocol::RunResult run)
{
    if (!hasRun_) {
        if (progress_)
            progress_({"reference", 0, 1, nullptr});
        reference_.prepare(stop_);
    }
    hasRun_ = true;
    const cuda::TimingSummary times = cuda::summarizeTimes(run.samplesUs);
    c.medianUs = times.median;
    c.spread = times.spread();
    c.samples = static_cast<int>(run.samplesUs.size());
    waiting_.push_back({&c, jobOf(request_, c), std::move(run)});
    std::size_t bytes = 0;
    for (const Answer& answer : waiting_)
        for (const protocol::Output& output : answer.run.outputs)
            bytes += output.data ? output.data->bytes.size() : 0;
    if (reference_.isReady() || bytes > kMostWaitingBytes)
        check();
}

void Measurements::check()
{
    for (Answer& answer : waiting_) {
        Candidate& c = *answer.candidate;
        const Deadline deadline(stop_, request_.trialSeconds);
        c.message = reference_.wrong(answer.job, answer.run, *client_, deadline.token());
        if (stop_.stop_requested())
            break;
        c.state = c.message.empty() ? State::kMeasured : State::kWrong;
        if (deadline.isOver())
            giveUp(c);
        save_(c);
        result_->reference = reference_.kind();
        report(++done_, &c);
    }
    waiting_.clear();
}

}  // namespace tw::tune

#include "profiler/tune/tune.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <fmt/ranges.h>

#include "profiler/tune/measurements.h"
#include "profiler/tune/modelled.h"
#include "profiler/tune/trial_key.h"

namespace tw::tune {
namespace {

using Clock = std::chrono::steady_clock;

class Tuner {
public:
    Tuner(const Request& request, store::Store* store, const OnProgress& progress, std::stop_token stop)
        : request_(request), store_(store), progress_(progress), stop_(std::move(stop))
    {
        for (const staging::Bindings& config : request.space.configs)
            candidates_.push_back({config, State::kWaiting, {}, {}, 0, 0, {}, false});
    }

    Result run()
    {
        if (candidates_.empty())
            return finish("the space is empty");
        openStore();
        recall();
        model();
        result_.isModelOnly = request_.device == "sim";
        if (stop_.stop_requested())
            return finish("cancelled");
        if (!result_.isModelOnly)
            measureBest();
        return finish("");
    }

private:
    void report(const char* phase, std::size_t done, std::size_t total, const Candidate* changed = nullptr) const
    {
        if (progress_)
            progress_({phase, done, total, changed});
    }

    void openStore()
    {
        if (!store_)
            return;
        const auto tune = store_->openTune({trialKey(request_), request_.job.fileName, request_.job.kernel.kernel, request_.deviceName});
        if (tune)
            tune_ = *tune;
        else
            storeFailed(tune.error());
    }
    void storeFailed(const std::string& why)
    {
        store_ = nullptr;
        storeNote_ = "trials are not kept: " + why;
    }

    // What an earlier run with the same key measured.
    void recall()
    {
        if (!store_ || request_.isFresh)
            return;
        const auto trials = store_->trials(tune_);
        if (!trials) {
            storeFailed(trials.error());
            return;
        }
        for (const store::Trial& trial : *trials) {
            const auto found = std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& c) { return c.params == trial.params; });
            if (found == candidates_.end())
                continue;
            constexpr std::array kStates = {State::kMeasured, State::kWrong, State::kFailed};  // by store::Trial::State
            *found = {trial.params, kStates.at(static_cast<std::size_t>(trial.state)), trial.modelUs, trial.medianUs, trial.spread, trial.samples, trial.message, true};
        }
    }

    void save(const Candidate& c)
    {
        if (!store_)
            return;
        const auto state = c.state == State::kMeasured ? store::Trial::State::kMeasured : c.state == State::kWrong ? store::Trial::State::kWrong : store::Trial::State::kFailed;
        if (const auto done = store_->save(tune_, {c.params, state, c.medianUs, c.modelUs, c.spread, c.samples, c.message}); !done)
            storeFailed(done.error());
    }

    // Near stages of every configuration, on all processors. The results are taken over by this thread.
    void model()
    {
        driver::CompileRequest first = surveyRequest();
        const auto survey = driver::compile(first, stop_);
        std::atomic<std::size_t> next = 0;
        std::mutex mutex;
        std::condition_variable changed;
        std::vector<std::size_t> done;
        const auto work = [&] {
            for (std::size_t i; (i = next++) < candidates_.size() && !stop_.stop_requested();) {
                modelOne(i, survey, mutex);
                const std::scoped_lock lock(mutex);
                done.push_back(i);
                changed.notify_one();
            }
        };
        const unsigned hardware = request_.threads > 0 ? static_cast<unsigned>(request_.threads) : std::max(1U, std::thread::hardware_concurrency());
        std::vector<std::jthread> workers;
        for (std::size_t i = 0; i < std::min<std::size_t>(hardware, candidates_.size()); ++i)
            workers.emplace_back(work);
        for (std::size_t reported = 0; reported < candidates_.size() && !stop_.stop_requested(); ++reported) {
            std::unique_lock lock(mutex);
            while (done.size() <= reported && !stop_.stop_requested())
                changed.wait_for(lock, std::chrono::milliseconds(50));
            if (done.size() <= reported)
                break;
            const Candidate copy = candidates_[done[reported]];
            lock.unlock();
            report("model", reported + 1, candidates_.size(), &copy);
        }
    }

    [[nodiscard]] driver::CompileRequest surveyRequest() const
    {
        driver::CompileRequest request;
        request.source = std::make_shared<const SourceText>(request_.job.fileName, request_.job.text);
        request.readSibling = [siblings = request_.job.siblings](const std::string& path) -> std::optional<std::string> {
            const auto found = siblings.find(path);
            return found == siblings.end() ? std::nullopt : std::optional(found->second);
        };
        request.target = request_.job.target;
        request.stages = static_cast<unsigned>(driver::StageWanted::kSurvey);
        return request;
    }

    void modelOne(std::size_t i, const std::shared_ptr<const driver::CompileSnapshot>& survey, std::mutex& mutex)
    {
        const Modelled made = modelled(jobOf(request_, candidates_[i]), survey, stop_);
        const std::scoped_lock lock(mutex);
        Candidate& c = candidates_[i];
        if (stop_.stop_requested())
            return;
        if (!made.capture) {
            c.state = State::kInvalid;
            c.message = firstError(made.diagnostics);
            return;
        }
        c.modelUs = modelledUs(*made.capture);
        if (const capture::Metric* flops = capture::findMetric(*made.capture, capture::metric::kFlops); flops && (!flops_ || flops->value > *flops_))
            flops_ = flops->value;
        if (made.snapshot->gpuProgram && request_.device.starts_with("cuda"))
            texts_[i] = {request_.job.fileName, made.snapshot->gpuProgram->text, made.snapshot->target.name, made.snapshot->gpuProgram->fastMath};
        if (c.state == State::kWaiting)
            c.state = State::kModelled;
    }

    // Those to measure, best model first; without a model in the order of the space. What the user asked for is measured to the end.
    [[nodiscard]] Choice chosen() const
    {
        Choice out;
        bool hasModel = false;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (candidates_[i].state == State::kInvalid || candidates_[i].state == State::kWaiting)
                continue;
            hasModel = hasModel || candidates_[i].modelUs;
            out.order.push_back(i);
        }
        hasModel = hasModel && request_.device.starts_with("cuda");  // the model knows GPUs
        if (hasModel)
            std::stable_sort(out.order.begin(), out.order.end(),
                             [&](std::size_t a, std::size_t b) { return candidates_[a].modelUs.value_or(1e300) < candidates_[b].modelUs.value_or(1e300); });
        const std::size_t usual = hasModel ? std::max<std::size_t>(8, (out.order.size() + 5) / 6) : out.order.size();
        out.order.resize(std::min(out.order.size(), request_.top > 0 ? request_.top : usual));
        out.isByModel = hasModel && request_.top == 0;
        return out;
    }

    // Cubins into the runner's cache, by runners of their own, while others are measured. Failures show when the kernel is run.
    void compileAhead(const std::vector<std::size_t>& order)
    {
        if (texts_.empty())
            return;
        const std::size_t threads = std::min<std::size_t>({order.size(), 8, std::max(1U, std::thread::hardware_concurrency() / 2)});
        for (std::size_t t = 0; t < threads; ++t)
            ahead_.emplace_back([this, order, t, threads](const std::stop_token& end) {
                const auto client = request_.makeClient();
                for (std::size_t k = t; k < order.size() && !end.stop_requested(); k += threads)
                    if (const auto found = texts_.find(order[k]); found != texts_.end())
                        (void)client->compileCuda(found->second, end);
            });
    }

    void measureBest()
    {
        const Choice choice = chosen();
        if (std::all_of(choice.order.begin(), choice.order.end(), [&](std::size_t i) { return candidates_[i].isFromStore; }))
            return;
        compileAhead(choice.order);
        Measurements(request_, candidates_, flops_, [this](const Candidate& c) { save(c); }, progress_, start_, stop_).run(choice, result_);
    }

    Result finish(const std::string& note)
    {
        ahead_.clear();  // stops and joins
        if (!note.empty())
            result_.note = note;
        if (stop_.stop_requested())
            result_.note = "cancelled";
        if (!storeNote_.empty())
            result_.note += (result_.note.empty() ? "" : "; ") + storeNote_;
        const auto rank = [](const Candidate& c) {
            constexpr std::array<int, 6> kRanks = {2, 5, 1, 0, 3, 4};  // by State
            return kRanks.at(static_cast<std::size_t>(c.state));
        };
        std::stable_sort(candidates_.begin(), candidates_.end(), [&](const Candidate& a, const Candidate& b) {
            if (rank(a) != rank(b))
                return rank(a) < rank(b);
            return a.state == State::kMeasured ? *a.medianUs < *b.medianUs : a.modelUs.value_or(1e300) < b.modelUs.value_or(1e300);
        });
        result_.candidates = std::move(candidates_);
        return std::move(result_);
    }

    const Request& request_;
    store::Store* store_;
    const OnProgress& progress_;
    std::stop_token stop_;
    Clock::time_point start_ = Clock::now();
    std::int64_t tune_ = 0;
    std::string storeNote_;
    std::vector<Candidate> candidates_;
    std::optional<double> flops_;
    std::map<std::size_t, protocol::CudaCompileRequest> texts_;  // by candidate
    Result result_;
    std::vector<std::jthread> ahead_;
};

}  // namespace

protocol::Job jobOf(const Request& request, const Candidate& candidate)
{
    protocol::Job job = request.job;
    for (const auto& [name, value] : candidate.params)
        job.kernel.params[name] = value;
    return job;
}

std::string firstError(const std::vector<Diagnostic>& diagnostics)
{
    for (const Diagnostic& d : diagnostics)
        if (d.severity == Severity::kError)
            return d.message;
    return "it fails, and nothing says why";
}

const char* stateText(State state)
{
    constexpr std::array kNames = {"waiting", "invalid", "modelled", "measured", "wrong", "failed"};
    return kNames.at(static_cast<std::size_t>(state));
}

const Candidate* Result::best() const
{
    const bool hasBest = !candidates.empty() && (candidates.front().state == State::kMeasured ||
                                                 (candidates.front().state == State::kModelled && isModelOnly && candidates.front().modelUs));
    return hasBest ? &candidates.front() : nullptr;
}

Result tune(const Request& request, store::Store* store, const OnProgress& progress, std::stop_token stop)
{
    return Tuner(request, store, progress, std::move(stop)).run();
}

}  // namespace tw::tune

#include "profiler/cuda/timing.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/support/statistics.h"
#include "profiler/cuda/cache_flush.h"

namespace tw::cuda {
namespace {

class Event {
public:
    explicit Event(Context& context) : context_(context) {}
    ~Event()
    {
        if (event_ && !context_.isLost())
            context_.driver().call().destroyEvent(event_);
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    Result<void> create() { return context_.check(context_.driver().call().createEvent(&event_, 0), "making a timer"); }
    Result<void> record() { return context_.check(context_.driver().call().recordEvent(event_, nullptr), "starting a timer"); }
    Result<double> microsecondsSince(const Event& start)
    {
        float milliseconds = 0;
        if (auto done = context_.check(context_.driver().call().elapsed(&milliseconds, start.event_, event_), "reading a timer"); !done)
            return tl::unexpected(done.error());
        return milliseconds * 1000.0;
    }

private:
    Context& context_;
    api::Event event_ = nullptr;
};

}  // namespace

TimingSummary summarizeTimes(std::vector<double> samples)
{
    if (samples.empty())
        return {};
    std::sort(samples.begin(), samples.end());
    return {quantile(samples, 0.5), samples.front(), quantile(samples, 0.1), quantile(samples, 0.9)};
}

Result<bool> waitFor(Context& context, const std::string& what, std::stop_token stop, double mostSeconds)
{
    const auto start = std::chrono::steady_clock::now();
    // Short kernels are done after a few looks; long ones are looked at rarely.
    for (int looks = 0;; ++looks) {
        const int result = context.driver().call().queryStream(nullptr);
        if (result != api::kNotReady) {
            if (auto done = context.check(result, what); !done)
                return tl::unexpected(done.error());
            return true;
        }
        if (stop.stop_requested() || std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > mostSeconds)
            return false;
        if (looks > 1000)
            std::this_thread::sleep_for(std::chrono::microseconds(looks > 2000 ? 1000 : 50));
    }
}

Result<std::vector<double>> time(std::shared_ptr<Context> context, const Step& prepare, const Step& work, const TimingOptions& options,
                                 std::stop_token stop)
{
    std::unique_ptr<CacheFlush> flush;
    if (options.flushL2) {
        auto made = CacheFlush::make(context);
        if (!made)
            return tl::unexpected(made.error());
        flush = std::move(*made);
    }
    std::vector<double> samples;
    Event start(*context), end(*context);
    Result<void> done = start.create();
    if (done)
        done = end.create();
    for (int round = 0; done && round < options.warmUps + options.repeats && !stop.stop_requested(); ++round) {
        if (prepare)
            done = prepare();
        if (done && flush)
            done = flush->run();
        if (done)
            done = start.record();
        if (done)
            done = work();
        if (done)
            done = end.record();
        if (!done)
            break;
        const auto finished = waitFor(*context, "running the kernel", stop);
        if (!finished)
            return tl::unexpected(finished.error());
        if (!*finished)
            break;
        const auto sample = end.microsecondsSince(start);
        if (!sample)
            return tl::unexpected(sample.error());
        if (round >= options.warmUps)
            samples.push_back(*sample);
    }
    if (!done)
        return tl::unexpected(done.error());
    return samples;
}

}  // namespace tw::cuda

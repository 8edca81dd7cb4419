#include "app/gui/session/latest_job.h"

namespace tw::gui {

LatestJob::LatestJob() : thread_([this](std::stop_token stop) { run(std::move(stop)); }) {}

LatestJob::~LatestJob()
{
    cancel();
    thread_.request_stop();
    thread_.join();
}

void LatestJob::submit(Job job)
{
    {
        const std::lock_guard lock(mutex_);
        current_.request_stop();
        next_ = std::move(job);
    }
    wake_.notify_one();
}

void LatestJob::cancel()
{
    const std::lock_guard lock(mutex_);
    current_.request_stop();
    next_ = nullptr;
}

void LatestJob::retire(std::shared_ptr<const void> value)
{
    const std::lock_guard lock(mutex_);
    retired_.push_back(std::move(value));
}

void LatestJob::run(std::stop_token stop)
{
    while (!stop.stop_requested()) {
        Job job;
        std::stop_token token;
        std::vector<std::shared_ptr<const void>> retired;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, stop, [this] { return next_ != nullptr; }))
                return;
            job = std::exchange(next_, nullptr);
            retired.swap(retired_);
            current_ = std::stop_source();
            token = current_.get_token();
        }
        retired.clear();
        job(token);
    }
}

}  // namespace tw::gui

#include "app/gui/session/job_queue.h"

namespace tw::gui {

JobQueue::JobQueue() : thread_([this](std::stop_token stop) { run(std::move(stop)); }) {}

JobQueue::~JobQueue()
{
    thread_.request_stop();
    thread_.join();
}

void JobQueue::submit(Job job)
{
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(job));
    }
    wake_.notify_one();
}

void JobQueue::run(std::stop_token stop)
{
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, stop, [this] { return !waiting_.empty(); });
            if (waiting_.empty())
                return;  // asked to stop, and nothing is left
            job = std::move(waiting_.front());
            waiting_.pop_front();
        }
        job();
    }
}

}  // namespace tw::gui

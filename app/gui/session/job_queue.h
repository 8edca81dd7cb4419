// One worker thread that does every job, in order. No Qt.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace tw::gui {

class JobQueue {
public:
    using Job = std::function<void()>;

    JobQueue();
    ~JobQueue();  // does what is waiting, then joins
    JobQueue(const JobQueue&) = delete;
    JobQueue& operator=(const JobQueue&) = delete;
    void submit(Job job);

private:
    void run(std::stop_token stop);

    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<Job> waiting_;
    std::jthread thread_;  // last: starts when all else stands
};

}  // namespace tw::gui

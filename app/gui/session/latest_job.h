// One worker thread that only ever works on the newest job. No Qt.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace tw::gui {

class LatestJob {
public:
    using Job = std::function<void(std::stop_token)>;

    LatestJob();
    ~LatestJob();  // stops the running job and joins
    LatestJob(const LatestJob&) = delete;
    LatestJob& operator=(const LatestJob&) = delete;

    // Asks the running job to stop and starts this one when the thread is free; a job that has not started is dropped.
    void submit(Job job);
    void cancel();  // the same, with nothing to start
    // Lets go of a large value on the worker's thread, before its next job: freeing it may take milliseconds.
    void retire(std::shared_ptr<const void> value);

private:
    void run(std::stop_token stop);

    std::mutex mutex_;
    std::condition_variable_any wake_;
    Job next_;
    std::stop_source current_;
    std::vector<std::shared_ptr<const void>> retired_;
    std::jthread thread_;  // last: starts when all else stands
};

}  // namespace tw::gui

// A stop request that comes by itself when time is up.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace tw::tune {

// Passes a stop request on, or makes one of its own when time is up.
class Deadline {
public:
    Deadline(const std::stop_token& outer, double seconds)
        : forward_(outer, [this] { source_.request_stop(); }), timer_([this, seconds](const std::stop_token& end) { wait(end, seconds); })
    {
    }
    [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
    [[nodiscard]] bool isOver() const { return isOver_; }

private:
    void wait(const std::stop_token& end, double seconds)
    {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, end, std::chrono::duration<double>(seconds), [] { return false; }) && !end.stop_requested()) {
            isOver_ = true;
            source_.request_stop();
        }
    }

    std::stop_source source_;
    std::atomic<bool> isOver_ = false;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::stop_callback<std::function<void()>> forward_;
    std::jthread timer_;  // last: ends before what it uses
};

}  // namespace tw::tune

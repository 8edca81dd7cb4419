// Worker threads that share the blocks of a launch.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tw::llvm_backend {

class ThreadPool {
public:
    // `threads` workers, the caller among them; at least 1.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int size() const { return static_cast<int>(workers_.size()) + 1; }
    // Calls work(worker) once on every worker and returns when all are done. `work` must not throw.
    void runOnAll(const std::function<void(int)>& work);

private:
    void loop(int worker);

    std::mutex mutex_;
    std::condition_variable start_, finished_;
    const std::function<void(int)>* work_ = nullptr;
    std::uint64_t generation_ = 0;
    int running_ = 0;
    bool stop_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace tw::llvm_backend

#include "codegen/llvm/thread_pool.h"

namespace tw::llvm_backend {

ThreadPool::ThreadPool(int threads)
{
    for (int worker = 1; worker < threads; ++worker)
        workers_.emplace_back([this, worker] { loop(worker); });
}

ThreadPool::~ThreadPool()
{
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    start_.notify_all();
    for (std::thread& worker : workers_)
        worker.join();
}

void ThreadPool::loop(int worker)
{
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
        start_.wait(lock, [&] { return stop_ || generation_ != seen; });
        if (stop_)
            return;
        seen = generation_;
        const auto* work = work_;
        lock.unlock();
        (*work)(worker);
        lock.lock();
        if (--running_ == 0)
            finished_.notify_one();
    }
}

void ThreadPool::runOnAll(const std::function<void(int)>& work)
{
    {
        const std::lock_guard lock(mutex_);
        work_ = &work;
        running_ = static_cast<int>(workers_.size());
        ++generation_;
    }
    start_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return running_ == 0; });
}

}  // namespace tw::llvm_backend

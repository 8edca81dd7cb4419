#include "app/gui/session/compile_worker.h"

#include <QMetaObject>

namespace tw::gui {

CompileWorker::CompileWorker(CompileFunction compile, QObject* parent)
    : QObject(parent), compile_(std::move(compile)), thread_([this](std::stop_token stop) { run(std::move(stop)); })
{
}

CompileWorker::~CompileWorker()
{
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->next.reset();
        shared_->job.request_stop();
    }
    thread_.request_stop();
    thread_.join();
}

quint64 CompileWorker::submit(driver::CompileRequest request)
{
    const bool wasBusy = isBusy();
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->job.request_stop();
        shared_->next = std::move(request);
        shared_->generation = ++submitted_;
    }
    shared_->wake.notify_one();
    if (!wasBusy)
        Q_EMIT busyChanged(true);
    return submitted_;
}

void CompileWorker::cancel()
{
    const bool wasBusy = isBusy();
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->job.request_stop();
        shared_->next.reset();
        shared_->generation = ++submitted_;
    }
    delivered_ = submitted_;
    if (wasBusy)
        Q_EMIT busyChanged(false);
}

void CompileWorker::run(std::stop_token stop)
{
    while (!stop.stop_requested()) {
        driver::CompileRequest request;
        std::stop_token job;
        quint64 generation = 0;
        {
            std::unique_lock lock(shared_->mutex);
            if (!shared_->wake.wait(lock, stop, [this] { return shared_->next.has_value(); }))
                return;
            request = std::move(*shared_->next);
            shared_->next.reset();
            shared_->job = std::stop_source();
            job = shared_->job.get_token();
            generation = shared_->generation;
        }
        SnapshotPtr snapshot = compile_(request, job);
        if (job.stop_requested())
            continue;
        QMetaObject::invokeMethod(this, [this, generation, snapshot = std::move(snapshot)] { deliver(generation, snapshot); },
                                  Qt::QueuedConnection);
    }
}

void CompileWorker::deliver(quint64 generation, const SnapshotPtr& snapshot)
{
    if (generation != submitted_)
        return;  // a newer one is on its way
    delivered_ = generation;
    Q_EMIT finished(generation, snapshot);
    if (!isBusy())
        Q_EMIT busyChanged(false);
}

}  // namespace tw::gui

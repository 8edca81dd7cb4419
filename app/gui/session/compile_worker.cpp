#include "app/gui/session/compile_worker.h"

#include <QMetaObject>

#include <sys/resource.h>
#include <unistd.h>

namespace tw::gui {
namespace {

// Where cores are few, painting what was typed goes before compiling it. Linux: of this thread alone.
void letTheWindowGoFirst() { ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 5); }

}  // namespace

CompileWorker::CompileWorker(CompileFunction compile, QObject* parent) : QObject(parent), compile_(std::move(compile)) {}

quint64 CompileWorker::submit(driver::CompileRequest request)
{
    const bool wasBusy = isBusy();
    const quint64 generation = ++submitted_;
    job_.submit([this, generation, request = std::move(request)](std::stop_token stop) {
        letTheWindowGoFirst();
        SnapshotPtr snapshot = compile_(request, stop);
        if (stop.stop_requested())
            return;
        QMetaObject::invokeMethod(this, [this, generation, snapshot = std::move(snapshot)] { deliver(generation, snapshot); },
                                  Qt::QueuedConnection);
    });
    if (!wasBusy)
        Q_EMIT busyChanged(true);
    return generation;
}

void CompileWorker::cancel()
{
    const bool wasBusy = isBusy();
    job_.cancel();
    delivered_ = ++submitted_;
    if (wasBusy)
        Q_EMIT busyChanged(false);
}

void CompileWorker::deliver(quint64 generation, const SnapshotPtr& snapshot)
{
    if (generation != submitted_)
        return retire(snapshot);  // a newer one is on its way
    delivered_ = generation;
    Q_EMIT finished(generation, snapshot);
    if (!isBusy())
        Q_EMIT busyChanged(false);
}

}  // namespace tw::gui

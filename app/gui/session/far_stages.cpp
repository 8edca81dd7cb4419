#include "app/gui/session/far_stages.h"

namespace tw::gui {
namespace {

constexpr int kQuietMs = 150;
constexpr unsigned kGpuStages = driver::StageWanted::kPtx | driver::StageWanted::kSass;

template <class T>
std::shared_ptr<const T> share(const std::optional<T>& value)
{
    return value ? std::make_shared<const T>(*value) : nullptr;
}

}  // namespace

FarStages::FarStages(Workbench& workbench, std::vector<std::string> runnerCommand, QObject* parent)
    : QObject(parent), workbench_(workbench), client_(std::move(runnerCommand), std::chrono::milliseconds(300))
{
    quiet_.setSingleShot(true);
    quiet_.setInterval(kQuietMs);
    connect(&quiet_, &QTimer::timeout, this, &FarStages::start);
    connect(&workbench, &Workbench::snapshotChanged, this, &FarStages::onSnapshot);
}

void FarStages::setWanted(unsigned stages)
{
    wanted_ = stages;
    if (wanted_ != 0)
        onSnapshot();
}

unsigned FarStages::stagesFor(const driver::CompileSnapshot& snapshot) const
{
    return snapshot.target.isCuda() ? wanted_ : wanted_ & ~kGpuStages;
}

void FarStages::onSnapshot()
{
    const auto newest = workbench_.newest();
    if (!newest || !newest->function)
        return;
    const unsigned stages = stagesFor(*newest), made = newest == asked_ ? askedStages_ : 0;
    if ((stages & ~made) == 0)
        return;
    asked_ = newest;
    askedStages_ = stages | made;  // going back and forth between two views makes nothing twice
    busy_ = true;
    ++generation_;
    quiet_.start();
    Q_EMIT changed();
}

void FarStages::start()
{
    protocol::CompileRequest request;
    request.job = workbench_.currentJob();
    request.stages = askedStages_;
    job_.submit([this, request = std::move(request), of = asked_, generation = generation_](std::stop_token stop) {
        protocol::CompileResult made = client_.compile(request, {}, stop);
        if (stop.stop_requested())
            return;
        QMetaObject::invokeMethod(this, [this, generation, of, made = std::move(made)] { deliver(generation, of, made); },
                                  Qt::QueuedConnection);
    });
}

void FarStages::deliver(quint64 generation, const SnapshotPtr& of, const protocol::CompileResult& made)
{
    if (generation != generation_)
        return;
    busy_ = false;
    problems_ = made.head.diagnostics;
    if (made.llvmIr || made.llvmOptimized || made.assembly || made.ptx || made.sass)
        result_ = std::make_shared<const FarResult>(FarResult{of, share(made.llvmIr), share(made.llvmOptimized), share(made.assembly),
                                                              share(made.ptx), share(made.sass), made.launches, made.head.diagnostics});
    Q_EMIT changed();
}

}  // namespace tw::gui

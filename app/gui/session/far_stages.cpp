#include "app/gui/session/far_stages.h"

namespace tw::gui {
namespace {

constexpr int kQuietMs = 150;

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

void FarStages::setWanted(bool wanted)
{
    wanted_ = wanted;
    if (wanted)
        onSnapshot();
}

void FarStages::onSnapshot()
{
    const auto newest = workbench_.newest();
    if (!wanted_ || !newest || !newest->function || newest == asked_)
        return;
    asked_ = newest;
    busy_ = true;
    ++generation_;
    quiet_.start();
    Q_EMIT changed();
}

void FarStages::start()
{
    protocol::CompileRequest request;
    request.job = workbench_.currentJob();
    request.stages = static_cast<unsigned>(driver::StageWanted::kLlvmIr) | static_cast<unsigned>(driver::StageWanted::kFar);
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
    if (made.llvmIr || made.llvmOptimized || made.assembly)
        result_ = std::make_shared<const FarResult>(
            FarResult{of, share(made.llvmIr), share(made.llvmOptimized), share(made.assembly), made.head.diagnostics});
    Q_EMIT changed();
}

}  // namespace tw::gui

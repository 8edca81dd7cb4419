#include "app/gui/session/workbench.h"

#include <QFileInfo>

namespace tw::gui {

Workbench::Workbench(CompileFunction compile, QObject* parent) : QObject(parent), worker_(std::move(compile))
{
    connect(&worker_, &CompileWorker::finished, this, [this](quint64, const SnapshotPtr& snapshot) { accept(snapshot); });
    connect(&worker_, &CompileWorker::busyChanged, this, &Workbench::busyChanged);
}

void Workbench::activate(const QString& key, const std::string& text)
{
    active_ = key;
    auto& document = documents_[key];
    if (!document.siblings)
        document.siblings = std::make_shared<SiblingReader>(QFileInfo(key).absolutePath().toStdString());
    if (!document.source || document.source->text() != text) {
        document.source = std::make_shared<SourceText>(QFileInfo(key).fileName().toStdString(), text);
        compile();
    } else if (!document.newest) {
        compile();
    } else {
        worker_.cancel();
    }
    Q_EMIT snapshotChanged();
    Q_EMIT choiceChanged();
}

void Workbench::forget(const QString& key)
{
    documents_.remove(key);
    if (key != active_)
        return;
    active_.clear();
    worker_.cancel();
    Q_EMIT snapshotChanged();
    Q_EMIT choiceChanged();
}

void Workbench::edit(const std::string& text)
{
    if (!documents_.contains(active_))
        return;
    documents_[active_].source = std::make_shared<SourceText>(QFileInfo(active_).fileName().toStdString(), text);
    compile();
}

void Workbench::choose(const std::string& kernel, const std::string& instance, const staging::Bindings& params, const staging::Bindings& dims)
{
    auto& choice = documents_[active_].choice;
    if (choice.kernel == kernel && choice.instance == instance && params.empty() && dims.empty())
        return;
    choice = {kernel, instance, params, dims};
    compile();
    Q_EMIT choiceChanged();
}

void Workbench::setParameter(const std::string& name, const std::string& literal)
{
    documents_[active_].choice.params[name] = literal;
    compile();
    Q_EMIT choiceChanged();
}

void Workbench::setDimension(const std::string& name, const std::string& literal)
{
    documents_[active_].choice.dims[name] = literal;
    compile();
    Q_EMIT choiceChanged();
}

void Workbench::resetParameters()
{
    auto& choice = documents_[active_].choice;
    choice.params.clear();
    choice.dims.clear();
    compile();
    Q_EMIT choiceChanged();
}

void Workbench::setTarget(const std::optional<std::string>& spelling)
{
    if (target_ == spelling)
        return;
    target_ = spelling;
    compile();
    Q_EMIT choiceChanged();
}

const KernelChoice& Workbench::choice() const
{
    static const KernelChoice kNone;
    const auto found = documents_.find(active_);
    return found == documents_.end() ? kNone : found->choice;
}

SnapshotPtr Workbench::newest() const { return documents_.value(active_).newest; }
SnapshotPtr Workbench::shown() const { return documents_.value(active_).shown; }

SnapshotPtr Workbench::lowered() const { return documents_.value(active_).lowered; }

driver::CompileRequest Workbench::currentRequest() const
{
    const Document document = documents_.value(active_);
    driver::CompileRequest request;
    request.source = document.source;
    if (document.siblings)
        request.readSibling = [reader = document.siblings](const std::string& path) { return reader->read(path); };
    request.kernel = {document.choice.kernel, document.choice.instance, document.choice.params, document.choice.dims, {}};
    request.target = target_;
    if (document.newest && document.newest->source && document.source &&
        document.newest->source->text() == document.source->text())
        request.previous = document.newest;
    return request;
}

protocol::Job Workbench::currentJob() const
{
    const auto request = currentRequest();
    protocol::Job job;
    if (!request.source)
        return job;
    job.fileName = request.source->name();
    job.text = std::string(request.source->text());
    job.siblings = documents_.value(active_).siblings->given();
    job.kernel = request.kernel;
    job.target = request.target;
    return job;
}

void Workbench::compile()
{
    if (active_.isEmpty())
        return;
    auto request = currentRequest();
    // LLVM can abort; whatever needs it is made in the runner (FarStages).
    request.stages = (static_cast<unsigned>(driver::StageWanted::kNear) & ~static_cast<unsigned>(driver::StageWanted::kLlvmIr)) |
                     static_cast<unsigned>(driver::StageWanted::kTargetText);
    worker_.submit(std::move(request));
}

void Workbench::accept(const SnapshotPtr& snapshot)
{
    if (!snapshot || snapshot->cancelled || !documents_.contains(active_))
        return;
    auto& document = documents_[active_];
    worker_.retire(std::exchange(document.newest, snapshot));
    if (snapshot->function)
        worker_.retire(std::exchange(document.shown, snapshot));
    // A half-typed line says nothing new; a result for another target or kernel does.
    const auto& old = document.lowered;
    if (snapshot->cuda || (old && snapshot->function && (snapshot->target != old->target || snapshot->kernel != old->kernel)))
        document.lowered = snapshot->cuda ? snapshot : nullptr;
    Q_EMIT snapshotChanged();
}

}  // namespace tw::gui

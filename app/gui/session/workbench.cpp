#include "app/gui/session/workbench.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace tw::gui {
namespace {

constexpr qint64 kLargestSibling = 4 << 20;  // bytes; a larger file is no kernel helper

// Text of a module beside the opened file. Runs on the compile thread.
std::optional<std::string> readSibling(const QString& folder, const std::string& relativePath)
{
    const QString base = QDir(folder).filePath(QString::fromStdString(relativePath));
    for (const QString& path : {base + QStringLiteral(".py"), base + QStringLiteral("/__init__.py")}) {
        QFile file(path);
        if (file.exists() && file.size() <= kLargestSibling && file.open(QIODevice::ReadOnly))
            return file.readAll().toStdString();
    }
    return std::nullopt;
}

}  // namespace

Workbench::Workbench(CompileFunction compile, QObject* parent) : QObject(parent), worker_(std::move(compile))
{
    connect(&worker_, &CompileWorker::finished, this, [this](quint64, const SnapshotPtr& snapshot) { accept(snapshot); });
    connect(&worker_, &CompileWorker::busyChanged, this, &Workbench::busyChanged);
}

void Workbench::activate(const QString& key, const std::string& text)
{
    active_ = key;
    auto& document = documents_[key];
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

void Workbench::choose(const std::string& kernel, const std::string& instance)
{
    auto& choice = documents_[active_].choice;
    if (choice.kernel == kernel && choice.instance == instance)
        return;
    choice = {kernel, instance, {}, {}};
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

driver::CompileRequest Workbench::currentRequest() const
{
    const Document document = documents_.value(active_);
    driver::CompileRequest request;
    request.source = document.source;
    request.readSibling = [folder = QFileInfo(active_).absolutePath()](const std::string& path) {
        return readSibling(folder, path);
    };
    request.kernel = {document.choice.kernel, document.choice.instance, document.choice.params, document.choice.dims};
    request.target = target_;
    if (document.newest && document.newest->source && document.source &&
        document.newest->source->text() == document.source->text())
        request.previous = document.newest;
    return request;
}

void Workbench::compile()
{
    if (active_.isEmpty())
        return;
    auto request = currentRequest();
    request.stages = static_cast<unsigned>(driver::StageWanted::kNear);
    worker_.submit(std::move(request));
}

void Workbench::accept(const SnapshotPtr& snapshot)
{
    if (!snapshot || snapshot->cancelled || !documents_.contains(active_))
        return;
    auto& document = documents_[active_];
    document.newest = snapshot;
    if (snapshot->function)
        document.shown = snapshot;
    Q_EMIT snapshotChanged();
}

}  // namespace tw::gui

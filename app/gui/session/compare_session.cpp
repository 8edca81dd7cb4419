#include "app/gui/session/compare_session.h"

#include <QFile>
#include <QFileInfo>

#include "profiler/analysis/modelled_capture.h"

namespace tw::gui {
namespace {

QString firstError(const std::vector<Diagnostic>& diagnostics)
{
    for (const auto& d : diagnostics)
        if (d.severity == Severity::kError)
            return QString::fromStdString(d.message);
    return {};
}

// The near stages without LLVM, as the workbench asks for them.
unsigned nearStages()
{
    return (static_cast<unsigned>(driver::StageWanted::kNear) & ~static_cast<unsigned>(driver::StageWanted::kLlvmIr)) |
           static_cast<unsigned>(driver::StageWanted::kTargetText);
}

QString labelOf(const driver::CompileSnapshot& snapshot)
{
    return snapshot.instance.name.empty() ? QString::fromStdString(snapshot.kernel)
                                          : QString::fromStdString(snapshot.kernel + "@" + snapshot.instance.name);
}

protocol::Job jobOf(const driver::CompileRequest& request)
{
    protocol::Job job;
    job.fileName = request.source->name();
    job.text = std::string(request.source->text());
    job.kernel = request.kernel;
    job.target = request.target;
    return job;
}

// What a capture carries, as it ran.
driver::CompileRequest programOf(const CapturePtr& capture)
{
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>(capture->files.front().name, capture->files.front().text);
    request.readSibling = [capture](const std::string& name) -> std::optional<std::string> {
        for (std::size_t i = 1; i < capture->files.size(); ++i)
            if (const auto& file = capture->files[i]; file.name == name || file.name.ends_with("/" + name))
                return file.text;
        return std::nullopt;
    };
    request.kernel.kernel = capture->kernel;
    request.kernel.instance = capture->instance;
    request.kernel.params = capture->params;
    for (const auto& [name, extent] : capture->dims)
        request.kernel.dims[name] = std::to_string(extent);
    request.target = capture->target;
    return request;
}

}  // namespace

CompareSession::CompareSession(Workbench& workbench, ProfileSession& profiles, CompileFunction compile, std::vector<std::string> runnerCommand,
                               QObject* parent)
    : QObject(parent), workbench_(workbench), profiles_(profiles), compile_(std::move(compile)), runners_(std::move(runnerCommand)),
      compiles_{std::make_unique<JobQueue>(), std::make_unique<JobQueue>()}, runs_(std::make_unique<JobQueue>())
{
}

CompareSession::~CompareSession()
{
    ending_.request_stop();
    cancel_.request_stop();
}

bool CompareSession::isBusy() const
{
    return std::any_of(variants_.begin(), variants_.end(), [](const Variant& v) { return v.isBusy; });
}

Variant* CompareSession::find(int id)
{
    const auto found = std::find_if(variants_.begin(), variants_.end(), [id](const Variant& v) { return v.id == id; });
    return found == variants_.end() ? nullptr : &*found;
}

bool CompareSession::hasRoom()
{
    problem_ = isFull() ? tr("eight variants are the most; remove one first") : QString();
    if (isFull())
        Q_EMIT changed();
    return !isFull();
}

void CompareSession::add(Variant variant)
{
    variants_.push_back(std::move(variant));
    Q_EMIT changed();
}

void CompareSession::pinCurrent()
{
    const auto snapshot = workbench_.newest();
    if (!snapshot || !snapshot->function) {
        problem_ = tr("the program does not compile");
        return Q_EMIT changed();
    }
    if (!hasRoom())
        return;
    Variant variant;
    variant.id = ++lastId_;
    variant.label = labelOf(*snapshot);
    for (const auto& [name, value] : workbench_.choice().params)
        variant.label += QStringLiteral(" %1=%2").arg(QString::fromStdString(name), QString::fromStdString(value));
    variant.snapshot = snapshot;
    variant.job = workbench_.currentJob();
    if (profiles_.shown() && !profiles_.isStale())
        variant.capture = profiles_.shown();
    variant.isBusy = true;
    const int id = variant.id;
    add(std::move(variant));
    model(id, snapshot);
}

void CompareSession::addParameters(const std::map<std::string, std::string>& overlay, const QString& label)
{
    auto request = workbench_.currentRequest();
    if (!request.source || !hasRoom())
        return;
    for (const auto& [name, value] : overlay)
        request.kernel.params[name] = value;
    Variant variant;
    variant.id = ++lastId_;
    variant.label = label;
    variant.job = workbench_.currentJob();
    variant.job.kernel = request.kernel;
    const int id = variant.id;
    add(std::move(variant));
    compile(id, std::move(request));
}

void CompareSession::addTarget(const std::string& target)
{
    auto request = workbench_.currentRequest();
    if (!request.source || !hasRoom())
        return;
    request.target = target;
    Variant variant;
    variant.id = ++lastId_;
    variant.label = QString::fromStdString(target);
    variant.job = workbench_.currentJob();
    variant.job.target = target;
    const int id = variant.id;
    add(std::move(variant));
    compile(id, std::move(request));
}

void CompareSession::addFile(const QString& path)
{
    if (!hasRoom())
        return;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        problem_ = tr("%1 cannot be read: %2").arg(path, file.errorString());
        return Q_EMIT changed();
    }
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>(QFileInfo(path).fileName().toStdString(), file.readAll().toStdString());
    auto siblings = std::make_shared<SiblingReader>(QFileInfo(path).absolutePath().toStdString());
    request.readSibling = [siblings](const std::string& name) { return siblings->read(name); };
    request.target = workbench_.target();
    Variant variant;
    variant.id = ++lastId_;
    variant.label = QFileInfo(path).fileName();
    variant.job = jobOf(request);
    variant.siblings = siblings;
    const int id = variant.id;
    add(std::move(variant));
    compile(id, std::move(request));
}

void CompareSession::addCapture(const CapturePtr& capture, const QString& label)
{
    if (!capture || !hasRoom())
        return;
    Variant variant;
    variant.id = ++lastId_;
    variant.label = label;
    variant.capture = capture;
    const int id = variant.id;
    add(std::move(variant));
    if (!capture->files.empty())
        compile(id, programOf(capture));  // for what a capture does not hold: the IR after every pass, the shared memory map
}

void CompareSession::sweep(const std::string& parameter, const QStringList& values)
{
    clear();
    for (const auto& value : values.mid(0, kMostVariants))
        addParameters({{parameter, value.toStdString()}}, QStringLiteral("%1=%2").arg(QString::fromStdString(parameter), value));
    swept_ = parameter;
    if (values.size() > kMostVariants)
        problem_ = tr("only the first eight of %1 values").arg(values.size());
    Q_EMIT changed();
}

void CompareSession::compile(int id, driver::CompileRequest request)
{
    request.stages = nearStages();
    if (auto* variant = find(id)) {
        variant->isBusy = true;
        variant->state = tr("compiling…");
    }
    Q_EMIT changed();
    compiler(id).submit([this, id, request = std::move(request), stop = ending_.get_token()] {
        if (stop.stop_requested())
            return;
        const SnapshotPtr snapshot = compile_(request, stop);
        const bool compiles = snapshot && snapshot->function;
        const auto modelled = compiles ? std::make_shared<const capture::Capture>(profile_analysis::modelledCapture(*snapshot)) : nullptr;
        QMetaObject::invokeMethod(this, [this, id, snapshot, modelled] { deliver(id, snapshot, modelled); }, Qt::QueuedConnection);
    });
}

void CompareSession::model(int id, SnapshotPtr snapshot)
{
    compiler(id).submit([this, id, snapshot = std::move(snapshot)] {
        const auto modelled = std::make_shared<const capture::Capture>(profile_analysis::modelledCapture(*snapshot));
        QMetaObject::invokeMethod(this, [this, id, snapshot, modelled] { deliver(id, snapshot, modelled); }, Qt::QueuedConnection);
    });
}

void CompareSession::deliver(int id, const SnapshotPtr& snapshot, const CapturePtr& modelled)
{
    auto* variant = find(id);
    if (!variant)
        return;
    variant->isBusy = false;
    variant->snapshot = modelled ? snapshot : nullptr;
    variant->model = modelled;
    const bool isStored = variant->job.text.empty();  // it has its numbers, whether it compiles here or not
    variant->state = isStored ? QString() : snapshot ? firstError(snapshot->diagnostics) : tr("cancelled");
    Q_EMIT changed();
}

void CompareSession::profileAll(const ProfileOptions& options, const RunSetup& setup)
{
    cancel_ = std::stop_source();
    for (const auto& variant : std::vector<Variant>(variants_))
        if (!variant.capture && !variant.job.text.empty())
            profile(variant.id, options, setup.inputsOf(variant.snapshot ? variant.snapshot->function.get() : nullptr));
}

void CompareSession::profile(int id, const ProfileOptions& options, const GivenInputs& inputs)
{
    auto* variant = find(id);
    variant->isBusy = true;
    variant->state = tr("waits to be profiled");
    Q_EMIT changed();
    auto request = requestOf(options, variant->job);
    if (variant->siblings)
        request.job.siblings = variant->siblings->given();
    const auto runner = runners_.runnerFor(request.device);
    const auto say = [this, id](const QString& text) {
        QMetaObject::invokeMethod(
            this,
            [this, id, text] {
                if (auto* v = find(id); v && v->isBusy) {
                    v->state = text;
                    Q_EMIT changed();
                }
            },
            Qt::QueuedConnection);
    };
    runs_->submit([this, id, request = std::move(request), runner, inputs, say, name = options.device, stop = cancel_.get_token()]() mutable {
        protocol::ProfileResult result;
        result.head.cancelled = stop.stop_requested();
        if (!result.head.cancelled) {
            say(tr("profiling…"));
            result = profileWith(*runner, std::move(request), inputs, {}, stop);
            if (result.capture)
                result.capture->environment.device = name;  // as it is named here
        }
        QMetaObject::invokeMethod(
            this,
            [this, id, result = std::move(result)] {
                auto* v = find(id);
                if (!v)
                    return;
                v->isBusy = false;
                v->state = result.head.cancelled ? tr("cancelled") : firstError(result.head.diagnostics);
                if (result.capture)
                    v->capture = std::make_shared<const capture::Capture>(*result.capture);
                Q_EMIT changed();
            },
            Qt::QueuedConnection);
    });
}

void CompareSession::cancel() { cancel_.request_stop(); }

void CompareSession::remove(int id)
{
    std::erase_if(variants_, [id](const Variant& v) { return v.id == id; });
    problem_.clear();
    Q_EMIT changed();
}

void CompareSession::rename(int id, const QString& label)
{
    if (auto* variant = find(id))
        variant->label = label;
    Q_EMIT changed();
}

void CompareSession::moveToFront(int id)
{
    const auto found = std::find_if(variants_.begin(), variants_.end(), [id](const Variant& v) { return v.id == id; });
    if (found != variants_.end())
        std::rotate(variants_.begin(), found, found + 1);
    Q_EMIT changed();
}

void CompareSession::clear()
{
    cancel_.request_stop();
    variants_.clear();
    swept_.clear();
    problem_.clear();
    Q_EMIT changed();
}

}  // namespace tw::gui

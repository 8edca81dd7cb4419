#include "app/gui/session/profile_session.h"

#include "profiler/store/twr.h"

namespace tw::gui {
namespace {

constexpr std::size_t kKeptCaptures = 16;

QString errorsOf(const protocol::ResultHead& head)
{
    QStringList messages;
    for (const auto& d : head.diagnostics)
        if (d.severity == Severity::kError)
            messages << QString::fromStdString(d.message);
    return messages.join(QLatin1Char('\n'));
}

}  // namespace

protocol::ProfileResult profileWith(protocol::Client& runner, protocol::ProfileRequest request, const GivenInputs& given,
                                    const protocol::ProgressCallback& progress, std::stop_token stop)
{
    if (const auto problem = readInputs(given, request.inputs)) {
        protocol::ProfileResult result;
        result.head.outcome = protocol::Outcome::kUsage;
        result.head.diagnostics.push_back({Code::kUsage, Severity::kError, {}, *problem, {}, {}, {}});
        return result;
    }
    return runner.profile(request, progress, std::move(stop));
}

namespace {

std::pair<CapturePtr, QString> readCapture(const QString& path)
{
    auto read = store::readTwr(path.toStdString());
    if (!read)
        return {nullptr, QString::fromStdString(read.error())};
    return {std::make_shared<const capture::Capture>(std::move(*read)), {}};
}

}  // namespace

ProfileSession::ProfileSession(Workbench& workbench, std::vector<std::string> runnerCommand, QObject* parent)
    : QObject(parent), workbench_(workbench), runners_(std::move(runnerCommand))
{
    connect(&workbench, &Workbench::snapshotChanged, this, [this] {
        if (shown_)
            Q_EMIT changed();
    });
}

void ProfileSession::begin()
{
    busy_ = true;
    problem_.clear();
    cancel_ = std::stop_source();
    Q_EMIT busyChanged(true);
}

protocol::ProfileRequest requestOf(const ProfileOptions& options, protocol::Job job)
{
    protocol::ProfileRequest request;
    request.job = std::move(job);
    request.device = options.device;
    request.seed = options.seed;
    request.repeat = options.repeat;
    request.stalls = request.instructions = options.stalls;
    request.overTime = options.overTime;
    request.timeline = options.timeline;
    request.coldL2 = options.coldL2;
    if (!options.metrics.empty()) {
        request.metrics = options.metrics;
        request.metrics.insert(request.metrics.begin(), "headline");
    }
    return request;
}

void ProfileSession::profile(const ProfileOptions& options)
{
    if (busy_ || workbench_.activeKey().isEmpty())
        return;
    auto request = requestOf(options, workbench_.currentJob());
    const auto runner = runners_.runnerFor(request.device);
    begin();
    const auto report = [this](const protocol::Progress& p) {
        QMetaObject::invokeMethod(this, [this, p] { Q_EMIT progress(QString::fromStdString(p.phase), p.fraction); },
                                  Qt::QueuedConnection);
    };
    job_.submit([this, request = std::move(request), runner, report, given = options.inputs, name = options.device,
                 cancel = cancel_](std::stop_token ending) mutable {
        const std::stop_callback link(ending, [&cancel] { cancel.request_stop(); });
        auto result = profileWith(*runner, std::move(request), given, report, cancel.get_token());
        if (result.capture)
            result.capture->environment.device = name;  // as it is named here
        QMetaObject::invokeMethod(this, [this, result = std::move(result)] { deliver(result); }, Qt::QueuedConnection);
    });
}

void ProfileSession::cancel() { cancel_.request_stop(); }

void ProfileSession::deliver(const protocol::ProfileResult& result)
{
    busy_ = false;
    problem_ = errorsOf(result.head);
    if (result.head.cancelled)
        problem_ = tr("cancelled");
    if (result.capture) {
        auto capture = std::make_shared<const capture::Capture>(*result.capture);
        show(capture);
        Q_EMIT captured(capture);
    } else {
        if (problem_.isEmpty())
            problem_ = tr("the runner gave no capture");
        Q_EMIT changed();
    }
    Q_EMIT busyChanged(false);
}

void ProfileSession::open(const QString& path)
{
    if (busy_)
        return;
    begin();
    files_.submit([this, path](std::stop_token) {
        auto [capture, problem] = readCapture(path);
        QMetaObject::invokeMethod(this, [this, problem = problem, capture = capture] { deliverFile(problem, capture); },
                                  Qt::QueuedConnection);
    });
}

void ProfileSession::deliverFile(const QString& problem, CapturePtr capture)
{
    busy_ = false;
    problem_ = problem;
    if (capture) {
        show(capture);
        Q_EMIT opened(capture);
    } else {
        Q_EMIT changed();
    }
    Q_EMIT busyChanged(false);
}

void ProfileSession::show(CapturePtr capture)
{
    if (!capture)
        return;
    shown_ = std::move(capture);
    if (std::find(recent_.begin(), recent_.end(), shown_) == recent_.end())
        recent_.insert(recent_.begin(), shown_);
    if (recent_.size() > kKeptCaptures)
        recent_.pop_back();
    Q_EMIT changed();
}

void ProfileSession::showWithProgram(const CapturePtr& capture)
{
    if (!capture)
        return;
    show(capture);
    Q_EMIT opened(capture);
}

void ProfileSession::pin(CapturePtr baseline)
{
    baseline_ = std::move(baseline);
    Q_EMIT pinned(baseline_);
    Q_EMIT changed();
}

bool ProfileSession::isOfActiveText() const
{
    const auto newest = workbench_.newest();
    return shown_ && newest && newest->source && !shown_->files.empty() && newest->source->text() == shown_->files.front().text;
}

bool ProfileSession::isStale() const
{
    const auto newest = workbench_.newest();
    if (!shown_ || !newest || !newest->source)
        return false;  // nothing to be older than
    // A device chooses its own target where the window names none.
    const bool otherTarget = workbench_.target() && newest->target.name != shown_->target && shown_->environment.device != "cpu";
    return !isOfActiveText() || newest->kernel != shown_->kernel || otherTarget || newest->instance.params != shown_->params;
}

Place ProfileSession::placeOf(const SourceRange& range, int line, std::uint32_t op) const
{
    const auto newest = workbench_.newest();
    if (!shown_ || !newest || !newest->source || shown_->files.empty())
        return {};
    if (isOfActiveText() && range.isKnown())
        return {range, op};
    const bool sameFile = shown_->files.front().name == newest->source->name() && range.file == 0;
    if (!sameFile || line < 1 || line > newest->source->lineCount())
        return {};
    const auto begin = newest->source->lineStart(line);
    return {{0, begin, begin + static_cast<std::uint32_t>(newest->source->lineText(line).size())}, 0};
}

}  // namespace tw::gui

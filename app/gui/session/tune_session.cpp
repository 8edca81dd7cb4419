#include "app/gui/session/tune_session.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <csignal>
#include <utility>

namespace tw::gui {
namespace {

constexpr int kEndMs = 2000;     // for a search to stop at the end of the window
constexpr int kChangeMs = 100;   // between two changes while it works: longer where there are many trials to show
constexpr int kMostChangeMs = 2000;

std::string literalOf(const QJsonValue& value)
{
    if (value.isBool())
        return value.toBool() ? "True" : "False";
    if (value.isDouble())
        return QString::number(value.toDouble(), 'g', 15).toStdString();
    return value.toString().toStdString();
}

store::Trial trialOf(const QJsonObject& object)
{
    store::Trial trial;
    const auto params = object.value(QLatin1String("params")).toObject();
    for (auto it = params.begin(); it != params.end(); ++it)
        trial.params[it.key().toStdString()] = literalOf(it.value());
    if (object.value(QLatin1String("medianUs")).isDouble())
        trial.medianUs = object.value(QLatin1String("medianUs")).toDouble();
    if (object.value(QLatin1String("modelUs")).isDouble())
        trial.modelUs = object.value(QLatin1String("modelUs")).toDouble();
    trial.message = object.value(QLatin1String("message")).toString().toStdString();
    const QString state = object.value(QLatin1String("state")).toString();
    if (state == QLatin1String("wrong"))
        trial.state = store::Trial::State::kWrong;
    else if (state == QLatin1String("failed") || state == QLatin1String("invalid"))
        trial.state = store::Trial::State::kFailed;
    return trial;
}

bool isOnDisk(const QString& path, const std::string& text)
{
    QFile file(path);
    return QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly) && file.readAll() == QByteArray::fromStdString(text);
}

}  // namespace

std::vector<store::Trial> readTrials(const QByteArray& json, QString& problem)
{
    std::vector<store::Trial> trials;
    QJsonParseError error;
    const auto document = QJsonDocument::fromJson(json, &error).object();
    if (error.error != QJsonParseError::NoError) {
        problem = TuneSession::tr("the search gave no result");
        return trials;
    }
    QStringList messages;
    for (const auto& d : document.value(QLatin1String("diagnostics")).toArray())
        if (d.toObject().value(QLatin1String("severity")).toString() == QLatin1String("error"))
            messages << d.toObject().value(QLatin1String("message")).toString();
    problem = messages.join(QLatin1Char('\n'));
    for (const char* list : {"measured", "unmeasured"})
        for (const auto& entry : document.value(QLatin1String(list)).toArray())
            trials.push_back(trialOf(entry.toObject()));
    return trials;
}

TuneSession::TuneSession(Workbench& workbench, QString program, QString storePath, QObject* parent)
    : QObject(parent), workbench_(workbench), program_(std::move(program)), storePath_(std::move(storePath))
{
    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &TuneSession::changed);
    connect(&process_, &QProcess::readyReadStandardError, this, &TuneSession::readProgress);
    connect(&process_, &QProcess::finished, this, &TuneSession::finish);
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return;  // finished speaks of the rest
        problem_ = tr("%1 cannot be started: %2").arg(program_, process_.errorString());
        Q_EMIT changed();
    });
}

TuneSession::~TuneSession()
{
    process_.disconnect(this);
    if (!isBusy())
        return;
    process_.terminate();
    if (!process_.waitForFinished(kEndMs))
        process_.kill();
}

QStringList TuneSession::arguments(const TuneOptions& options, bool fromInput) const
{
    QStringList args{QStringLiteral("tune"), fromInput ? QStringLiteral("-") : workbench_.activeKey(), QStringLiteral("--json"), QStringLiteral("--progress")};
    const auto add = [&args](const char* name, const QString& value) { args << QString::fromLatin1(name) << value; };
    if (const auto newest = workbench_.newest(); newest && !newest->kernel.empty()) {
        const auto& instance = workbench_.choice().instance;
        add("--kernel", QString::fromStdString(instance.empty() ? newest->kernel : newest->kernel + "@" + instance));
    }
    for (const auto& [name, value] : workbench_.choice().params)
        if (!options.space.contains(name))
            add("--param", QString::fromStdString(name + "=" + value));
    for (const auto& [name, value] : workbench_.choice().dims)
        add("--dim", QString::fromStdString(name + "=" + value));
    for (const auto& [name, values] : options.space) {
        QStringList list;
        for (const auto& value : values)
            list << QString::fromStdString(value);
        add("--space", QStringLiteral("%1=%2").arg(QString::fromStdString(name), list.join(QLatin1Char(','))));
    }
    add("--device", QString::fromStdString(options.device));
    add("--top", QString::number(options.top));
    add("--seed", QString::number(options.seed));
    for (const auto& [name, value] : options.inputs)
        add("--input", QString::fromStdString(name + "=" + value));
    if (!storePath_.isEmpty())
        add("--store", storePath_);
    return args;
}

void TuneSession::start(const TuneOptions& options)
{
    const auto request = workbench_.currentRequest();
    if (isBusy() || !request.source)
        return;
    const std::string text(request.source->text());
    const bool fromInput = !isOnDisk(workbench_.activeKey(), text);
    problem_.clear();
    phase_.clear();
    lastWords_.clear();
    unread_.clear();
    done_ = total_ = 0;
    cancelled_ = false;
    isFirst_ = true;
    clock_.invalidate();
    askedKernel_ = workbench_.newest() ? workbench_.newest()->kernel : std::string();
    askedDevice_ = options.device;
    const QString folder = QFileInfo(workbench_.activeKey()).absolutePath();
    process_.setWorkingDirectory(QFileInfo(folder).isDir() ? folder : QString());
    process_.start(program_, arguments(options, fromInput));
    if (fromInput)
        process_.write(QByteArray::fromStdString(text));
    process_.closeWriteChannel();
    Q_EMIT changed();
}

void TuneSession::cancel()
{
    if (!isBusy())
        return;
    if (std::exchange(cancelled_, true))
        process_.kill();
    else if (process_.processId() > 0)
        ::kill(static_cast<pid_t>(process_.processId()), SIGINT);  // it keeps what it has measured
    Q_EMIT changed();
}

// A line is a step of the search, or a message of a program that failed.
void TuneSession::readProgress()
{
    unread_ += process_.readAllStandardError();
    for (qsizetype end; (end = unread_.indexOf('\n')) >= 0; unread_.remove(0, end + 1)) {
        const QByteArray line = unread_.left(end).trimmed();
        const auto step = QJsonDocument::fromJson(line);
        if (step.isObject())
            take(step.object());
        else if (!line.isEmpty())
            lastWords_ = QString::fromUtf8(line);
    }
    if (!later_.isActive())
        later_.start(std::clamp(static_cast<int>(trials_.size()), kChangeMs, kMostChangeMs));
}

void TuneSession::take(const QJsonObject& step)
{
    const QString phase = step.value(QLatin1String("phase")).toString();
    phase_ = phase;
    if (phase != QLatin1String("reference")) {  // which stands between two measurements
        done_ = step.value(QLatin1String("done")).toInt();
        total_ = step.value(QLatin1String("total")).toInt();
    }
    if (phase == QLatin1String("measure") && !clock_.isValid()) {
        clock_.start();
        atClock_ = done_;
    }
    if (const auto trial = step.value(QLatin1String("trial")); trial.isObject())
        keep(trialOf(trial.toObject()));
}

void TuneSession::keep(store::Trial trial)
{
    if (std::exchange(isFirst_, false)) {
        trials_.clear();
        places_.clear();
        kernel_ = askedKernel_;
        device_ = askedDevice_;
    }
    const auto [place, isNew] = places_.try_emplace(trial.params, trials_.size());
    if (isNew)
        trials_.push_back(std::move(trial));
    else
        trials_[place->second] = std::move(trial);
}

std::optional<double> TuneSession::remainingSeconds() const
{
    if (!isBusy() || !clock_.isValid() || done_ <= atClock_)
        return std::nullopt;
    return static_cast<double>(clock_.elapsed()) / 1000 / (done_ - atClock_) * (total_ - done_);
}

void TuneSession::finish()
{
    readProgress();
    later_.stop();
    QString problem;
    auto trials = readTrials(process_.readAllStandardOutput(), problem);
    if (!trials.empty()) {
        isFirst_ = true;  // the document has them all
        for (auto& trial : trials)
            keep(std::move(trial));
    }
    problem_ = cancelled_ ? tr("cancelled; the next search goes on from here") : problem;
    if (process_.exitStatus() == QProcess::CrashExit && !cancelled_)
        problem_ = tr("the search ended unexpectedly; what it measured is kept");
    if (!problem_.isEmpty() && !cancelled_ && trials.empty() && !lastWords_.isEmpty())
        problem_ += QStringLiteral(": ") + lastWords_;
    Q_EMIT changed();
}

}  // namespace tw::gui

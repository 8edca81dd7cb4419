#include "app/gui/session/tune_session.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <csignal>

namespace tw::gui {
namespace {

constexpr int kEndMs = 2000;  // for a search to stop at the end of the window

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

TuneSession::TuneSession(Workbench& workbench, QString program, QObject* parent)
    : QObject(parent), workbench_(workbench), program_(std::move(program))
{
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
    QStringList args{QStringLiteral("tune"), fromInput ? QStringLiteral("-") : workbench_.activeKey(), QStringLiteral("--json")};
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
    phase_ = tr("starting…");
    progress_ = 0;
    error_.clear();
    cancelled_ = false;
    process_.setWorkingDirectory(QFileInfo(workbench_.activeKey()).absolutePath());
    process_.start(program_, arguments(options, fromInput));
    if (fromInput)
        process_.write(QByteArray::fromStdString(text));
    process_.closeWriteChannel();
    Q_EMIT changed();
}

void TuneSession::cancel()
{
    cancelled_ = true;
    if (process_.processId() > 0)
        ::kill(static_cast<pid_t>(process_.processId()), SIGINT);  // it keeps what it has measured
}

// The last line is what it does; "3/12" or "25 %" in it is how far it is.
void TuneSession::readProgress()
{
    error_ += process_.readAllStandardError();
    const QString line = QString::fromUtf8(error_).trimmed().section(QRegularExpression(QStringLiteral("[\\r\\n]")), -1).trimmed();
    if (line.isEmpty())
        return;
    phase_ = line;
    static const QRegularExpression kCount(QStringLiteral("(\\d+)\\s*(?:/|of)\\s*(\\d+)")), kPercent(QStringLiteral("(\\d+(?:\\.\\d+)?)\\s*%"));
    if (const auto count = kCount.match(line); count.hasMatch() && count.captured(2).toDouble() > 0)
        progress_ = std::clamp(count.captured(1).toDouble() / count.captured(2).toDouble(), 0.0, 1.0);
    else if (const auto percent = kPercent.match(line); percent.hasMatch())
        progress_ = std::clamp(percent.captured(1).toDouble() / 100, 0.0, 1.0);
    Q_EMIT changed();
}

void TuneSession::finish()
{
    QString problem;
    auto trials = readTrials(process_.readAllStandardOutput(), problem);
    if (!trials.empty())
        trials_ = std::move(trials);
    problem_ = cancelled_ ? tr("cancelled; the next search goes on from here") : problem;
    if (process_.exitStatus() == QProcess::CrashExit && !cancelled_)
        problem_ = tr("the search ended unexpectedly; what it measured is kept");
    Q_EMIT changed();
}

}  // namespace tw::gui

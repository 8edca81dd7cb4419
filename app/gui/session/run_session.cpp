#include "app/gui/session/run_session.h"

#include <QFile>

#include <chrono>

namespace tw::gui {
namespace {

// Files are read on the worker thread. A file that cannot be read becomes the message of the result.
std::optional<std::string> readInputs(const std::map<std::string, std::string>& given,
                                      std::map<std::string, protocol::Input>& inputs)
{
    for (const auto& [name, value] : given) {
        const QString path = QString::fromStdString(value);
        if (!path.endsWith(QLatin1String(".npy"))) {
            inputs[name].literal = value;
            continue;
        }
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            return "cannot read input " + name + ": " + file.errorString().toStdString();
        inputs[name].npy = file.readAll().toStdString();
    }
    return std::nullopt;
}

}  // namespace

RunSession::RunSession(Workbench& workbench, std::vector<std::string> runnerCommand, QObject* parent)
    : QObject(parent), workbench_(workbench), client_(std::move(runnerCommand))
{
}

template <class Request, class Ask>
void RunSession::start(Request request, const RunOptions& options, Ask ask)
{
    if (busy_ || workbench_.activeKey().isEmpty())
        return;
    request.job = workbench_.currentJob();
    request.device = options.device;
    request.seed = options.seed;
    busy_ = true;
    Q_EMIT busyChanged(true);
    const auto report = [this](const protocol::Progress& p) {
        QMetaObject::invokeMethod(this, [this, p] { Q_EMIT progress(QString::fromStdString(p.phase), p.fraction); },
                                  Qt::QueuedConnection);
    };
    cancel_ = std::stop_source();
    job_.submit([this, request = std::move(request), given = options.inputs, of = workbench_.newest(), report, ask,
                 cancel = cancel_](std::stop_token ending) mutable {
        const std::stop_callback link(ending, [&cancel] { cancel.request_stop(); });
        const std::stop_token stop = cancel.get_token();
        const auto begin = std::chrono::steady_clock::now();
        RunOutcome outcome;
        outcome.snapshot = of;
        const auto problem = readInputs(given, request.inputs);
        ask(request, report, stop, problem, outcome);
        outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        QMetaObject::invokeMethod(this, [this, outcome = std::move(outcome)] { deliver(outcome); }, Qt::QueuedConnection);
    });
}

namespace {

template <class Result>
Result failed(const std::string& problem)
{
    Result result;
    result.head.outcome = protocol::Outcome::kUsage;
    result.head.diagnostics.push_back({Code::kUsage, Severity::kError, {}, problem, {}, {}, {}});
    return result;
}

}  // namespace

void RunSession::run(const RunOptions& options)
{
    protocol::RunRequest request;
    request.repeat = options.repeat;
    request.wantOutputs = true;
    start(std::move(request), options, [this](const auto& r, const auto& report, auto stop, const auto& problem, RunOutcome& out) {
        out.run = problem ? failed<protocol::RunResult>(*problem) : client_.run(r, report, stop);
    });
}

void RunSession::verify(const RunOptions& options)
{
    start(protocol::VerifyRequest{}, options,
          [this](const auto& r, const auto& report, auto stop, const auto& problem, RunOutcome& out) {
              out.verify = problem ? failed<protocol::VerifyResult>(*problem) : client_.verify(r, report, stop);
          });
}

void RunSession::cancel() { cancel_.request_stop(); }

void RunSession::deliver(RunOutcome outcome)
{
    outcome_ = std::make_shared<const RunOutcome>(std::move(outcome));
    busy_ = false;
    Q_EMIT busyChanged(false);
    Q_EMIT finished();
}

}  // namespace tw::gui

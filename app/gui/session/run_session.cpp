#include "app/gui/session/run_session.h"

#include <chrono>

namespace tw::gui {
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

RunSession::RunSession(Workbench& workbench, std::vector<std::string> runnerCommand, QObject* parent)
    : QObject(parent), workbench_(workbench), runners_(std::move(runnerCommand))
{
}

template <class Request, class Ask>
void RunSession::start(Request request, const RunOptions& options, Ask ask)
{
    if (busy_ || workbench_.activeKey().isEmpty())
        return;
    request.job = workbench_.currentJob();
    request.device = options.device;
    const auto runner = runners_.runnerFor(request.device);
    request.seed = options.seed;
    busy_ = true;
    Q_EMIT busyChanged(true);
    const auto report = [this](const protocol::Progress& p) {
        QMetaObject::invokeMethod(this, [this, p] { Q_EMIT progress(QString::fromStdString(p.phase), p.fraction); },
                                  Qt::QueuedConnection);
    };
    cancel_ = std::stop_source();
    job_.submit([this, request = std::move(request), given = options.inputs, of = workbench_.newest(), report, ask, runner, name = options.device,
                 cancel = cancel_](std::stop_token ending) mutable {
        const std::stop_callback link(ending, [&cancel] { cancel.request_stop(); });
        const std::stop_token stop = cancel.get_token();
        const auto begin = std::chrono::steady_clock::now();
        RunOutcome outcome;
        outcome.snapshot = of;
        const auto problem = readInputs(given, request.inputs);
        ask(*runner, request, report, stop, problem, outcome);
        (outcome.run ? outcome.run->head : outcome.verify->head).device = name;  // as it is named here
        outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        QMetaObject::invokeMethod(this, [this, outcome = std::move(outcome)] { deliver(outcome); }, Qt::QueuedConnection);
    });
}

void RunSession::run(const RunOptions& options)
{
    protocol::RunRequest request;
    request.repeat = options.repeat;
    request.wantOutputs = true;
    start(std::move(request), options, [](auto& runner, const auto& r, const auto& report, auto stop, const auto& problem, RunOutcome& out) {
        out.run = problem ? failed<protocol::RunResult>(*problem) : runner.run(r, report, stop);
    });
}

void RunSession::verify(const RunOptions& options)
{
    start(protocol::VerifyRequest{}, options,
          [](auto& runner, const auto& r, const auto& report, auto stop, const auto& problem, RunOutcome& out) {
              out.verify = problem ? failed<protocol::VerifyResult>(*problem) : runner.verify(r, report, stop);
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

// Running and verifying the chosen kernel in a runner process. One job at a time; a runner that dies costs that job only.
#pragma once

#include <QObject>

#include <optional>

#include "app/gui/session/run_setup.h"
#include "app/gui/session/runners.h"
#include "app/gui/session/workbench.h"

namespace tw::gui {

struct RunOptions {
    std::string device = "cpu";  // as --device names it
    GivenInputs inputs;
    std::uint64_t seed = 0;
    int repeat = 1;
};

// What the last job gave. Exactly one of the two results is there.
struct RunOutcome {
    SnapshotPtr snapshot;  // the program that ran
    std::optional<protocol::RunResult> run;
    std::optional<protocol::VerifyResult> verify;
    double seconds = 0;  // wall time of the whole job
    [[nodiscard]] const protocol::ResultHead& head() const { return run ? run->head : verify->head; }
};

class RunSession : public QObject {
    Q_OBJECT

public:
    RunSession(Workbench& workbench, std::vector<std::string> runnerCommand, QObject* parent);

    void setRunnerFinder(RunnerFinder finder) { runners_.setFinder(std::move(finder)); }
    void run(const RunOptions& options);
    void verify(const RunOptions& options);
    void cancel();
    [[nodiscard]] bool isBusy() const { return busy_; }
    [[nodiscard]] std::shared_ptr<const RunOutcome> outcome() const { return outcome_; }  // null before the first job
    [[nodiscard]] int runnerProcessId() const { return runners_.local().processId(); }  // of this machine; 0: none

Q_SIGNALS:
    void busyChanged(bool busy);
    void progress(const QString& phase, double fraction);
    void finished();

private:
    template <class Request, class Ask>
    void start(Request request, const RunOptions& options, Ask ask);
    void deliver(RunOutcome outcome);

    Workbench& workbench_;
    std::shared_ptr<const RunOutcome> outcome_;
    bool busy_ = false;
    std::stop_source cancel_;
    Runners runners_;
    LatestJob job_;  // last: its destructor ends the thread that uses the rest
};

}  // namespace tw::gui

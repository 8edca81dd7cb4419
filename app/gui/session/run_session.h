// Running and verifying the chosen kernel in a runner process. One job at a time; a runner that dies costs that job only.
#pragma once

#include <QObject>

#include <optional>

#include "app/gui/session/workbench.h"
#include "profiler/protocol/client.h"

namespace tw::gui {

struct RunOptions {
    std::string device = "cpu";  // "cpu", "interp", "sim"
    std::map<std::string, std::string> inputs;  // NAME -> path of a .npy file, or a number; absent: generated
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

    void run(const RunOptions& options);
    void verify(const RunOptions& options);
    void cancel();
    [[nodiscard]] bool isBusy() const { return busy_; }
    [[nodiscard]] std::shared_ptr<const RunOutcome> outcome() const { return outcome_; }  // null before the first job
    [[nodiscard]] int runnerProcessId() const { return client_.processId(); }  // 0: none

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
    protocol::Client client_;
    LatestJob job_;  // last: its destructor ends the thread that uses the rest
};

}  // namespace tw::gui

// Profiling the chosen kernel in a runner process, and the captures that views show: the shown one, the pinned baseline, and the
// others of this window. Nothing here blocks: profiles run, and files are read, on one worker thread.
#pragma once

#include <QObject>

#include "app/gui/session/run_setup.h"
#include "app/gui/session/runners.h"
#include "app/gui/session/selection.h"
#include "app/gui/session/workbench.h"

namespace tw::gui {

using CapturePtr = std::shared_ptr<const capture::Capture>;

struct ProfileOptions {
    std::string device = "sim";
    std::uint64_t seed = 0;
    int repeat = 10;
    bool stalls = true, overTime = true, timeline = true;
    bool coldL2 = true;
    std::vector<std::string> metrics;  // beside the headline ones, as --metrics takes them; counted on GPUs
    GivenInputs inputs;
};

// What the runner is asked for; all that measures, asks by this.
[[nodiscard]] protocol::ProfileRequest requestOf(const ProfileOptions& options, protocol::Job job);

// Reads the inputs and asks the runner; blocks. Inputs that cannot be read become the result's diagnostic.
[[nodiscard]] protocol::ProfileResult profileWith(protocol::Client& runner, protocol::ProfileRequest request, const GivenInputs& given,
                                                  const protocol::ProgressCallback& progress, std::stop_token stop);

class ProfileSession : public QObject {
    Q_OBJECT

public:
    ProfileSession(Workbench& workbench, std::vector<std::string> runnerCommand, QObject* parent);

    void setRunnerFinder(RunnerFinder finder) { runners_.setFinder(std::move(finder)); }
    // The runner that profiles on a device, which is then named as that runner knows it.
    [[nodiscard]] std::shared_ptr<protocol::Client> runnerFor(std::string& device) { return runners_.runnerFor(device); }

    void profile(const ProfileOptions& options);  // nothing while another one runs
    void cancel();
    void open(const QString& path);  // a .twr file; shown once it is read

    void show(CapturePtr capture);
    void showWithProgram(const CapturePtr& capture);  // as one that was read from a file: its program and values are to be the active ones
    void pin(CapturePtr baseline);  // null: none
    [[nodiscard]] ProfileOptions& wanted() { return wanted_; }  // what to record, as the user chose it
    [[nodiscard]] CapturePtr shown() const { return shown_; }
    [[nodiscard]] CapturePtr baseline() const { return baseline_; }
    [[nodiscard]] const std::vector<CapturePtr>& recent() const { return recent_; }  // of this window, the newest first
    [[nodiscard]] bool isBusy() const { return busy_; }
    // Why the last profile or file gave nothing, or what is missing in it; empty if all went well.
    [[nodiscard]] const QString& problem() const { return problem_; }
    // Whether the shown capture is of another text, kernel, parameters or target than the workbench has.
    [[nodiscard]] bool isStale() const;
    // Whether byte offsets of the shown capture are offsets of the active text.
    [[nodiscard]] bool isOfActiveText() const;
    // A place of the shown capture in the active text: by range if the text is the same, else by line. Unknown in another file.
    [[nodiscard]] Place placeOf(const SourceRange& range, int line, std::uint32_t op) const;

Q_SIGNALS:
    void changed();  // shown capture, baseline, problem, or whether it is stale
    void busyChanged(bool busy);
    void progress(const QString& phase, double fraction);
    void pinned(const tw::gui::CapturePtr& baseline);   // by the user; null: none any more
    void opened(const tw::gui::CapturePtr& capture);    // with its program: from a file or the store
    void captured(const tw::gui::CapturePtr& capture);  // a new profile, not one that was opened

private:
    void begin();
    void deliver(const protocol::ProfileResult& result);
    void deliverFile(const QString& problem, CapturePtr capture);

    Workbench& workbench_;
    CapturePtr shown_, baseline_;
    std::vector<CapturePtr> recent_;
    QString problem_;
    ProfileOptions wanted_;
    bool busy_ = false;
    std::stop_source cancel_;
    Runners runners_;
    LatestJob job_, files_;  // last: their destructors end the threads that use the rest
};

}  // namespace tw::gui

// What is compared: up to eight variants of kernels, each a program that compiles here, a profile, or both.
#pragma once

#include <QObject>

#include <array>

#include "app/gui/session/job_queue.h"
#include "app/gui/session/profile_session.h"

namespace tw::gui {

struct Variant {
    int id = 0;
    QString label;
    SnapshotPtr snapshot;  // null until it has compiled; of a stored run, if its program still compiles
    CapturePtr capture;    // null until it was profiled
    CapturePtr model;      // of the snapshot; null with it
    protocol::Job job;     // how to profile it; empty text for a stored run
    std::shared_ptr<SiblingReader> siblings;  // what the compile read beside another file; null: the job has it
    QString state;         // "compiling…", why it does not compile or run; empty: nothing to say
    bool isBusy = false;
    [[nodiscard]] const capture::Capture* shown() const { return capture ? capture.get() : model.get(); }  // null: nothing to compare yet
};

class CompareSession : public QObject {
    Q_OBJECT

public:
    static constexpr int kMostVariants = 8;

    void setRunnerFinder(RunnerFinder finder) { runners_.setFinder(std::move(finder)); }

    // `compile` runs on threads of the session's own, two at a time.
    CompareSession(Workbench& workbench, ProfileSession& profiles, CompileFunction compile, std::vector<std::string> runnerCommand, QObject* parent);
    ~CompareSession() override;

    [[nodiscard]] const std::vector<Variant>& variants() const { return variants_; }
    [[nodiscard]] bool isFull() const { return variants_.size() >= kMostVariants; }
    [[nodiscard]] bool isBusy() const;

    // Each adds one at the end, or says in `problem` why not.
    void pinCurrent();                                                    // the program as it is, with its profile if that is not stale
    void addParameters(const std::map<std::string, std::string>& overlay, const QString& label);  // over the program as it is
    void addTarget(const std::string& target);  // the program as it is, compiled for it
    void addFile(const QString& path);
    void addCapture(const CapturePtr& capture, const QString& label);
    // One variant a value of a parameter (Python literals); replaces what was there.
    void sweep(const std::string& parameter, const QStringList& values);
    // Those without a profile, one after the other; the inputs are those of `setup`.
    void profileAll(const ProfileOptions& options, const RunSetup& setup);
    void cancel();
    void remove(int id);
    void rename(int id, const QString& label);
    void moveToFront(int id);                        // what the others are compared with
    void clear();
    [[nodiscard]] const QString& problem() const { return problem_; }
    [[nodiscard]] const std::string& sweptParameter() const { return swept_; }  // empty: no sweep

Q_SIGNALS:
    void changed();

private:
    Variant* find(int id);
    JobQueue& compiler(int id) { return *compiles_[static_cast<std::size_t>(id) % compiles_.size()]; }
    bool hasRoom();
    void add(Variant variant);
    void compile(int id, driver::CompileRequest request);
    void model(int id, SnapshotPtr snapshot);
    void deliver(int id, const SnapshotPtr& snapshot, const CapturePtr& model);
    void profile(int id, const ProfileOptions& options, const GivenInputs& inputs);

    Workbench& workbench_;
    ProfileSession& profiles_;
    CompileFunction compile_;
    std::vector<Variant> variants_;
    QString problem_;
    std::string swept_;
    int lastId_ = 0;
    std::stop_source cancel_;
    std::stop_source ending_;
    Runners runners_;
    std::array<std::unique_ptr<JobQueue>, 2> compiles_;  // two cores are the least that a machine has
    std::unique_ptr<JobQueue> runs_;
};

}  // namespace tw::gui

// Tuning the chosen kernel by `tilec tune` in a process of its own: the same search, the same store, as from the command line. A search
// that is cancelled or killed goes on where it was when it is started again. What it finds is here as soon as it is found.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTimer>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/session/run_setup.h"
#include "app/gui/session/workbench.h"
#include "profiler/store/store.h"

class QJsonObject;

namespace tw::gui {

struct TuneOptions {
    std::map<std::string, std::vector<std::string>> space;  // NAME -> Python literals; empty: the file's own configurations
    std::string device = "cuda:0";
    int top = 12;  // so many are measured
    GivenInputs inputs;
    std::uint64_t seed = 0;
};

class TuneSession : public QObject {
    Q_OBJECT

public:
    // `program`: path of tilec. `storePath`: where trials are kept; empty: the user's store.
    TuneSession(Workbench& workbench, QString program, QString storePath, QObject* parent);
    ~TuneSession() override;

    void start(const TuneOptions& options);  // nothing while a search runs
    void cancel();                           // keeps what was measured; a second time ends it at once
    [[nodiscard]] bool isBusy() const { return process_.state() != QProcess::NotRunning; }
    [[nodiscard]] const QString& phase() const { return phase_; }  // "model", "reference", "measure"; empty before the first step
    [[nodiscard]] int done() const { return done_; }               // of the `total` steps of the phase
    [[nodiscard]] int total() const { return total_; }
    [[nodiscard]] std::optional<double> remainingSeconds() const;  // of the measurements, by the pace so far
    [[nodiscard]] const QString& problem() const { return problem_; }
    // Of the newest search that found any, in no order; while it runs, those it has looked at.
    [[nodiscard]] const std::vector<store::Trial>& trials() const { return trials_; }
    [[nodiscard]] const std::string& kernel() const { return kernel_; }  // whose trials they are
    [[nodiscard]] const std::string& device() const { return device_; }

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] QStringList arguments(const TuneOptions& options, bool fromInput) const;
    void readProgress();
    void take(const QJsonObject& step);
    void keep(store::Trial trial);
    void finish();

    Workbench& workbench_;
    QString program_, storePath_, phase_, problem_, lastWords_;
    QProcess process_;
    QByteArray unread_;
    QTimer later_;         // many steps a moment are one change
    QElapsedTimer clock_;  // of the measurements
    int done_ = 0, total_ = 0, atClock_ = 0;
    bool cancelled_ = false, isFirst_ = false;
    std::string kernel_, device_, askedKernel_, askedDevice_;
    std::vector<store::Trial> trials_;
    std::map<staging::Bindings, std::size_t> places_;  // in trials_
};

// The trials of the document that `tilec tune --json` prints; `problem` says what is wrong with it or what it says is wrong.
[[nodiscard]] std::vector<store::Trial> readTrials(const QByteArray& json, QString& problem);

}  // namespace tw::gui

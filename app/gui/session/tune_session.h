// Tuning the chosen kernel by `tilec tune` in a process of its own: the same search, the same store, as from the command line. A search
// that is cancelled or killed goes on where it was when it is started again.
#pragma once

#include <QObject>
#include <QProcess>

#include "app/gui/session/workbench.h"
#include "profiler/store/store.h"

namespace tw::gui {

struct TuneOptions {
    std::map<std::string, std::vector<std::string>> space;  // NAME -> Python literals; empty: the file's own configurations
    std::string device = "cuda:0";
    int top = 12;  // so many are measured
};

class TuneSession : public QObject {
    Q_OBJECT

public:
    // `program`: path of tilec.
    TuneSession(Workbench& workbench, QString program, QObject* parent);
    ~TuneSession() override;

    void start(const TuneOptions& options);  // nothing while a search runs
    void cancel();
    [[nodiscard]] bool isBusy() const { return process_.state() != QProcess::NotRunning; }
    [[nodiscard]] double progress() const { return progress_; }    // 0 … 1
    [[nodiscard]] const QString& phase() const { return phase_; }  // what it does now
    [[nodiscard]] const QString& problem() const { return problem_; }
    [[nodiscard]] const std::vector<store::Trial>& trials() const { return trials_; }

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] QStringList arguments(const TuneOptions& options, bool fromInput) const;
    void readProgress();
    void finish();

    Workbench& workbench_;
    QString program_, phase_, problem_;
    QProcess process_;
    QByteArray error_;
    double progress_ = 0;
    bool cancelled_ = false;
    std::vector<store::Trial> trials_;
};

// The trials of the document that `tilec tune --json` prints; `problem` says what is wrong with it or what it says is wrong.
[[nodiscard]] std::vector<store::Trial> readTrials(const QByteArray& json, QString& problem);

}  // namespace tw::gui

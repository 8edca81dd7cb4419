// The docks of the Profile half, and what they stand on beside the window's own sessions: history, comparison, tuning.
#pragma once

#include <QObject>

#include "app/gui/session/compare_session.h"
#include "app/gui/session/run_history.h"
#include "app/gui/session/tune_session.h"
#include "app/gui/views/view.h"

namespace tw::gui {

class ProfileDocks : public QObject {
    Q_OBJECT

public:
    struct Services {
        RunSetup& setup;
        CompileFunction compile;
        std::vector<std::string> runnerCommand;
        std::string storePath;  // empty: nothing is kept
        RunnerFinder findRunner;  // of devices elsewhere; may be empty
    };
    // The views belong to `window`.
    ProfileDocks(ProfileSession& profiles, const Services& services, ViewContext context, QWidget* window);

    [[nodiscard]] const QList<View*>& views() const { return views_; }
    [[nodiscard]] RunHistory& history() { return history_; }
    [[nodiscard]] CompareSession& comparison() { return compare_; }
    [[nodiscard]] TuneSession& tuning() { return tune_; }

Q_SIGNALS:
    void viewRequested(const QString& name);
    void openRequested();                                          // asks for a file
    void editRequested(const std::vector<tw::FixIt>& changes);     // of the active text, as one step of undo

private:
    void makeViews(ProfileSession& profiles, RunSetup& setup, ViewContext context, QWidget* window);
    void writeParameters(const std::map<std::string, std::string>& params);

    Workbench& workbench_;
    RunHistory history_;
    CompareSession compare_;
    TuneSession tune_;
    QList<View*> views_;
};

}  // namespace tw::gui

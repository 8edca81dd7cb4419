// The window: assembles documents, views, actions and layouts. What they do is theirs.
#pragma once

#include <QMainWindow>
#include <QTimer>

#include "app/gui/editor/language_info.h"
#include "app/gui/session/far_stages.h"
#include "app/gui/session/profile_session.h"
#include "app/gui/session/run_session.h"
#include "app/gui/session/selection.h"
#include "app/gui/session/settings.h"
#include "app/gui/session/workbench.h"
#include "app/gui/views/view.h"
#include "app/gui/windows/document_area.h"

namespace tw::gui {

class ActionList;
class ProfileDocks;
class WindowSession;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    // What the window stands on. `journalFolder`: empty for none.
    struct Services {
        CompileFunction compile;
        std::vector<std::string> runnerCommand;
        Settings settings{false};
        QString journalFolder;
        RunnerFinder findRunner;  // of devices elsewhere; may be empty
        std::string storePath;  // of the runs; empty: none are kept
    };
    explicit MainWindow(Services services, QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] DocumentArea& documents() { return *documents_; }
    [[nodiscard]] Workbench& workbench() { return *workbench_; }
    [[nodiscard]] Selection& selection() { return *selection_; }
    [[nodiscard]] RunSetup& runSetup() { return *setup_; }
    [[nodiscard]] RunSession& runs() { return *runs_; }
    [[nodiscard]] ProfileSession& profiles() { return *profiles_; }
    [[nodiscard]] ProfileDocks& profileDocks() { return *profileDocks_; }
    [[nodiscard]] const LanguageInfo& language() const { return language_; }
    [[nodiscard]] Settings& settings() { return settings_; }
    [[nodiscard]] ActionList& actions() { return *actions_; }
    [[nodiscard]] const QList<View*>& views() const { return views_; }
    [[nodiscard]] View* view(const QString& name) const;  // null if there is none

    void setThemePreference(const QString& preference);  // "system", "light", "dark"
    void setCodeSize(double points);
    void setLayout(const QString& name);                 // "author", "profile", "teach"
    void resetLayout();                                  // as shipped
    void focusView(const QString& name);                 // "editor" or a view's name
    void setInlineMessages(bool shown);
    void restoreSession();
    void restoreLeftovers();  // unsaved text that a crash left
    [[nodiscard]] bool isSettled() const;                // nothing is being made that a view will show

protected:
    void showEvent(QShowEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makeViews(const Services& services);
    void openCapture(const QString& path);
    void connectDocuments();
    void connectPage(DocumentPage* page);
    void followSelection(const Place& place, const QObject* origin);
    void markSelection(const Place& place, const QObject* origin);
    void showDiagnostics();
    void watchFarStages();
    void showTheme(const Theme& theme);  // in the editors and views; the style sheet is the application's
    void updateTitleBars();  // a tab says the name already
    void saveLayout();

    Settings settings_;
    LanguageInfo language_;
    Workbench* workbench_;
    Selection* selection_;
    FarStages* farStages_;
    RunSetup* setup_;
    RunSession* runs_;
    ProfileSession* profiles_;
    ProfileDocks* profileDocks_ = nullptr;
    DocumentArea* documents_;
    WindowSession* session_;
    QList<View*> views_;
    std::unique_ptr<ActionList> actions_;
    QString layoutName_;
    QTimer titleBars_;
    bool wasShown_ = false;
};

}  // namespace tw::gui

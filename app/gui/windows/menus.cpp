#include "app/gui/windows/menus.h"

#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>

#include <array>

#include "app/gui/editor/find_bar.h"
#include "app/gui/views/help_view.h"
#include "app/gui/views/profile_view.h"
#include "app/gui/views/run_view.h"
#include "app/gui/widgets/command_palette.h"
#include "app/gui/windows/editor_actions.h"
#include "app/gui/windows/main_window.h"
#include "app/gui/windows/profile_docks.h"

namespace tw::gui {

ActionList::ActionList(MainWindow& window) : QObject(&window), window_(window) {}

QAction* ActionList::add(const QString& id, const QString& text, const QString& iconName, const QKeySequence& shortcut,
                         std::function<void()> run)
{
    auto* action = new QAction(text, &window_);
    if (!iconName.isEmpty())
        action->setIcon(icon(iconName));
    action->setObjectName(id);
    action->setShortcut(shortcut);
    QString tip = QString(text).remove(QLatin1Char('&')).remove(QStringLiteral("…"));
    if (!shortcut.isEmpty())
        tip += QStringLiteral(" (%1)").arg(shortcut.toString(QKeySequence::NativeText));
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    window_.addAction(action);
    all_ << action;
    return action;
}

QAction* ActionList::find(const QString& id) const
{
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const QAction* a) { return a->objectName() == id; });
    return found == all_.end() ? nullptr : *found;
}

namespace {

// Shorthand for the tables below: acts on the current page, if there is one.
class Builder {
public:
    explicit Builder(MainWindow& window) : w_(window) {}

    void build()
    {
        fileMenu();
        editMenu();
        goMenu();
        runMenu();
        viewMenu();
        helpMenu();
        toolBar();
    }

private:
    QAction* add(QMenu* menu, const char* id, const QString& text, const char* iconName, const QKeySequence& keys,
                 std::function<void()> run)
    {
        auto* action = w_.actions().add(QString::fromLatin1(id), text, QString::fromLatin1(iconName), keys, std::move(run));
        menu->addAction(action);
        return action;
    }
    std::function<void()> onPage(std::function<void(DocumentPage&)> run)
    {
        return [this_ = &w_, run = std::move(run)] {
            if (auto* page = this_->documents().current())
                run(*page);
        };
    }
    QMenu* menu(const QString& title) { return w_.menuBar()->addMenu(title); }

    void fileMenu();
    void editMenu();
    void goMenu();
    void runMenu();
    void viewMenu();
    void helpMenu();
    void toolBar();

    MainWindow& w_;
};

void Builder::fileMenu()
{
    auto* m = menu(MainWindow::tr("&File"));
    auto* window = &w_;
    add(m, "file.new", MainWindow::tr("&New kernel"), "new", QKeySequence::New, [window] { window->documents().openNew(); });
    add(m, "file.open", MainWindow::tr("&Open…"), "open", QKeySequence::Open, [window] { window->documents().askAndOpen(); });
    auto* recent = m->addMenu(MainWindow::tr("Open &recent"));
    QObject::connect(recent, &QMenu::aboutToShow, recent, [window, recent] {
        recent->clear();
        for (const auto& path : window->settings().recentFiles()) {
            auto* action = recent->addAction(path, [window, path] { window->documents().open(path); });
            action->setEnabled(QFileInfo::exists(path));
        }
        recent->addSeparator();
        recent->addAction(MainWindow::tr("Clear the list"), [window] { window->settings().clearRecentFiles(); });
    });
    m->addSeparator();
    add(m, "file.save", MainWindow::tr("&Save"), "save", QKeySequence::Save,
        onPage([window](DocumentPage& p) { window->documents().save(p, false); }));
    add(m, "file.saveAs", MainWindow::tr("Save &as…"), "", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
        onPage([window](DocumentPage& p) { window->documents().save(p, true); }));
    m->addSeparator();
    add(m, "file.close", MainWindow::tr("&Close"), "", QKeySequence::Close,
        onPage([window](DocumentPage& p) { window->documents().close(p); }));
    add(m, "file.quit", MainWindow::tr("&Quit"), "", QKeySequence(Qt::CTRL | Qt::Key_Q), [window] { window->close(); });
}

void Builder::editMenu()
{
    auto* m = menu(MainWindow::tr("&Edit"));
    add(m, "edit.undo", MainWindow::tr("&Undo"), "undo", QKeySequence::Undo, onPage([](DocumentPage& p) { p.editor().undo(); }));
    add(m, "edit.redo", MainWindow::tr("&Redo"), "redo", QKeySequence::Redo, onPage([](DocumentPage& p) { p.editor().redo(); }));
    m->addSeparator();
    // Find and copy belong to whichever text has the focus, so these have no shortcut of the window's own in a listing.
    add(m, "edit.find", MainWindow::tr("&Find…"), "search", QKeySequence::Find,
        onPage([](DocumentPage& p) { p.findBar().open(false); }));
    add(m, "edit.findNext", MainWindow::tr("Find &next"), "", QKeySequence(Qt::Key_F3),
        onPage([](DocumentPage& p) { p.findBar().findNext(true); }));
    add(m, "edit.findPrevious", MainWindow::tr("Find &previous"), "", QKeySequence(Qt::SHIFT | Qt::Key_F3),
        onPage([](DocumentPage& p) { p.findBar().findNext(false); }));
    add(m, "edit.replace", MainWindow::tr("&Replace…"), "replace", QKeySequence(Qt::CTRL | Qt::Key_H),
        onPage([](DocumentPage& p) { p.findBar().open(true); }));
    m->addSeparator();
    add(m, "edit.complete", MainWindow::tr("&Complete the name"), "", QKeySequence(Qt::CTRL | Qt::Key_Space),
        onPage([](DocumentPage& p) { p.editor().complete(); }));
    m->addSeparator();
    add(m, "edit.zoomIn", MainWindow::tr("Larger text"), "", QKeySequence(Qt::CTRL | Qt::Key_Plus),
        [w = &w_] { w->setCodeSize(w->settings().codeSize() + 1); });
    add(m, "edit.zoomOut", MainWindow::tr("Smaller text"), "", QKeySequence(Qt::CTRL | Qt::Key_Minus),
        [w = &w_] { w->setCodeSize(w->settings().codeSize() - 1); });
}

void Builder::goMenu()
{
    auto* m = menu(MainWindow::tr("&Go"));
    auto* window = &w_;
    add(m, "go.nextProblem", MainWindow::tr("&Next problem"), "next", QKeySequence(Qt::Key_F8),
        onPage([](DocumentPage& p) { p.editor().goToProblem(true); }));
    add(m, "go.previousProblem", MainWindow::tr("&Previous problem"), "previous", QKeySequence(Qt::SHIFT | Qt::Key_F8),
        onPage([](DocumentPage& p) { p.editor().goToProblem(false); }));
    add(m, "go.fix", MainWindow::tr("Apply a &fix"), "fix", QKeySequence(Qt::ALT | Qt::Key_Return),
        onPage([](DocumentPage& p) { applyFix(p.editor()); }));
    m->addSeparator();
    add(m, "go.definition", MainWindow::tr("&Definition"), "goto", QKeySequence(Qt::Key_F12),
        onPage([window](DocumentPage& p) { goToDefinition(p.editor(), window->workbench().newest()); }));
    m->addSeparator();
    add(m, "go.nextTab", MainWindow::tr("Next &tab"), "", QKeySequence(Qt::CTRL | Qt::Key_PageDown),
        [window] { window->documents().cycle(1); });
    add(m, "go.previousTab", MainWindow::tr("Previous ta&b"), "", QKeySequence(Qt::CTRL | Qt::Key_PageUp),
        [window] { window->documents().cycle(-1); });
}

void Builder::runMenu()
{
    auto* m = menu(MainWindow::tr("&Run"));
    auto* window = &w_;
    const auto onRun = [window](void (RunView::*act)()) {
        return [window, act] {
            window->focusView(QStringLiteral("run"));
            (qobject_cast<RunView*>(window->view(QStringLiteral("run")))->*act)();
        };
    };
    auto* run = add(m, "run.run", MainWindow::tr("&Run"), "run", QKeySequence(Qt::Key_F5), onRun(&RunView::run));
    auto* verify = add(m, "run.verify", MainWindow::tr("&Verify"), "verify", QKeySequence(Qt::CTRL | Qt::Key_F5), onRun(&RunView::verify));
    auto* profile = add(m, "run.profile", MainWindow::tr("&Profile"), "profile", QKeySequence(Qt::Key_F6), [window] {
        window->focusView(QStringLiteral("profile"));
        qobject_cast<ProfileView*>(window->view(QStringLiteral("profile")))->profile();
    });
    add(m, "run.counters", MainWindow::tr("C&hoose counters…"), "counters", QKeySequence(Qt::SHIFT | Qt::Key_F6), [window] {
        window->focusView(QStringLiteral("profile"));
        qobject_cast<ProfileView*>(window->view(QStringLiteral("profile")))->chooseCounters();
    });
    auto* cancel = add(m, "run.cancel", MainWindow::tr("&Cancel"), "stop", QKeySequence(Qt::SHIFT | Qt::Key_F5), [window] {
        window->runs().cancel();
        window->profiles().cancel();
        window->profileDocks().comparison().cancel();
        window->profileDocks().tuning().cancel();
    });
    const auto update = [window, run, verify, profile, cancel] {
        const auto snapshot = window->workbench().newest();
        const bool busy = window->runs().isBusy(), ready = snapshot && snapshot->ok() && snapshot->function;
        run->setEnabled(ready && !busy);
        verify->setEnabled(ready && !busy);
        profile->setEnabled(ready && !window->profiles().isBusy());
        auto& docks = window->profileDocks();
        cancel->setEnabled(busy || window->profiles().isBusy() || docks.comparison().isBusy() || docks.tuning().isBusy());
    };
    QObject::connect(&w_.runs(), &RunSession::busyChanged, run, update);
    QObject::connect(&w_.profiles(), &ProfileSession::busyChanged, run, update);
    QObject::connect(&w_.profileDocks().comparison(), &CompareSession::changed, run, update);
    QObject::connect(&w_.profileDocks().tuning(), &TuneSession::changed, run, update);
    QObject::connect(&w_.workbench(), &Workbench::snapshotChanged, run, update);
    update();
}

void Builder::helpMenu()
{
    auto* m = menu(MainWindow::tr("&Help"));
    auto* window = &w_;
    auto* help = qobject_cast<HelpView*>(w_.view(QStringLiteral("help")));
    auto* palette = new CommandPalette(&w_);
    add(m, "help.palette", MainWindow::tr("&All commands…"), "palette", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
        [window, palette] { palette->open(window->actions().all()); });
    add(m, "help.word", MainWindow::tr("&What is this name?"), "help", QKeySequence::HelpContents, [window, help] {
        auto* page = window->documents().current();
        const auto word = page ? page->editor().wordAt(page->editor().caretOffset()) : std::string();
        window->focusView(QStringLiteral("help"));
        help->lookUp(QString::fromStdString(word));
    });
    add(m, "help.guide", MainWindow::tr("&Guide"), "", QKeySequence(Qt::SHIFT | Qt::Key_F1), [window, help] {
        window->focusView(QStringLiteral("help"));
        help->showGuide();
    });
}

void Builder::viewMenu()
{
    auto* m = menu(MainWindow::tr("&View"));
    auto* window = &w_;
    add(m, "view.editor", MainWindow::tr("&Editor"), "file", QKeySequence(Qt::CTRL | Qt::Key_0),
        [window] { window->focusView(QStringLiteral("editor")); });
    int number = 1;
    for (auto* view : w_.views()) {
        // Nine a modifier: Ctrl+1 to 9, then Alt, then Alt+Shift.
        const std::array modifiers{Qt::KeyboardModifiers(Qt::ControlModifier), Qt::KeyboardModifiers(Qt::AltModifier), Qt::AltModifier | Qt::ShiftModifier};
        const QKeySequence keys(QKeyCombination(modifiers.at(static_cast<std::size_t>((number - 1) / 9)), static_cast<Qt::Key>(Qt::Key_1 + (number - 1) % 9)));
        add(m, ("view." + view->objectName().toLatin1()).constData(), view->windowTitle(), view->iconName().toLatin1().constData(),
            keys, [window, name = view->objectName()] { window->focusView(name); });
        ++number;
    }
    m->addSeparator();
    auto* layouts = m->addMenu(icon(QStringLiteral("layout")), MainWindow::tr("&Layout"));
    const auto chord = [](Qt::Key key) { return QKeySequence(Qt::CTRL | Qt::ALT | key); };
    const auto wideChord = [](Qt::Key key) { return QKeySequence(Qt::CTRL | Qt::ALT | Qt::SHIFT | key); };  // without Shift some belong to the desktop
    for (const auto& [name, text, key] : {std::tuple("author", MainWindow::tr("&Author"), Qt::Key_1), std::tuple("profile", MainWindow::tr("&Profile"), Qt::Key_2),
                                          std::tuple("teach", MainWindow::tr("&Teach"), Qt::Key_3)})
        add(layouts, (QByteArray("layout.") + name).constData(), text, "", chord(key),
            [window, name = QString::fromLatin1(name)] { window->setLayout(name); });
    layouts->addSeparator();
    add(layouts, "layout.reset", MainWindow::tr("&Reset this layout"), "reset", chord(Qt::Key_0), [window] { window->resetLayout(); });
    auto* inlineMessages = add(m, "view.inlineMessages", MainWindow::tr("Messages under the &lines"), "", wideChord(Qt::Key_M), [] {});
    inlineMessages->setCheckable(true);
    inlineMessages->setChecked(w_.settings().inlineMessages());
    QObject::connect(inlineMessages, &QAction::toggled, &w_, &MainWindow::setInlineMessages);
    auto* themes = m->addMenu(icon(QStringLiteral("theme")), MainWindow::tr("&Theme"));
    for (const auto& [name, text, key] : {std::tuple("system", MainWindow::tr("As the &system"), Qt::Key_S), std::tuple("light", MainWindow::tr("&Light"), Qt::Key_L),
                                          std::tuple("dark", MainWindow::tr("&Dark"), Qt::Key_D)})
        add(themes, (QByteArray("theme.") + name).constData(), text, "", wideChord(key),
            [window, name = QString::fromLatin1(name)] { window->setThemePreference(name); });
}

void Builder::toolBar()
{
    auto* bar = w_.addToolBar(MainWindow::tr("Tools"));
    bar->setObjectName(QStringLiteral("tools"));
    bar->setIconSize({18, 18});
    bar->setMovable(false);
    for (const char* id : {"file.new", "file.open", "file.save", "", "edit.undo", "edit.redo", "edit.find", "", "run.run",
                           "run.verify", "run.profile", "run.cancel", "", "help.palette"}) {
        if (*id == '\0')
            bar->addSeparator();
        else if (auto* action = w_.actions().find(QString::fromLatin1(id)))
            bar->addAction(action);
    }
}

}  // namespace

void buildMenus(MainWindow& window) { Builder(window).build(); }

}  // namespace tw::gui

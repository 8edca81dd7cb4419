#include "app/gui/windows/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QMimeData>
#include <QTabBar>

#include "app/gui/views/access_view.h"
#include "app/gui/views/code_view.h"
#include "app/gui/views/help_view.h"
#include "app/gui/views/kernel_view.h"
#include "app/gui/views/layout_view.h"
#include "app/gui/views/memory_view.h"
#include "app/gui/views/pass_view.h"
#include "app/gui/views/problem_view.h"
#include "app/gui/views/resource_view.h"
#include "app/gui/views/run_view.h"
#include "app/gui/views/tensor_view.h"
#include "app/gui/windows/heat_margins.h"
#include "app/gui/windows/menus.h"
#include "app/gui/windows/profile_docks.h"
#include "app/gui/windows/window_layouts.h"
#include "app/gui/windows/window_session.h"
#include "app/gui/windows/window_status.h"

namespace tw::gui {
namespace {
constexpr int kLayoutVersion = 1;  // of saved layouts: another one has other docks, and falls back to the layout as shipped

void placeViews(MainWindow& window, const QString& layout, const QByteArray& state)
{
    if (state.isEmpty() || !restoreViews(window, layout, state, kLayoutVersion))
        arrangeViews(window, layout);
}
}  // namespace

MainWindow::MainWindow(Services services, QWidget* parent)
    : QMainWindow(parent), settings_(services.settings), language_(LanguageInfo::load()),
      workbench_(new Workbench(services.compile, this)), selection_(new Selection(this)),
      farStages_(new FarStages(*workbench_, services.runnerCommand, this)),
      setup_(new RunSetup(services.runnerCommand, this)), runs_(new RunSession(*workbench_, services.runnerCommand, this)),
      profiles_(new ProfileSession(*workbench_, services.runnerCommand, this)), documents_(new DocumentArea(language_, this)),
      session_(new WindowSession(*documents_, settings_, services.journalFolder, this))
{
    // Before there are widgets: a style sheet that comes later restyles every one of them.
    const Theme theme = Theme::load(resolveThemeName(settings_.theme()));
    applyTheme(*qApp, theme);
    setWindowTitle(tr("Tilewright"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCentralWidget(documents_);
    runs_->setRunnerFinder(services.findRunner);
    profiles_->setRunnerFinder(services.findRunner);
    titleBars_.setSingleShot(true);
    connect(&titleBars_, &QTimer::timeout, this, &MainWindow::updateTitleBars);
    setup_->setTypedDevices(settings_.devices());
    connect(setup_, &RunSetup::deviceChanged, this, [this] { settings_.setDevices(setup_->typedDevices()); });
    makeViews(services);
    actions_ = std::make_unique<ActionList>(*this);
    buildMenus(*this);
    setStatusBar(new WindowStatus(*workbench_, *documents_, this));
    connectDocuments();
    documents_->setRecentFiles(settings_.recentFiles());
    showTheme(theme);
    setLayout(settings_.layoutName());
}

MainWindow::~MainWindow()
{
    // They would speak of their end to a window that is half gone.
    documents_->blockSignals(true);
    for (auto* v : views_)
        v->blockSignals(true);
    delete documents_;
    qDeleteAll(views_);
}

void MainWindow::makeViews(const Services& services)
{
    const ViewContext context{*workbench_, *selection_};
    auto* kernels = new KernelView(context, this);
    views_ << kernels << new PassView(*profiles_, context, this);
    for (auto kind : {CodeView::cuda(), CodeView::ptx(), CodeView::sass(), CodeView::llvm(), CodeView::assembly()})
        views_ << new CodeView(std::move(kind), *farStages_, *profiles_, context, this);
    views_ << new ResourceView(*farStages_, context, this) << new LayoutView(context, this) << new MemoryView(context, this)
           << new AccessView(*runs_, context, this) << new ProblemView(context, this) << new RunView(*runs_, *setup_, context, this) << new TensorView(*runs_, context, this)
           << new HelpView(language_, context, this);
    profileDocks_ = new ProfileDocks(*profiles_, {*setup_, services.compile, services.runnerCommand, services.storePath, services.findRunner}, context, this);
    views_ << profileDocks_->views();
    connect(profileDocks_, &ProfileDocks::openRequested, documents_, &DocumentArea::askAndOpen);
    connect(profileDocks_, &ProfileDocks::viewRequested, this, &MainWindow::focusView);
    connect(profileDocks_, &ProfileDocks::editRequested, this, [this](const std::vector<FixIt>& changes) {
        if (auto* page = documents_->current())
            page->editor().applyEdits(changes);
    });
    new HeatMargins(*profiles_, *documents_, this);
    for (auto* v : views_) {
        connect(v, &View::shownChanged, this, &MainWindow::watchFarStages);
        // Later: the dock's neighbours are settled only after the move. Once: a change of layout moves every dock.
        for (auto signal : {&QDockWidget::topLevelChanged, &QDockWidget::visibilityChanged})
            connect(v, signal, &titleBars_, qOverload<>(&QTimer::start));
        connect(v, &QDockWidget::dockLocationChanged, &titleBars_, qOverload<>(&QTimer::start));
    }
    connect(kernels, &KernelView::writeRequested, this,
            [this](const SourceRange& range, const QString& literal, const QString&) {
                if (auto* page = documents_->current())
                    page->editor().applyEdits({{range, literal.toStdString()}});
            });
}

void MainWindow::openCapture(const QString& path)
{
    settings_.addRecentFile(path);
    documents_->setRecentFiles(settings_.recentFiles());
    profiles_->open(path);
    focusView(QStringLiteral("profile"));
}

void MainWindow::watchFarStages()
{
    unsigned stages = 0;
    for (const auto* v : views_)
        stages |= v->isShown() ? v->farStages() : 0;
    farStages_->setWanted(stages);
}

View* MainWindow::view(const QString& name) const
{
    const auto found = std::find_if(views_.begin(), views_.end(), [&](const View* v) { return v->objectName() == name; });
    return found == views_.end() ? nullptr : *found;
}

void MainWindow::connectDocuments()
{
    connect(documents_, &DocumentArea::pageAdded, this, &MainWindow::connectPage);
    connect(documents_, &DocumentArea::currentChanged, this, [this](DocumentPage* page) {
        if (page)
            workbench_->activate(page->key(), page->editor().textBytes());
        setWindowTitle(page ? tr("%1 \u2014 Tilewright").arg(page->title()) : tr("Tilewright"));
    });
    connect(documents_, &DocumentArea::pageClosed, this, [this](const QString& key) {
        workbench_->forget(key);
        session_->closed(key);
    });
    connect(documents_, &DocumentArea::captureRequested, this, &MainWindow::openCapture);
    connect(documents_, &DocumentArea::opened, this, [this](const QString& path) {
        settings_.addRecentFile(path);
        documents_->setRecentFiles(settings_.recentFiles());
    });
    connect(profiles_, &ProfileSession::opened, this, [this](const CapturePtr& capture) {
        if (capture->files.empty())
            return;
        const auto& file = capture->files.front();
        if (auto* page = documents_->current(); !page || page->editor().textBytes() != file.text)
            documents_->openText(tr("%1 (capture)").arg(QFileInfo(QString::fromStdString(file.name)).fileName()), file.text);
        staging::Bindings dims;
        for (const auto& [name, extent] : capture->dims)
            dims[name] = std::to_string(extent);
        workbench_->choose(capture->kernel, capture->instance, capture->params, dims);  // as it ran, whatever the instance says
        const auto& operations = capture->operations;
        const auto costliest = std::max_element(operations.begin(), operations.end(), [](const auto& a, const auto& b) { return a.timeShare < b.timeShare; });
        if (auto* page = documents_->current(); page && costliest != operations.end() && costliest->line > 0)
            page->editor().showLine(costliest->line);
    });
    connect(workbench_, &Workbench::snapshotChanged, this, &MainWindow::showDiagnostics);
    connect(selection_, &Selection::changed, this, &MainWindow::followSelection);
    connect(selection_, &Selection::hoverChanged, this, &MainWindow::markSelection);
    connect(selection_, &Selection::revealed, this, [this](const Place& place) {
        auto* page = documents_->current();
        if (!page || place.range.file != 0)
            return;
        page->editor().selectRange(static_cast<int>(place.range.begin), static_cast<int>(place.range.begin));
        page->editor().setFocus();
    });
}

namespace {
Place placeOf(const CodeEditor& editor, int line)
{
    const long first = editor.SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line - 1));
    const long last = editor.SendScintilla(QsciScintilla::SCI_GETLINEENDPOSITION, static_cast<unsigned long>(line - 1));
    return {{0, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)}, 0};
}
}  // namespace

void MainWindow::connectPage(DocumentPage* page)
{
    auto* editor = &page->editor();
    editor->setInlineMessages(settings_.inlineMessages());
    connect(editor, &CodeEditor::edited, this, [this, page, editor] {
        if (page == documents_->current())
            workbench_->edit(editor->textBytes());
        session_->textEdited();
    });
    connect(editor, &TextPane::caretMoved, this, [this, page, editor](int line, int) {
        if (page != documents_->current())
            return;
        selection_->select(placeOf(*editor, line), editor);
    });
    connect(editor, &TextPane::lineHovered, this,
            [this, editor](int line) { selection_->hover(line > 0 ? placeOf(*editor, line) : Place{}, editor); });
}

void MainWindow::followSelection(const Place& place, const QObject* origin)
{
    markSelection(place, origin);
    auto* page = documents_->current();
    if (page && origin != &page->editor() && place.range.file == 0 && place.range.isKnown())
        page->editor().showLine(page->editor().lineOfOffset(static_cast<int>(place.range.begin)));
}

void MainWindow::markSelection(const Place&, const QObject* origin)
{
    auto* page = documents_->current();
    if (!page)
        return;
    const Place& marked = selection_->marked();
    const bool own = origin == &page->editor();  // the caret's line and the pointer need no mark in their own text
    if (own || marked.range.file != 0 || !marked.range.isKnown())
        return page->editor().setLinkedLines({});
    page->editor().setLinkedLines({page->editor().lineOfOffset(static_cast<int>(marked.range.begin))});
}

void MainWindow::showDiagnostics()
{
    auto* page = documents_->current();
    const auto snapshot = workbench_->newest();
    // A result of an older text would put its marks in the wrong places; the next one is on its way.
    if (page && snapshot && snapshot->source && snapshot->source->text() == page->editor().textBytes())
        page->editor().setDiagnostics(snapshot->diagnostics);
}

void MainWindow::setThemePreference(const QString& preference)
{
    settings_.setTheme(preference);
    const Theme theme = Theme::load(resolveThemeName(preference));
    applyTheme(*qApp, theme);
    showTheme(theme);
}

void MainWindow::showTheme(const Theme& theme)
{
    documents_->setTheme(theme, settings_.codeSize());
    for (auto* v : views_)
        v->setTheme(theme, settings_.codeSize());
}

void MainWindow::setCodeSize(double points)
{
    settings_.setCodeSize(std::clamp(points, 6.0, 32.0));
    setThemePreference(settings_.theme());
}

void MainWindow::setInlineMessages(bool shown)
{
    settings_.setInlineMessages(shown);
    for (auto* page : documents_->pages())
        page->editor().setInlineMessages(shown);
}

void MainWindow::setLayout(const QString& name)
{
    if (wasShown_)  // before, the docks have the sizes of no window
        saveLayout();
    layoutName_ = name;
    settings_.setLayoutName(name);
    placeViews(*this, name, settings_.layoutState(name));
    updateTitleBars();
}

void MainWindow::resetLayout() { arrangeViews(*this, layoutName_); }

void MainWindow::saveLayout() { settings_.setLayoutState(layoutName_, saveState(kLayoutVersion)); }

void MainWindow::focusView(const QString& name)
{
    if (auto* v = view(name)) {
        if (!v->isFloating() && dockWidgetArea(v) == Qt::NoDockWidgetArea)
            placeView(*this, v);
        v->show();
        v->raise();
        v->setFocus();
    } else if (auto* page = documents_->current()) {
        page->editor().setFocus();
    }
}

void MainWindow::restoreSession()
{
    if (const auto geometry = settings_.geometry(); !geometry.isEmpty())
        restoreGeometry(geometry);
    session_->restore();
}

void MainWindow::restoreLeftovers()
{
    if (const int count = session_->restoreLeftovers(); count > 0)
        statusBar()->showMessage(count == 1 ? tr("Unsaved text of one file is back after a crash")
                                            : tr("Unsaved text of %1 files is back after a crash").arg(count), 10000);
}

bool MainWindow::isSettled() const
{
    return !workbench_->isBusy() && std::all_of(views_.begin(), views_.end(), [](const View* v) { return v->isSettled(); });
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (std::exchange(wasShown_, true))
        return;
    // Again: sizes are kept only in a window of the size that they were saved in.
    if (const QByteArray state = settings_.layoutState(layoutName_); !state.isEmpty())
        placeViews(*this, layoutName_, state);
    else
        resizeViews(*this, layoutName_);
}

void MainWindow::updateTitleBars()
{
    for (auto* tabs : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        tabs->setElideMode(Qt::ElideNone);  // "Prof…" and "Proble…" name nothing; the bar scrolls instead
        tabs->setUsesScrollButtons(true);
    }
    for (auto* v : views_) {
        const bool tabbed = !v->isFloating() && !tabifiedDockWidgets(v).isEmpty();
        if (tabbed == (v->titleBarWidget() != nullptr))
            continue;
        QWidget* old = v->titleBarWidget();
        v->setTitleBarWidget(tabbed ? new QWidget(v) : nullptr);
        delete old;
    }
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    session_->save();
    settings_.setGeometry(saveGeometry());
    saveLayout();
    documents_->closeAll() ? event->accept() : event->ignore();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    for (const auto& url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            documents_->open(url.toLocalFile());
    }
}

}  // namespace tw::gui

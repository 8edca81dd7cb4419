#include "app/gui/windows/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QMimeData>

#include "app/gui/views/kernel_view.h"
#include "app/gui/views/pass_view.h"
#include "app/gui/views/problem_view.h"
#include "app/gui/windows/menus.h"
#include "app/gui/windows/window_layouts.h"
#include "app/gui/windows/window_status.h"

namespace tw::gui {

MainWindow::MainWindow(CompileFunction compile, Settings settings, QWidget* parent)
    : QMainWindow(parent), settings_(settings), language_(LanguageInfo::load()),
      workbench_(new Workbench(std::move(compile), this)), selection_(new Selection(this)),
      documents_(new DocumentArea(language_, this))
{
    setWindowTitle(tr("Tilewright"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCentralWidget(documents_);
    makeViews();
    actions_ = std::make_unique<ActionList>(*this);
    buildMenus(*this);
    status_ = new WindowStatus(*workbench_, *documents_, this);
    setStatusBar(status_);
    connectDocuments();
    documents_->setRecentFiles(settings_.recentFiles());
    setThemePreference(settings_.theme());
    setLayout(settings_.layoutName());
}

MainWindow::~MainWindow() = default;

void MainWindow::makeViews()
{
    const ViewContext context{*workbench_, *selection_};
    auto* kernels = new KernelView(context, this);
    views_ << kernels << new PassView(context, this) << new ProblemView(context, this);
    connect(kernels, &KernelView::writeRequested, this,
            [this](const SourceRange& range, const QString& literal, const QString&) {
                if (auto* page = documents_->current())
                    page->editor().applyEdits({{range, literal.toStdString()}});
            });
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
    connect(documents_, &DocumentArea::pageClosed, workbench_, &Workbench::forget);
    connect(documents_, &DocumentArea::opened, this, [this](const QString& path) {
        settings_.addRecentFile(path);
        documents_->setRecentFiles(settings_.recentFiles());
    });
    connect(workbench_, &Workbench::snapshotChanged, this, &MainWindow::showDiagnostics);
    connect(selection_, &Selection::changed, this, &MainWindow::followSelection);
    connect(selection_, &Selection::revealed, this, [this](const Place& place) {
        auto* page = documents_->current();
        if (!page || place.range.file != 0)
            return;
        page->editor().selectRange(static_cast<int>(place.range.begin), static_cast<int>(place.range.begin));
        page->editor().setFocus();
    });
}

void MainWindow::connectPage(DocumentPage* page)
{
    auto* editor = &page->editor();
    editor->setInlineMessages(settings_.inlineMessages());
    connect(editor, &CodeEditor::edited, this, [this, page, editor] {
        if (page == documents_->current())
            workbench_->edit(editor->textBytes());
    });
    connect(editor, &TextPane::caretMoved, this, [this, page, editor](int line, int) {
        if (page != documents_->current())
            return;
        const long first = editor->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line - 1));
        const long last = editor->SendScintilla(QsciScintilla::SCI_GETLINEENDPOSITION, static_cast<unsigned long>(line - 1));
        selection_->select({{0, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)}, 0}, editor);
    });
}

void MainWindow::followSelection(const Place& place, const QObject* origin)
{
    auto* page = documents_->current();
    if (!page)
        return;
    if (origin == &page->editor() || place.range.file != 0 || !place.range.isKnown())
        return page->editor().setLinkedLines({});
    const int line = page->editor().lineOfOffset(static_cast<int>(place.range.begin));
    page->editor().setLinkedLines({line});
    page->editor().showLine(line);
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
    documents_->setTheme(theme, settings_.codeSize());
    for (auto* v : views_)
        v->setTheme(theme, settings_.codeSize());
}

void MainWindow::setCodeSize(double points)
{
    settings_.setCodeSize(std::clamp(points, 6.0, 32.0));
    setThemePreference(settings_.theme());
}

void MainWindow::setLayout(const QString& name)
{
    if (!layoutName_.isEmpty())
        saveLayout();
    layoutName_ = name;
    settings_.setLayoutName(name);
    const QByteArray state = settings_.layoutState(name);
    if (state.isEmpty() || !restoreState(state))
        arrangeViews(*this, name);
}

void MainWindow::resetLayout() { arrangeViews(*this, layoutName_); }

void MainWindow::saveLayout() { settings_.setLayoutState(layoutName_, saveState()); }

void MainWindow::focusView(const QString& name)
{
    if (auto* v = view(name)) {
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
    int current = 0;
    const auto files = settings_.session(current);
    for (const auto& file : files) {
        if (!QFileInfo::exists(file.path))
            continue;
        if (auto* page = documents_->open(file.path)) {
            page->editor().selectRange(file.caretOffset, file.caretOffset);
            page->editor().setFirstVisibleLine(file.firstLine);
        }
    }
    if (current >= 0 && current < files.size() && QFileInfo::exists(files[current].path))
        documents_->open(files[current].path);
}

void MainWindow::saveSession()
{
    QList<OpenFile> files;
    int current = 0;
    for (auto* page : documents_->pages()) {
        if (page->path().isEmpty())
            continue;
        if (page == documents_->current())
            current = static_cast<int>(files.size());
        files.push_back({page->path(), page->editor().caretOffset(), page->editor().firstVisibleLine()});
    }
    settings_.setSession(files, current);
    settings_.setGeometry(saveGeometry());
    saveLayout();
}

bool MainWindow::isSettled() const
{
    return !workbench_->isBusy() && std::all_of(views_.begin(), views_.end(), [](const View* v) { return v->isSettled(); });
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    saveSession();
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

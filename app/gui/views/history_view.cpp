#include "app/gui/views/history_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>

#include "app/gui/models/history_rows.h"
#include "app/gui/models/profile_rows.h"
#include "app/gui/views/twin_panel.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {
constexpr int kParameters = 7;  // the column
}

HistoryView::HistoryView(RunHistory& history, ProfileSession& profiles, CompareSession& compare, ViewContext context, QWidget* parent)
    : View(QStringLiteral("history"), tr("History"), QStringLiteral("history"), context, parent), history_(history), profiles_(profiles), compare_(compare),
      rows_(new RowModel(historyHeaders(), {3, 4, 5}, this))
{
    connect(&history, &RunHistory::changed, this, [this] { invalidate(); });
    connect(this, &View::shownChanged, this, [this](bool shown) {
        history_.setWatching(shown);
        if (shown)
            history_.find({.text = search_ ? search_->text().toStdString() : std::string()});
    });
}

void HistoryView::makeContent()
{
    auto* splitter = new QSplitter(Qt::Vertical, frame());
    splitter->setChildrenCollapsible(false);
    panel_ = new TwinPanel(nullptr, rows_, {}, splitter);
    search_ = new QLineEdit(panel_);
    search_->setPlaceholderText(tr("Search kernels, devices, tags, notes"));
    search_->setClearButtonEnabled(true);
    search_->setMinimumWidth(150);
    panel_->addTool(search_);
    panel_->addButton(QStringLiteral("open"), tr("Open this run (double click)"), [this] { open(); });
    pin_ = panel_->addButton(QStringLiteral("pin"), tr("Baseline of its kernel on its device"), [this] { pin(); });
    pin_->setCheckable(true);
    panel_->addButton(QStringLiteral("compare"), tr("Add to the comparison"), [this] { compareSelected(); });
    panel_->addButton(QStringLiteral("delete"), tr("Delete the selected runs"), [this] { removeSelected(); });
    panel_->setStretchedColumn(kParameters);
    splitter->addWidget(panel_);
    splitter->addWidget(makeDetails(splitter));
    splitter->setStretchFactor(0, 1);
    setContent(splitter);
    setFoldingSplitter(splitter, 760);
    setFocusProxy(&panel_->table());
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) { history_.find({.text = text.toStdString()}); });
    connect(panel_, &TwinPanel::rowSelected, this, &HistoryView::showDetails);
    connect(&panel_->table(), &QTreeView::doubleClicked, this, &HistoryView::open);
}

QWidget* HistoryView::makeDetails(QWidget* parent)
{
    auto* panel = new QWidget(parent);
    panel->setProperty("role", "panel");
    panel->setAttribute(Qt::WA_StyledBackground);
    title_ = new QLabel(panel);
    title_->setProperty("role", "title");
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    tags_ = new QLineEdit(panel);
    tags_->setPlaceholderText(tr("Tags, with commas between"));
    tags_->setAccessibleName(tr("Tags"));
    notes_ = new QPlainTextEdit(panel);
    notes_->setObjectName(QStringLiteral("field"));
    notes_->setPlaceholderText(tr("Notes"));
    notes_->setAccessibleName(tr("Notes"));
    notes_->setMinimumHeight(44);
    notes_->setTabChangesFocus(true);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(10, 8, 10, 10);
    layout->setSpacing(6);
    layout->addWidget(title_);
    layout->addWidget(tags_);
    layout->addWidget(notes_, 1);
    panel->setMinimumWidth(200);
    // Written when the field is left: not at every key.
    connect(tags_, &QLineEdit::editingFinished, this, &HistoryView::saveDetails);
    notes_->installEventFilter(this);
    showDetails(-1);
    return panel;
}

bool HistoryView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == notes_ && event->type() == QEvent::FocusOut)
        saveDetails();
    return View::eventFilter(watched, event);
}

const store::RunRow* HistoryView::currentRun() const
{
    const int row = panel_ ? panel_->currentRow() : -1;
    return row >= 0 && static_cast<std::size_t>(row) < history_.rows().size() ? &history_.rows()[static_cast<std::size_t>(row)] : nullptr;
}

std::vector<std::int64_t> HistoryView::selectedIds() const
{
    std::vector<std::int64_t> ids;
    for (const int row : panel_->selectedRows())
        if (static_cast<std::size_t>(row) < history_.rows().size())
            ids.push_back(history_.rows()[static_cast<std::size_t>(row)].id);
    return ids;
}

void HistoryView::showDetails(int row)
{
    const bool known = row >= 0 && static_cast<std::size_t>(row) < history_.rows().size();
    const store::RunRow run = known ? history_.rows()[static_cast<std::size_t>(row)] : store::RunRow();
    tags_->setEnabled(known);
    notes_->setEnabled(known);
    if (pin_)
        pin_->setChecked(known && run.isBaseline);
    title_->setText(known ? tr("%1, run %2").arg(QString::fromStdString(run.kernel)).arg(run.id) : tr("No run selected"));
    if (known && run.id == shownId_ && (tags_->hasFocus() || notes_->hasFocus()))
        return;  // somebody types
    shownId_ = known ? run.id : 0;
    QStringList tags;
    for (const auto& tag : run.tags)
        tags << QString::fromStdString(tag);
    tags_->setText(tags.join(QStringLiteral(", ")));
    notes_->setPlainText(QString::fromStdString(run.notes));
}

void HistoryView::saveDetails()
{
    const auto found = std::find_if(history_.rows().begin(), history_.rows().end(), [this](const auto& run) { return run.id == shownId_; });
    if (found == history_.rows().end())
        return;
    std::vector<std::string> tags;
    for (const auto& tag : tags_->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!tag.trimmed().isEmpty())
            tags.push_back(tag.trimmed().toStdString());
    const std::string notes = notes_->toPlainText().toStdString();
    const auto id = found->id;
    const bool newTags = tags != found->tags, newNotes = notes != found->notes;
    if (newTags)
        history_.setTags(id, tags);
    if (newNotes)
        history_.setNotes(id, notes);
}

void HistoryView::open()
{
    if (const auto* run = currentRun())
        history_.load(run->id, [this](const CapturePtr& capture) { profiles_.showWithProgram(capture); });
}

void HistoryView::pin()
{
    const auto* run = currentRun();
    if (!run)
        return;
    const bool isBaseline = !run->isBaseline;
    history_.pin(run->id, isBaseline);
    if (!isBaseline)
        return profiles_.pin(nullptr);
    history_.load(run->id, [this](const CapturePtr& capture) { profiles_.pin(capture); });
}

void HistoryView::compareSelected()
{
    const auto ids = selectedIds();
    for (const auto id : ids)
        history_.load(id, [this, id](const CapturePtr& capture) { compare_.addCapture(capture, tr("%1, run %2").arg(captureTitle(*capture)).arg(id)); });
    if (!ids.empty())
        Q_EMIT viewRequested(QStringLiteral("compare"));
}

void HistoryView::removeSelected()
{
    const auto ids = selectedIds();
    if (ids.empty())
        return;
    const auto answer = QMessageBox::question(this, tr("Delete runs"), ids.size() == 1 ? tr("Delete one run for good?") : tr("Delete %1 runs for good?").arg(ids.size()),
                                              QMessageBox::Yes | QMessageBox::Cancel, QMessageBox::Cancel);
    if (answer == QMessageBox::Yes)
        history_.remove(ids);
}

void HistoryView::refresh()
{
    if (!history_.isKept())
        return showEmpty(tr("No history"), tr("This window keeps no runs."));
    const bool searching = search_ && !search_->text().isEmpty();
    if (history_.rows().empty() && !searching)
        return history_.problem().isEmpty() ? showEmpty(tr("No runs yet"), tr("Every profile is kept here, with its program, numbers and notes."))
                                            : showEmpty(tr("The history cannot be read"), history_.problem());
    const auto id = shownId_;
    rows_->setRows(historyRows(history_.rows()));
    for (std::size_t i = 0; i < history_.rows().size(); ++i)
        if (history_.rows()[i].id == id && panel_->currentRow() != static_cast<int>(i))  // else several that are selected would be one
            panel_->selectRow(static_cast<int>(i));
    panel_->hideEmptyColumns();
    showDetails(panel_->currentRow());
    const QString count = history_.rows().size() == 1 ? tr("1 run") : tr("%1 runs").arg(history_.rows().size());
    panel_->setCaption(history_.problem().isEmpty() ? count : history_.problem());
    showContent();
}

}  // namespace tw::gui

#include "app/gui/views/problem_view.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QTreeView>

#include "app/gui/session/selection.h"
#include "app/gui/session/workbench.h"

namespace tw::gui {

ProblemView::ProblemView(ViewContext context, QWidget* parent)
    : View(QStringLiteral("problems"), tr("Problems"), QStringLiteral("problems"), context, parent),
      model_(new ProblemModel(this))
{
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
}

void ProblemView::makeContent()
{
    table_ = new QTreeView(frame());
    table_->setModel(model_);
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
    table_->header()->setStretchLastSection(false);
    table_->header()->setSectionResizeMode(ProblemModel::kMessage, QHeaderView::Stretch);
    table_->header()->setSectionResizeMode(ProblemModel::kCode, QHeaderView::ResizeToContents);
    table_->header()->setSectionResizeMode(ProblemModel::kLine, QHeaderView::ResizeToContents);
    auto* copy = new QAction(icon(QStringLiteral("copy")), tr("Copy"), table_);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &ProblemView::copySelected);
    table_->addAction(copy);
    setContent(table_);
    connect(table_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        context_.selection.reveal({index.data(kRangeRole).value<SourceRange>(), 0});
    });
    connect(table_, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        context_.selection.reveal({index.data(kRangeRole).value<SourceRange>(), 0});
    });
}

void ProblemView::applyTheme() { model_->setTheme(theme()); }

void ProblemView::refresh()
{
    if (awaitsFirstResult())
        return;
    const auto snapshot = context_.workbench.newest();
    model_->setSnapshot(snapshot);
    if (model_->rowCount() > 0)
        return showContent();
    if (snapshot)
        showEmpty(tr("No problems"), tr("The file compiles. Errors and warnings will be listed here as you type."), QStringLiteral("good"));
    else
        showEmpty(tr("Nothing compiled yet"), tr("Open a kernel file; it is checked as you type."));
}

void ProblemView::copySelected()
{
    QStringList lines;
    for (const auto& index : table_->selectionModel()->selectedRows()) {
        QStringList cells;
        for (int column = 0; column < ProblemModel::kColumnCount; ++column)
            cells << index.siblingAtColumn(column).data().toString();
        lines << cells.join(QLatin1Char('\t'));
    }
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

}  // namespace tw::gui

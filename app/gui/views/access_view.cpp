#include "app/gui/views/access_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>

#include "app/gui/models/access_rows.h"
#include "app/gui/session/run_session.h"
#include "app/gui/session/selection.h"
#include "app/gui/session/workbench.h"
#include "app/gui/widgets/icon_button.h"

namespace tw::gui {

AccessView::AccessView(const RunSession& runs, ViewContext context, QWidget* parent)
    : View(QStringLiteral("access"), tr("Access"), QStringLiteral("access"), context, parent), runs_(runs),
      accesses_(new RowModel(accessHeaders(), {1, 2}, this)), syncs_(new RowModel(syncHeaders(), {1}, this))
{
    connect(&context.workbench, &Workbench::snapshotChanged, this, [this] { invalidate(); });
    connect(&runs, &RunSession::finished, this, [this] { invalidate(); });
}

void AccessView::makeContent()
{
    auto* splitter = new QSplitter(Qt::Vertical, frame());
    splitter->setChildrenCollapsible(false);
    auto* accesses = makeTable(accesses_, 3, splitter);
    splitter->addWidget(makeSection(accessTitle_, accesses, accesses_, splitter));
    splitter->addWidget(makeSection(syncTitle_, makeTable(syncs_, 2, splitter), syncs_, splitter));
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    setContent(splitter);
    setFoldingSplitter(splitter, 900);
    setFocusProxy(accesses);
}

QTreeView* AccessView::makeTable(RowModel* model, int stretched, QWidget* parent)
{
    auto* table = new QTreeView(parent);
    table->setModel(model);
    table->setRootIsDecorated(false);
    table->setUniformRowHeights(true);
    table->setMinimumHeight(80);
    table->header()->setStretchLastSection(false);
    for (int column = 0; column < model->columnCount(); ++column)
        table->header()->setSectionResizeMode(column, column == stretched ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
    connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this, model](const QModelIndex& index) {
        if (index.isValid())
            context_.selection.select({model->row(index.row()).range, model->row(index.row()).op}, this);
    });
    connect(table, &QTreeView::activated, this, [this, model](const QModelIndex& index) {
        context_.selection.reveal({model->row(index.row()).range, model->row(index.row()).op});
    });
    return table;
}

QWidget* AccessView::makeSection(QLabel*& title, QTreeView* table, RowModel* model, QWidget* parent)
{
    auto* section = new QWidget(parent);
    auto* bar = barWidget(section);
    title = new QLabel(bar);
    title->setProperty("role", "title");
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* copy = iconButton(QStringLiteral("copy"), tr("Copy the table as CSV"), bar);
    connect(copy, &QToolButton::clicked, this, [model] { QGuiApplication::clipboard()->setText(model->toCsv()); });
    auto* barLayout = new QHBoxLayout(bar);
    barLayout->setContentsMargins(12, 3, 6, 3);
    barLayout->addWidget(title, 1);
    barLayout->addWidget(copy);
    auto* layout = new QVBoxLayout(section);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(table, 1);
    return section;
}

// Counted ones as long as the program is the one that ran.
std::vector<TableRow> AccessView::rowsOf(const driver::CompileSnapshot& lowered) const
{
    const auto outcome = runs_.outcome();
    const bool isCounted = outcome && outcome->run && outcome->run->simulation && outcome->snapshot == context_.workbench.newest();
    return isCounted ? simulatedAccessRows(*outcome->snapshot, *outcome->run->simulation, theme()) : accessRows(lowered, theme());
}

void AccessView::refresh()
{
    const auto shown = context_.workbench.shown();
    if (!shown)
        return showEmpty(tr("No accesses yet"), tr("What every access to memory costs appears here as soon as the kernel compiles."));
    if (!shown->target.isCuda())
        return showEmpty(tr("No warps on this target"), tr("The target is %1. Choose a CUDA target, such as sm_90a, in the Kernels view.")
                                                            .arg(QString::fromStdString(shown->target.name)));
    const auto lowered = context_.workbench.lowered();
    if (!lowered)
        return showEmpty(tr("No code for this kernel"), tr("The Problems view says why it does not reach CUDA text."));
    auto rows = rowsOf(*lowered);
    const auto costly = std::count_if(rows.begin(), rows.end(), [](const TableRow& r) { return r.iconName == QLatin1String("warning"); });
    accessTitle_->setText(costly == 0   ? tr("Accesses: none costs more than its bytes need")
                          : costly == 1 ? tr("Accesses: 1 costs more than its bytes need")
                                        : tr("Accesses: %1 cost more than their bytes need").arg(costly));
    accesses_->setRows(std::move(rows));
    syncs_->setRows(syncRows(*lowered, theme()));
    syncTitle_->setText(syncs_->rowCount() == 0 ? tr("Barriers and fences: none needed") : tr("Barriers and fences: %1").arg(syncs_->rowCount()));
    showContent();
}

}  // namespace tw::gui

#include "app/gui/views/twin_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>

#include "app/gui/models/row_model.h"
#include "app/gui/widgets/elided_label.h"
#include "app/gui/widgets/icon_button.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

// Dims what lies under it and lets every event through.
class Veil : public QWidget {
public:
    explicit Veil(QWidget* over) : QWidget(over)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        over->installEventFilter(this);
        hide();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Resize)
            resize(parentWidget()->size());
        return QWidget::eventFilter(watched, event);
    }
    void paintEvent(QPaintEvent*) override
    {
        QColor dim = palette().color(QPalette::Base);
        dim.setAlpha(128);
        QPainter(this).fillRect(rect(), dim);
    }
};

}  // namespace

TwinPanel::TwinPanel(QWidget* picture, RowModel* rows, std::function<Picture()> exported, QWidget* parent)
    : QWidget(parent), rows_(rows), sorted_(new QSortFilterProxyModel(this)), stack_(new QStackedWidget(this)),
      table_(new QTreeView(this)), veil_(new Veil(stack_))
{
    sorted_->setSourceModel(rows_);
    sorted_->setSortRole(kSortRole);
    table_->setModel(sorted_);
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setSortingEnabled(true);
    table_->sortByColumn(-1, Qt::AscendingOrder);
    table_->header()->setStretchLastSection(false);
    table_->header()->setSectionsMovable(true);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copySelected = new QAction(icon(QStringLiteral("copy")), tr("Copy"), table_);
    copySelected->setShortcut(QKeySequence::Copy);
    copySelected->setShortcutContext(Qt::WidgetShortcut);
    connect(copySelected, &QAction::triggered, this, [this] { copy(QStringLiteral("\t"), false); });
    table_->addAction(copySelected);
    if (picture)
        stack_->addWidget(picture);
    stack_->addWidget(table_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar(picture != nullptr, std::move(exported)));
    layout->addWidget(stack_, 1);
    setFocusProxy(picture ? picture : table_);
    const auto sourceRow = [this](const QModelIndex& index) { return index.isValid() ? sorted_->mapToSource(index).row() : -1; };
    connect(table_, &QTreeView::activated, this, [this, sourceRow](const QModelIndex& i) { Q_EMIT rowActivated(sourceRow(i)); });
    connect(table_, &QTreeView::clicked, this, [this, sourceRow](const QModelIndex& i) { Q_EMIT rowActivated(sourceRow(i)); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, sourceRow](const QModelIndex& i) { Q_EMIT rowSelected(sourceRow(i)); });
}

QWidget* TwinPanel::makeBar(bool hasPicture, std::function<Picture()> exported)
{
    auto* bar = barWidget(this);
    bar_ = new QHBoxLayout(bar);
    bar_->setContentsMargins(8, 3, 6, 3);
    bar_->setSpacing(4);
    caption_ = new ElidedLabel(bar);
    caption_->setProperty("role", "muted");
    bar_->addWidget(caption_, 1);
    if (hasPicture) {
        asTable_ = addButton(QStringLiteral("table"), tr("As a table"), {});
        asTable_->setCheckable(true);
        connect(asTable_, &QToolButton::toggled, this, [this](bool table) { stack_->setCurrentIndex(table ? 1 : 0); });
    }
    fillCopyMenu(addButton(QStringLiteral("copy"), tr("Copy the table"), {}));
    if (exported)
        bar_->addWidget(makeExportButton(std::move(exported), bar));
    return bar;
}

void TwinPanel::fillCopyMenu(QToolButton* button)
{
    auto* menu = new QMenu(button);
    menu->addAction(tr("Copy as CSV"), this, [this] { QGuiApplication::clipboard()->setText(rows_->toCsv()); });
    menu->addAction(tr("Copy as tab-separated text"), this, [this] { copy(QStringLiteral("\t"), true); });
    menu->addAction(tr("Copy as Markdown"), this, [this] { QGuiApplication::clipboard()->setText(markdown()); });
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
}

void TwinPanel::addTool(QWidget* tool) { bar_->insertWidget(toolCount_++, tool); }

QToolButton* TwinPanel::addButton(const QString& iconName, const QString& tip, std::function<void()> act)
{
    auto* button = iconButton(iconName, tip, this);
    if (act)
        connect(button, &QToolButton::clicked, this, [act = std::move(act)] { act(); });
    bar_->insertWidget(asTable_ ? bar_->indexOf(asTable_) : bar_->count(), button);
    return button;
}

void TwinPanel::setCaption(const QString& text)
{
    caption_->setText(text);
}

void TwinPanel::setStale(bool stale)
{
    veil_->setVisible(stale);
    veil_->resize(stack_->size());
    veil_->raise();
}

void TwinPanel::setStretchedColumn(int column)
{
    for (int c = 0; c < rows_->columnCount(); ++c)
        table_->header()->setSectionResizeMode(c, c == column ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
}

void TwinPanel::hideEmptyColumns()
{
    for (int c = 0; c < rows_->columnCount(); ++c) {
        bool isEmpty = true;
        for (int r = 0; r < rows_->rowCount() && isEmpty; ++r)
            isEmpty = rows_->row(r).cells.value(c).isEmpty();
        table_->setColumnHidden(c, isEmpty);
    }
}

bool TwinPanel::showsTable() const { return stack_->currentWidget() == table_; }

int TwinPanel::currentRow() const
{
    const auto index = table_->currentIndex();
    return index.isValid() ? sorted_->mapToSource(index).row() : -1;
}

QList<int> TwinPanel::selectedRows() const
{
    auto indexes = table_->selectionModel()->selectedRows();
    std::sort(indexes.begin(), indexes.end());  // as they stand, not as they were clicked
    QList<int> rows;
    for (const auto& index : indexes)
        rows << sorted_->mapToSource(index).row();
    return rows;
}

void TwinPanel::selectRow(int row)
{
    if (row >= 0 && row < rows_->rowCount())
        table_->setCurrentIndex(sorted_->mapFromSource(rows_->index(row, 0)));
}

void TwinPanel::copy(const QString& separator, bool wholeTable) const
{
    QStringList lines;
    const auto lineOf = [&](int row) {
        QStringList cells;
        for (int c = 0; c < sorted_->columnCount(); ++c)
            cells << sorted_->index(row, c).data().toString();
        return cells.join(separator);
    };
    if (wholeTable) {
        QStringList heads;
        for (int c = 0; c < sorted_->columnCount(); ++c)
            heads << sorted_->headerData(c, Qt::Horizontal).toString();
        lines << heads.join(separator);
        for (int r = 0; r < sorted_->rowCount(); ++r)
            lines << lineOf(r);
    } else {
        for (const auto& index : table_->selectionModel()->selectedRows())
            lines << lineOf(index.row());
    }
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

QString TwinPanel::markdown() const
{
    const int columns = rows_->columnCount();
    QString text = QStringLiteral("|"), rule = QStringLiteral("|");
    for (int c = 0; c < columns; ++c) {
        text += QStringLiteral(" %1 |").arg(rows_->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString());
        rule += QStringLiteral("---|");
    }
    text += QLatin1Char('\n') + rule + QLatin1Char('\n');
    for (int r = 0; r < rows_->rowCount(); ++r) {
        text += QLatin1Char('|');
        for (int c = 0; c < columns; ++c)
            text += QStringLiteral(" %1 |").arg(rows_->index(r, c).data().toString().replace(QLatin1Char('|'), QStringLiteral("\\|")));
        text += QLatin1Char('\n');
    }
    return text;
}

}  // namespace tw::gui

// A painted widget and its table twin under one bar: caption, tools, the table's switch, copying, export. A veil lies over both while
// they show something older than the text.
#pragma once

#include <QWidget>

#include "app/gui/widgets/export_picture.h"

class QHBoxLayout;
class QSortFilterProxyModel;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace tw::gui {

class ElidedLabel;
class RowModel;

class TwinPanel : public QWidget {
    Q_OBJECT

public:
    // `picture`: what is shown first; null: the table alone. `exported` may be empty: no export.
    TwinPanel(QWidget* picture, RowModel* rows, std::function<Picture()> exported, QWidget* parent);

    void addTool(QWidget* tool);        // in front of the caption
    QToolButton* addButton(const QString& iconName, const QString& tip, std::function<void()> act);  // behind it
    void setCaption(const QString& text);
    void setStale(bool stale);
    void setStretchedColumn(int column);
    void hideEmptyColumns();            // of the table as it is now: nobody reads them, and they take the room of others
    [[nodiscard]] QTreeView& table() { return *table_; }
    [[nodiscard]] bool showsTable() const;
    [[nodiscard]] QList<int> selectedRows() const;  // of the model
    [[nodiscard]] int currentRow() const;  // of the model, -1: none
    void selectRow(int row);

Q_SIGNALS:
    void rowActivated(int row);            // click, double click or Enter, as a row of the model
    void rowSelected(int row);

private:
    QWidget* makeBar(bool hasPicture, std::function<Picture()> exported);
    void copy(const QString& separator, bool wholeTable) const;
    [[nodiscard]] QString markdown() const;
    void fillCopyMenu(QToolButton* button);

    RowModel* rows_;
    QSortFilterProxyModel* sorted_;
    QStackedWidget* stack_;
    QTreeView* table_;
    QHBoxLayout* bar_ = nullptr;
    ElidedLabel* caption_ = nullptr;
    QToolButton* asTable_ = nullptr;
    QWidget* veil_;
    int toolCount_ = 0;
};

}  // namespace tw::gui

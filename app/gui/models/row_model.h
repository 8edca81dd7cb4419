// A plain table: rows of texts, each with a place in the source. For the table twins of painted views.
#pragma once

#include <QAbstractTableModel>
#include <QColor>

#include "app/gui/models/roles.h"

namespace tw::gui {

struct TableRow {
    QStringList cells;
    SourceRange range;       // where the row points; kRangeRole
    std::uint32_t op = 0;
    QString toolTip;
    QString iconName;        // in front of the first cell; may be empty
    QColor iconColor;        // invalid: the text's
    QList<QColor> inks;      // of the cells, from the left; invalid or beyond its end: the text's. A cell with its own ink is bold
    QList<double> values;    // what the cells sort by, from the left; beyond its end: the number in a column of numbers, else the text
    bool operator==(const TableRow&) const = default;
};

// What a cell such as "3.17 ms", "1.2 GB/s" or "+4 %" stands for, in its unit without a prefix; what holds no number stands first.
[[nodiscard]] double quantityOf(const QString& text);

class RowModel : public QAbstractTableModel {
    Q_OBJECT

public:
    // `numbers`: columns whose cells are numbers; they stand at the right.
    RowModel(QStringList headers, QList<int> numbers, QObject* parent = nullptr);
    void setRows(std::vector<TableRow> rows);
    void setHeaders(QStringList headers, QList<int> numbers);  // other columns: the rows go
    [[nodiscard]] const TableRow& row(int index) const { return rows_.at(static_cast<std::size_t>(index)); }
    [[nodiscard]] QString toCsv() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList headers_;
    QList<int> numbers_;
    std::vector<TableRow> rows_;
};

}  // namespace tw::gui

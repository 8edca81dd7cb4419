// A matrix of numbers as a table that is read as far as it is shown: the twin of a heat map.
#pragma once

#include <QAbstractTableModel>

#include <functional>

namespace tw::gui {

class MatrixModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    // `at` is cheap and safe for 0 ≤ row < rows, 0 ≤ column < columns.
    void setMatrix(int rows, int columns, std::function<double(int row, int column)> at);
    [[nodiscard]] QString toCsv() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : rows_; }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : columns_; }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    int rows_ = 0, columns_ = 0;
    std::function<double(int row, int column)> at_;
};

}  // namespace tw::gui

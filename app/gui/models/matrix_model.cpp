#include "app/gui/models/matrix_model.h"

namespace tw::gui {
namespace {
QString fullText(double value) { return QString::number(value, 'g', 9); }
}  // namespace

void MatrixModel::setMatrix(int rows, int columns, std::function<double(int row, int column)> at)
{
    beginResetModel();
    rows_ = rows;
    columns_ = columns;
    at_ = std::move(at);
    endResetModel();
}

QString MatrixModel::toCsv() const
{
    QString csv;
    for (int row = 0; row < rows_; ++row)
        for (int column = 0; column < columns_; ++column)
            csv += fullText(at_(row, column)) + QLatin1Char(column + 1 < columns_ ? ',' : '\n');
    return csv;
}

QVariant MatrixModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(fullText(at_(index.row(), index.column()))) : QVariant();
}

QVariant MatrixModel::headerData(int section, Qt::Orientation, int role) const { return role == Qt::DisplayRole ? QVariant(section) : QVariant(); }

}  // namespace tw::gui

#include "app/gui/models/row_model.h"

#include <QRegularExpression>

#include <limits>

#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

double prefixFactor(QChar prefix)
{
    switch (prefix.unicode()) {
    case 'n': return 1e-9;
    case 0xb5: return 1e-6;
    case 'm': return 1e-3;
    case 'k':
    case 'K': return 1e3;
    case 'M': return 1e6;
    case 'G': return 1e9;
    case 'T': return 1e12;
    default: return 1;
    }
}

}  // namespace

double quantityOf(const QString& text)
{
    // A number, with commas between thousands; then perhaps a prefix of a unit.
    static const QRegularExpression form(QStringLiteral("^([+\\x{2212}-]?)([\\d,]*\\.?\\d+(?:e[+-]?\\d+)?)\\s?([nm](?=s\\b)|[kKMGT\\x{b5}](?=[A-Za-z]|$|\\s))?"));
    const auto match = form.match(text.trimmed());
    if (!match.hasMatch())
        return std::numeric_limits<double>::lowest();
    const double number = match.captured(2).remove(QLatin1Char(',')).toDouble();
    const double value = match.captured(3).isEmpty() ? number : number * prefixFactor(match.captured(3).front());
    return match.captured(1).isEmpty() || match.captured(1) == QLatin1String("+") ? value : -value;
}

RowModel::RowModel(QStringList headers, QList<int> numbers, QObject* parent)
    : QAbstractTableModel(parent), headers_(std::move(headers)), numbers_(std::move(numbers))
{
}

void RowModel::setRows(std::vector<TableRow> rows)
{
    if (rows == rows_)
        return;
    if (rows.size() == rows_.size()) {  // the same places: selection and scroll position survive
        rows_ = std::move(rows);
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
}

void RowModel::setHeaders(QStringList headers, QList<int> numbers)
{
    if (headers == headers_ && numbers == numbers_)
        return;
    beginResetModel();
    headers_ = std::move(headers);
    numbers_ = std::move(numbers);
    rows_.clear();
    endResetModel();
}

QString RowModel::toCsv() const
{
    const auto line = [](const QStringList& cells) {
        QStringList quoted;
        for (QString cell : cells)
            quoted << QLatin1Char('"') + cell.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
        return quoted.join(QLatin1Char(',')) + QLatin1Char('\n');
    };
    QString csv = line(headers_);
    for (const auto& row : rows_)
        csv += line(row.cells);
    return csv;
}

int RowModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int RowModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(headers_.size()); }

QVariant RowModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& row = rows_[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return row.cells.value(index.column());
    case Qt::ToolTipRole: return row.toolTip.isEmpty() ? QVariant() : row.toolTip;
    case kRangeRole: return QVariant::fromValue(row.range);
    case kSortRole:
        if (index.column() < row.values.size())
            return row.values[index.column()];
        return numbers_.contains(index.column()) ? QVariant(quantityOf(row.cells.value(index.column()))) : QVariant(row.cells.value(index.column()));
    case Qt::TextAlignmentRole:
        return numbers_.contains(index.column()) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ForegroundRole: return row.inks.value(index.column()).isValid() ? QVariant(row.inks[index.column()]) : QVariant();
    case Qt::FontRole: {
        if (!row.inks.value(index.column()).isValid())
            return {};
        QFont font = uiFont();
        font.setWeight(QFont::DemiBold);
        return font;
    }
    case Qt::DecorationRole:
        if (index.column() != 0 || row.iconName.isEmpty())
            return {};
        return row.iconColor.isValid() ? icon(row.iconName, row.iconColor) : icon(row.iconName);
    default: return {};
    }
}

QVariant RowModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    if (role == Qt::TextAlignmentRole)
        return numbers_.contains(section) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(headers_[section]) : QVariant();
}

}  // namespace tw::gui

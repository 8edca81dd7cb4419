#include "app/gui/models/metric_model.h"

#include <algorithm>

namespace tw::gui {

void MetricModel::setMetrics(std::vector<protocol::MetricInfo> metrics)
{
    beginResetModel();
    metrics_ = std::move(metrics);
    endResetModel();
}

void MetricModel::setChosen(std::vector<std::string> names)
{
    chosen_ = std::move(names);
    if (!metrics_.empty())
        Q_EMIT dataChanged(index(0, kName), index(rowCount() - 1, kName), {Qt::CheckStateRole});
    Q_EMIT chosenChanged();
}

void MetricModel::toggle(const QModelIndex& index)
{
    if (index.isValid())
        setData(index.siblingAtColumn(kName), isChosen(metrics_[static_cast<std::size_t>(index.row())]) ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

int MetricModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(metrics_.size()); }
int MetricModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumnCount; }

bool MetricModel::isAlwaysCounted(const protocol::MetricInfo& metric)
{
    return QString::fromStdString(metric.sets).split(QLatin1Char(' ')).contains(QLatin1String("headline"));
}

bool MetricModel::isChosen(const protocol::MetricInfo& metric) const
{
    return isAlwaysCounted(metric) || std::find(chosen_.begin(), chosen_.end(), metric.name) != chosen_.end();
}

QString MetricModel::text(const protocol::MetricInfo& metric, int column) const
{
    switch (column) {
    case kName: return QString::fromStdString(metric.name);
    case kUnit: return metric.unit == "us" ? QStringLiteral("\u00b5s") : QString::fromStdString(metric.unit);
    case kPasses: return metric.passes > 0 ? QString::number(metric.passes) : QString();
    default: return QString::fromStdString(metric.meaning);
    }
}

QVariant MetricModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto& metric = metrics_[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return text(metric, index.column());
    case Qt::CheckStateRole: return index.column() == kName ? QVariant(isChosen(metric) ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::TextAlignmentRole: return index.column() == kPasses ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ToolTipRole: {
        QString tip = text(metric, kMeaning);
        if (!metric.counter.empty())
            tip += tr("\nThe chip's counter: %1").arg(QString::fromStdString(metric.counter));
        return isAlwaysCounted(metric) ? tip + tr("\nEvery profile counts it.") : tip;
    }
    default: return {};
    }
}

QVariant MetricModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const QStringList titles{tr("Counter"), tr("Unit"), tr("Passes"), tr("Meaning")};
    if (orientation != Qt::Horizontal || section >= titles.size())
        return {};
    if (role == Qt::ToolTipRole && section == kPasses)
        return tr("Runs of the kernel that it alone needs; known for the first of a list");
    return role == Qt::DisplayRole ? QVariant(titles[section]) : QVariant();
}

Qt::ItemFlags MetricModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags base = QAbstractTableModel::flags(index);
    const bool isFree = index.isValid() && index.column() == kName && !isAlwaysCounted(metrics_[static_cast<std::size_t>(index.row())]);
    return isFree ? base | Qt::ItemIsUserCheckable : base;
}

bool MetricModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || !flags(index).testFlag(Qt::ItemIsUserCheckable))
        return false;
    const std::string& name = metrics_[static_cast<std::size_t>(index.row())].name;
    std::erase(chosen_, name);
    if (value.toInt() == Qt::Checked)
        chosen_.push_back(name);
    Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
    Q_EMIT chosenChanged();
    return true;
}

}  // namespace tw::gui

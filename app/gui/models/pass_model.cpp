#include "app/gui/models/pass_model.h"

#include <QFont>

namespace tw::gui {

void PassModel::setSnapshot(std::shared_ptr<const driver::CompileSnapshot> snapshot)
{
    beginResetModel();
    rows_.clear();
    snapshot_ = std::move(snapshot);
    if (snapshot_) {
        for (const auto& record : snapshot_->passes)
            rows_.push_back({QString::fromStdString(record.name), record.after, record.changed, record.milliseconds});
        // Without passes (the pipeline did not start) the traced IR is still worth a look.
        if (rows_.empty() && snapshot_->function)
            rows_.push_back({QStringLiteral("trace"), snapshot_->function, true, snapshot_->traceMs});
        if (!rows_.empty() && rows_.front().milliseconds == 0)
            rows_.front().milliseconds = snapshot_->traceMs;
    }
    endResetModel();
}

void PassModel::setTheme(const Theme& theme)
{
    changedColor_ = theme.color("accent");
    mutedColor_ = theme.color("muted");
    if (!rows_.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1));
}

Listing PassModel::listing(int row) const
{
    const auto& after = rows_.at(static_cast<std::size_t>(row)).after;
    return after ? makeListing(ir::print(*after)) : Listing{};
}

Listing PassModel::difference(int row) const
{
    return row == 0 || !changed(row) ? listing(row) : makeDiff(listing(row - 1), listing(row));
}

QString PassModel::purpose(int row) const
{
    const auto& name = rows_.at(static_cast<std::size_t>(row)).name;
    if (name == QLatin1String("trace"))
        return tr("the kernel as written, its compile-time part evaluated");
    for (const auto& step : passes::pipelineFor(snapshot_->target)) {
        if (name == QLatin1String(step.name))
            return QString::fromUtf8(step.reason);
    }
    return {};
}

bool PassModel::changed(int row) const { return rows_.at(static_cast<std::size_t>(row)).changed; }

int PassModel::rowOf(const QString& name) const
{
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.name == name; });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int PassModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int PassModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumnCount; }

QVariant PassModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& row = rows_[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == kName ? row.name : tr("%1 ms").arg(row.milliseconds, 0, 'f', row.milliseconds < 10 ? 2 : 1);
    case Qt::TextAlignmentRole:
        return index.column() == kTime ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ForegroundRole:
        return index.column() == kTime || !row.changed ? QVariant(mutedColor_) : QVariant();
    case Qt::DecorationRole:
        if (index.column() != kName)
            return {};
        return row.changed ? icon(QStringLiteral("diff"), changedColor_) : icon(QStringLiteral("text"), mutedColor_);
    case Qt::ToolTipRole:
        return QStringLiteral("%1\n%2").arg(purpose(index.row()), row.changed ? tr("changed the IR") : tr("changed nothing"));
    default: return {};
    }
}

QVariant PassModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == kTime ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(section == kName ? tr("Pass") : tr("Time")) : QVariant();
}

}  // namespace tw::gui

#include "app/gui/models/problem_model.h"

namespace tw::gui {

void ProblemModel::setSnapshot(std::shared_ptr<const driver::CompileSnapshot> snapshot)
{
    beginResetModel();
    snapshot_ = std::move(snapshot);
    endResetModel();
}

void ProblemModel::setTheme(const Theme& theme)
{
    errorColor_ = theme.color("error");
    warningColor_ = theme.color("warning");
    noteColor_ = theme.color("info");
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1));
}

int ProblemModel::errorCount() const
{
    if (!snapshot_)
        return 0;
    return static_cast<int>(std::count_if(snapshot_->diagnostics.begin(), snapshot_->diagnostics.end(),
                                          [](const Diagnostic& d) { return d.severity == Severity::kError; }));
}

int ProblemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !snapshot_ ? 0 : static_cast<int>(snapshot_->diagnostics.size());
}

int ProblemModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumnCount; }

QString ProblemModel::place(const Diagnostic& d) const
{
    if (d.range.file != 0 && snapshot_->program && d.range.file < snapshot_->program->sources().size()) {
        const auto& file = snapshot_->program->sources().file(d.range.file);
        return QStringLiteral("%1:%2").arg(QString::fromStdString(file.name())).arg(file.lineColumn(d.range.begin).line);
    }
    return d.range.file == 0 ? QString::number(snapshot_->source->lineColumn(d.range.begin).line) : QString();
}

QString ProblemModel::details(const Diagnostic& d) const
{
    QString text = QString::fromStdString(d.message);
    for (const auto& note : d.notes)
        text += QStringLiteral("\n\u2022 ") + QString::fromStdString(note.message);
    return text;
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& d = snapshot_->diagnostics[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case kMessage: return QString::fromStdString(d.message);
        case kCode: return QString::fromUtf8(codeText(d.code).data(), static_cast<qsizetype>(codeText(d.code).size()));
        default: return place(d);
        }
    case Qt::DecorationRole:
        if (index.column() != kMessage)
            return {};
        if (d.severity == Severity::kError)
            return icon(QStringLiteral("error"), errorColor_);
        return d.severity == Severity::kWarning ? icon(QStringLiteral("warning"), warningColor_)
                                                : icon(QStringLiteral("note"), noteColor_);
    case Qt::ToolTipRole: return details(d);
    case kRangeRole: return QVariant::fromValue(d.range);
    case kSeverityRole: return static_cast<int>(d.severity);
    case Qt::TextAlignmentRole:
        return index.column() == kLine ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    default: return {};
    }
}

QVariant ProblemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == kLine ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    return section == kMessage ? tr("Problem") : section == kCode ? tr("Code") : tr("Line");
}

}  // namespace tw::gui

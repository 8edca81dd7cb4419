#include "app/gui/models/kernel_model.h"

namespace tw::gui {
namespace {

// Internal id of a row: 0 for a kernel, kernel row + 1 for an instance.
constexpr quintptr kKernelId = 0;

QString fromView(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

// Same shape: every row keeps its place, so selection and expansion survive an edit.
bool sameRows(const staging::Program& a, const staging::Program& b)
{
    if (a.kernels().size() != b.kernels().size())
        return false;
    for (std::size_t i = 0; i < a.kernels().size(); ++i) {
        if (a.kernels()[i].name != b.kernels()[i].name || a.kernels()[i].instances.size() != b.kernels()[i].instances.size())
            return false;
    }
    return true;
}

QString describe(const std::string& name, const std::string& literal)
{
    return QStringLiteral("%1=%2").arg(QString::fromStdString(name), QString::fromStdString(literal));
}

// In the order of the signature.
QString describeParameters(const staging::Kernel& kernel, const staging::Bindings& bindings)
{
    QStringList parts;
    for (const auto& parameter : kernel.parameters)
        if (const auto found = bindings.find(parameter.name); found != bindings.end())
            parts << describe(found->first, found->second);
    return parts.join(QStringLiteral(", "));
}

}  // namespace

QString describeBindings(const staging::Bindings& bindings)
{
    QStringList parts;
    for (const auto& [name, literal] : bindings)
        parts << describe(name, literal);
    return parts.join(QStringLiteral(", "));
}

void KernelModel::setProgram(std::shared_ptr<const staging::Program> program)
{
    if (program == program_)
        return;
    if (program && program_ && sameRows(*program, *program_)) {
        program_ = std::move(program);
        for (int k = 0; k < rowCount(); ++k) {
            const auto kernel = index(k, 0);
            if (const int n = rowCount(kernel); n > 0)
                Q_EMIT dataChanged(index(0, 0, kernel), index(n - 1, 0, kernel));
        }
        if (rowCount() > 0)
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0));
        return;
    }
    beginResetModel();
    program_ = std::move(program);
    endResetModel();
}

QModelIndex KernelModel::find(const std::string& kernel, const std::string& instance) const
{
    for (int k = 0; k < rowCount(); ++k) {
        const auto& candidate = program_->kernels()[static_cast<std::size_t>(k)];
        if (candidate.name != kernel && !kernel.empty())
            continue;
        const auto row = index(k, 0);
        for (int i = 0; i < rowCount(row); ++i) {
            if (candidate.instances[static_cast<std::size_t>(i)].name == instance || instance.empty())
                return index(i, 0, row);
        }
        return row;
    }
    return {};
}

QModelIndex KernelModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : kKernelId);
}

QModelIndex KernelModel::parent(const QModelIndex& child) const
{
    if (!child.isValid() || child.internalId() == kKernelId)
        return {};
    return createIndex(static_cast<int>(child.internalId()) - 1, 0, kKernelId);
}

int KernelModel::rowCount(const QModelIndex& parent) const
{
    if (!program_ || parent.column() > 0)
        return 0;
    if (!parent.isValid())
        return static_cast<int>(program_->kernels().size());
    return parent.internalId() == kKernelId
               ? static_cast<int>(program_->kernels()[static_cast<std::size_t>(parent.row())].instances.size())
               : 0;
}

int KernelModel::columnCount(const QModelIndex&) const { return 1; }

QVariant KernelModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (index.internalId() == kKernelId)
        return kernelData(program_->kernels()[static_cast<std::size_t>(index.row())], role);
    const auto& kernel = program_->kernels()[static_cast<std::size_t>(index.internalId()) - 1];
    return instanceData(kernel, kernel.instances[static_cast<std::size_t>(index.row())], role);
}

QVariant KernelModel::kernelData(const staging::Kernel& kernel, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
    case kKernelRole: return QString::fromStdString(kernel.name);
    case kInstanceRole: return QString();
    case kDetailRole: return fromView(staging::formName(kernel.form));
    case kRangeRole: return QVariant::fromValue(kernel.range);
    case Qt::DecorationRole: return icon(QStringLiteral("kernel"));
    case Qt::ToolTipRole:
        if (!kernel.missing.empty() && kernel.instances.empty()) {
            QStringList names;
            for (const auto& name : kernel.missing)
                names << QString::fromStdString(name);
            return tr("needs values for %1").arg(names.join(QStringLiteral(", ")));
        }
        return tr("%1 kernel, instances: %2").arg(fromView(staging::formName(kernel.form))).arg(kernel.instances.size());
    default: return {};
    }
}

QVariant KernelModel::instanceData(const staging::Kernel& kernel, const staging::Instance& instance, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
    case kInstanceRole: return QString::fromStdString(instance.name);
    case kKernelRole: return QString::fromStdString(kernel.name);
    case kDetailRole:
    case Qt::ToolTipRole: {
        const QString dims = describeBindings(instance.dims), params = describeParameters(kernel, instance.params);
        return dims.isEmpty() || params.isEmpty() ? params + dims : params + QStringLiteral("; ") + dims;
    }
    case kRangeRole: return QVariant::fromValue(instance.range.isKnown() ? instance.range : kernel.range);
    case Qt::DecorationRole: return icon(QStringLiteral("instance"));
    default: return {};
    }
}

}  // namespace tw::gui

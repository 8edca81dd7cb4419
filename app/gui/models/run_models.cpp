#include "app/gui/models/run_models.h"

#include "core/ir/visit.h"

namespace tw::gui {
namespace {

constexpr const char* kOutputHeaders[] = {"Output", "Type", "Shape", "Min", "Max", "Mean", "NaN", "Inf"};
constexpr const char* kComparisonHeaders[] = {"Output", "Wrong", "Largest error", "Relative", "First wrong", "Expected", "Got"};
constexpr int kOutputColumns = static_cast<int>(std::size(kOutputHeaders));
constexpr int kComparisonColumns = static_cast<int>(std::size(kComparisonHeaders));

QVariant header(const char* text, int section, int leftColumns, int role)
{
    if (role == Qt::TextAlignmentRole)
        return section < leftColumns ? QVariant(Qt::AlignLeft | Qt::AlignVCenter) : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(QObject::tr(text)) : QVariant();
}

class WriterFinder final : public ir::Visitor {
public:
    explicit WriterFinder(const std::string& name) : name_(name) {}
    using ir::Visitor::visit;

    void visit(const ir::Stmt& s) override
    {
        if (const auto* store = ir::as<ir::Store>(s); store && store->buffer->name == name_)
            found = s->where.range;
        if (const auto* op = ir::as<ir::OpStmt>(s); op && writes(op->call))
            found = s->where.range;
        ir::Visitor::visit(s);
    }

    SourceRange found;

private:
    [[nodiscard]] bool writes(const ir::OpCall& call) const
    {
        const auto& roles = ir::info(call.op).operands;
        for (std::size_t i = 0; i < call.operands.size() && !roles.empty(); ++i) {
            const auto role = roles[std::min(i, roles.size() - 1)].role;
            const auto* region = std::get_if<ir::Region>(&call.operands[i]);
            if (region && region->buffer->name == name_ && (role == ir::Role::kWrite || role == ir::Role::kReadWrite))
                return true;
        }
        return false;
    }
    const std::string& name_;
};

}  // namespace

SourceRange lastWriter(const ir::Function& function, const std::string& name)
{
    WriterFinder finder(name);
    finder.visit(function.body);
    return finder.found;
}

QString shapeText(const std::vector<std::int64_t>& shape)
{
    QStringList parts;
    for (const auto extent : shape)
        parts << QString::number(extent);
    return parts.isEmpty() ? QObject::tr("scalar") : parts.join(QStringLiteral(" \u00d7 "));
}

QString numberText(double value) { return QString::number(value, 'g', 6); }

void OutputModel::setOutputs(std::vector<protocol::Output> outputs)
{
    beginResetModel();
    outputs_ = std::move(outputs);
    endResetModel();
}

int OutputModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(outputs_.size()); }
int OutputModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kOutputColumns; }

QVariant OutputModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return index.column() > 2 ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    if (role != Qt::DisplayRole)
        return {};
    const auto& o = outputs_[static_cast<std::size_t>(index.row())];
    const auto number = [](const std::optional<double>& v) { return v ? numberText(*v) : QStringLiteral("\u2013"); };
    switch (index.column()) {
    case 0: return QString::fromStdString(o.name);
    case 1: return QString::fromStdString(o.dtype);
    case 2: return shapeText(o.shape);
    case 3: return number(o.min);
    case 4: return number(o.max);
    case 5: return number(o.mean);
    case 6: return QString::number(o.nan);
    default: return QString::number(o.inf);
    }
}

QVariant OutputModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kOutputColumns)
        return {};
    return header(kOutputHeaders[section], section, 3, role);
}

void ComparisonModel::setComparisons(std::vector<protocol::Comparison> comparisons, const ir::Function* function)
{
    beginResetModel();
    comparisons_ = std::move(comparisons);
    writers_.clear();
    for (const auto& c : comparisons_)
        writers_.push_back(function ? lastWriter(*function, c.name) : SourceRange());
    endResetModel();
}

void ComparisonModel::setTheme(const Theme& theme)
{
    error_ = theme.color("error");
    good_ = theme.color("good");
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kComparisonColumns - 1));
}

int ComparisonModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(comparisons_.size());
}
int ComparisonModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kComparisonColumns; }

QVariant ComparisonModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& c = comparisons_[static_cast<std::size_t>(index.row())];
    if (role == kRangeRole)
        return QVariant::fromValue(writers_[static_cast<std::size_t>(index.row())]);
    if (role == Qt::TextAlignmentRole)
        return index.column() > 0 ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    if (role == Qt::DecorationRole && index.column() == 0)
        return c.wrong > 0 ? icon(QStringLiteral("error"), error_) : icon(QStringLiteral("good"), good_);
    if (role == Qt::ToolTipRole && c.orderDependent > 0)
        return tr("%1 elements depend on the order of the blocks and are not counted").arg(c.orderDependent);
    if (role != Qt::DisplayRole)
        return {};
    QStringList place;
    for (const auto i : c.firstWrong.value_or(std::vector<std::int64_t>()))
        place << QString::number(i);
    const QString none = QStringLiteral("\u2013");
    switch (index.column()) {
    case 0: return QString::fromStdString(c.name);
    case 1: return tr("%1 of %2").arg(c.wrong).arg(c.total);
    case 2: return numberText(c.maxAbs);
    case 3: return numberText(c.maxRel);
    case 4: return c.firstWrong ? QStringLiteral("[%1]").arg(place.join(QStringLiteral(", "))) : none;
    case 5: return c.firstWrong ? numberText(c.expected) : none;
    default: return c.firstWrong ? numberText(c.got) : none;
    }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kComparisonColumns)
        return {};
    return header(kComparisonHeaders[section], section, 1, role);
}

}  // namespace tw::gui

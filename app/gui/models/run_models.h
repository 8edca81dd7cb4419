// What a run and a verification gave, as tables. Also where a wrong element was written.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/models/roles.h"
#include "app/gui/widgets/theme.h"
#include "core/ir/stmt.h"
#include "profiler/protocol/messages.h"

namespace tw::gui {

// Outputs of a run: name, type, shape, min, max, mean, NaN, infinite.
class OutputModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    void setOutputs(std::vector<protocol::Output> outputs);
    [[nodiscard]] const std::vector<protocol::Output>& outputs() const { return outputs_; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<protocol::Output> outputs_;
};

// Outputs of a verification: name, wrong, largest errors, the first wrong element.
class ComparisonModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    // `function`: the program that ran; rows point at the statement that wrote the output last. May be empty.
    void setComparisons(std::vector<protocol::Comparison> comparisons, const ir::Function* function);
    void setTheme(const Theme& theme);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<protocol::Comparison> comparisons_;
    std::vector<SourceRange> writers_;
    QColor error_, good_;
};

// The statement that writes the tensor `name` last in the order of the text; unknown if none does.
[[nodiscard]] SourceRange lastWriter(const ir::Function& function, const std::string& name);
[[nodiscard]] QString shapeText(const std::vector<std::int64_t>& shape);  // "512 × 256"
[[nodiscard]] QString numberText(double value);                           // up to six significant digits

}  // namespace tw::gui

// The kernels of a file and, below each, its instances.
#pragma once

#include <QAbstractItemModel>

#include "app/gui/models/roles.h"
#include "app/gui/widgets/theme.h"
#include "core/staging/program.h"

namespace tw::gui {

class KernelModel : public QAbstractItemModel {
    Q_OBJECT

public:
    using QAbstractItemModel::QAbstractItemModel;
    // Rows that stay the same keep their indices.
    void setProgram(std::shared_ptr<const staging::Program> program);
    [[nodiscard]] const std::shared_ptr<const staging::Program>& program() const { return program_; }
    [[nodiscard]] QModelIndex find(const std::string& kernel, const std::string& instance) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QVariant kernelData(const staging::Kernel& kernel, int role) const;
    [[nodiscard]] QVariant instanceData(const staging::Kernel& kernel, const staging::Instance& instance, int role) const;

    std::shared_ptr<const staging::Program> program_;
};

// "block_M=128, dtype=float16": parameters in one line.
[[nodiscard]] QString describeBindings(const staging::Bindings& bindings);

}  // namespace tw::gui

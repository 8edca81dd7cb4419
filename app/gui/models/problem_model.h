// The diagnostics of a snapshot as a table: message, code, place.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/models/roles.h"
#include "app/gui/widgets/theme.h"
#include "codegen/driver/compile.h"

namespace tw::gui {

class ProblemModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { kMessage, kCode, kLine, kColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setSnapshot(std::shared_ptr<const driver::CompileSnapshot> snapshot);
    void setTheme(const Theme& theme);
    [[nodiscard]] int errorCount() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString place(const Diagnostic& diagnostic) const;
    [[nodiscard]] QString details(const Diagnostic& diagnostic) const;

    std::shared_ptr<const driver::CompileSnapshot> snapshot_;
    QColor errorColor_, warningColor_, noteColor_;
};

}  // namespace tw::gui

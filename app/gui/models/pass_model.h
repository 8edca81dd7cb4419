// The passes of a snapshot: name, time, whether it changed the IR.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/models/listing.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {

class PassModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { kName, kTime, kColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setSnapshot(std::shared_ptr<const driver::CompileSnapshot> snapshot);
    void setTheme(const Theme& theme);

    [[nodiscard]] Listing listing(int row) const;      // IR after the pass
    [[nodiscard]] Listing difference(int row) const;   // the same, with what the pass changed marked
    [[nodiscard]] QString purpose(int row) const;      // one line
    [[nodiscard]] bool changed(int row) const;
    [[nodiscard]] int rowOf(const QString& name) const;  // -1 if there is none

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        QString name;
        std::shared_ptr<const ir::Function> after;
        bool changed = false;
        double milliseconds = 0;
    };
    std::vector<Row> rows_;
    std::shared_ptr<const driver::CompileSnapshot> snapshot_;
    QColor changedColor_, mutedColor_;
};

}  // namespace tw::gui

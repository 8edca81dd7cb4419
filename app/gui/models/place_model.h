// Every element of a tile with its place, as a table.
#pragma once

#include <QAbstractTableModel>

#include "app/gui/models/tile_layout.h"

namespace tw::gui {

class PlaceModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    void setPlaces(std::optional<LayoutPlaces> places);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString text(std::int64_t element, int column) const;

    std::optional<LayoutPlaces> places_;
};

}  // namespace tw::gui

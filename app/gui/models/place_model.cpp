#include "app/gui/models/place_model.h"

namespace tw::gui {
namespace {

constexpr int kWarp = 32;

QStringList headersOf(bool isFragment)
{
    return isFragment ? QStringList{PlaceModel::tr("Element"), PlaceModel::tr("Thread"), PlaceModel::tr("Warp"), PlaceModel::tr("Lane"),
                                    PlaceModel::tr("Register")}
                      : QStringList{PlaceModel::tr("Element"), PlaceModel::tr("Byte"), PlaceModel::tr("Bank"), PlaceModel::tr("Row of 128 B")};
}

}  // namespace

void PlaceModel::setPlaces(std::optional<LayoutPlaces> places)
{
    beginResetModel();
    places_ = std::move(places);
    endResetModel();
}

int PlaceModel::rowCount(const QModelIndex& parent) const { return parent.isValid() || !places_ ? 0 : static_cast<int>(places_->count()); }

int PlaceModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || !places_ ? 0 : static_cast<int>(headersOf(places_->isFragment()).size());
}

QString PlaceModel::text(std::int64_t element, int column) const
{
    if (column == 0)
        return places_->coordinateText(element);
    if (!places_->isFragment())
        return QString::number(column == 1   ? places_->address(element)
                               : column == 2 ? places_->bank(element)
                                             : places_->address(element) / 128);
    switch (column) {
    case 1: return places_->threadText(element);
    case 2: return QString::number(places_->thread(element) / kWarp);
    case 3: return QString::number(places_->thread(element) % kWarp);
    default: return QString::number(places_->registerOf(element));
    }
}

QVariant PlaceModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::DisplayRole)
        return text(index.row(), index.column());
    return role == Qt::TextAlignmentRole && index.column() > 0 ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
}

QVariant PlaceModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount())
        return {};
    return headersOf(places_->isFragment())[section];
}

}  // namespace tw::gui

// Where every element of a tile is: in which thread and register, or at which address and bank; and why the tile lies so.
#pragma once

#include "app/gui/models/tile_layout.h"
#include "app/gui/views/view.h"
#include "app/gui/widgets/export_picture.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QSpinBox;
class QTableView;
class QToolButton;

namespace tw::gui {

class CellGrid;
class ElidedLabel;
class PlaceModel;

class LayoutView : public View {
    Q_OBJECT

public:
    LayoutView(ViewContext context, QWidget* parent);

    enum class ColorBy { kThread, kWarp, kRegister, kBank, kAddress };
    void choose(const QString& buffer);
    void setColorBy(ColorBy by);
    [[nodiscard]] CellGrid& grid() { return *grid_; }
    [[nodiscard]] QString hoverText() const;
    [[nodiscard]] QString reasonText() const;
    [[nodiscard]] QString bitText() const;  // empty where the layout has no such form
    [[nodiscard]] Picture picture() const;

protected:
    void makeContent() override;
    void refresh() override;

private:
    QWidget* makeBar(QWidget* parent);
    QWidget* makeFoot(QWidget* parent);
    void showBuffer();
    void showReason(const TileLayout& layout);
    void showBits(const TileLayout& layout);
    void showColors();
    void showSlice();
    void showHover(int row, int column);
    // The element of a cell of the shown slice; -1: there is none.
    [[nodiscard]] std::int64_t elementAt(int row, int column) const;
    [[nodiscard]] QColor colorOf(std::int64_t element) const;
    [[nodiscard]] QStringList linesOf(std::int64_t element) const;
    [[nodiscard]] int groupOf(std::int64_t element) const;
    [[nodiscard]] ColorBy colorBy() const;

    std::vector<TileLayout> layouts_;
    std::optional<LayoutPlaces> places_;
    QString chosen_;  // survives recompiles
    int rows_ = 0, columns_ = 0;
    std::int64_t first_ = 0;  // element of the slice's first cell

    CellGrid* grid_ = nullptr;
    PlaceModel* model_;
    QTableView* table_ = nullptr;
    QComboBox* choice_ = nullptr;
    QComboBox* colors_ = nullptr;
    QHBoxLayout* slices_ = nullptr;
    QList<QSpinBox*> sliceBoxes_;
    QToolButton* asTable_ = nullptr;
    ElidedLabel* facts_ = nullptr;
    QLabel* hover_ = nullptr;
    QLabel* reason_ = nullptr;
    QLabel* bits_ = nullptr;
};

}  // namespace tw::gui

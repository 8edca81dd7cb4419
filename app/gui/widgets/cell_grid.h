// A grid of coloured cells with coordinates along its edges, for anything that has a row and a column. Wheel, + and - zoom, 0 shows
// all, dragging pans; arrows move the current cell, which the grid keeps in sight. Cells of the current cell's group are outlined.
#pragma once

#include <QWidget>

#include <functional>

#include "app/gui/widgets/view_axis.h"

namespace tw::gui {

struct CellGridData {
    int rows = 0, columns = 0;
    std::function<QColor(int row, int column)> color;      // an invalid colour: there is no such cell
    std::function<QStringList(int row, int column)> lines; // written into the cell where there is room
    std::function<int(int row, int column)> group;         // cells that belong together
    int rowLabelStep = 1;                                   // what one row or column counts for along the edges
    bool isEmpty() const { return rows == 0 || columns == 0; }
};

// A colour for the k-th of things that have no order: neighbours differ, a dark theme gets deeper ones.
[[nodiscard]] QColor categoryColor(int k, bool dark);

class CellGrid : public QWidget {
    Q_OBJECT

public:
    explicit CellGrid(QWidget* parent = nullptr);

    void setData(CellGridData shown);  // keeps zoom and current cell if the extents are the same
    void fit();
    void zoom(double factor);         // around the middle
    void setCurrent(int row, int column);
    [[nodiscard]] QPoint current() const { return current_; }  // (column, row); (-1, -1): none
    [[nodiscard]] double scale() const { return x_.scale; }      // pixels a cell
    // All cells, `cell` units each, for export.
    void paintAll(QPainter& painter, double cell) const;
    [[nodiscard]] QSizeF sizeOfAll(double cell) const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, 120}; }

Q_SIGNALS:
    void currentChanged(int row, int column);
    void hovered(int row, int column);  // -1, -1: none

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Frame {
        QPointF origin;
        double cell = 1;
        QRectF clip;
    };
    void zoomAt(double factor, QPointF center);
    void keepInside();
    void keepCurrentInSight();
    void draw(QPainter& painter, const Frame& frame, bool interactive) const;
    void drawEdges(QPainter& painter, const Frame& frame) const;
    void drawGroup(QPainter& painter, const Frame& frame) const;
    [[nodiscard]] Frame frame() const;
    [[nodiscard]] QPoint cellAt(QPointF position) const;  // (column, row), or (-1, -1)

    CellGridData data_;
    ViewAxis x_, y_;  // of one scale
    PointerDrag drag_;
    bool fitted_ = true;
    QPoint current_{-1, -1}, hovered_{-1, -1};
};

}  // namespace tw::gui

// A matrix as colours, with pan, zoom and values. It draws only what is on screen, one look-up a pixel. Wheel, + and - zoom, dragging,
// the arrows, A and D pan, 0 or a double click shows all.
#pragma once

#include <QImage>
#include <QWidget>

#include <functional>

#include "app/gui/widgets/view_axis.h"

namespace tw::gui {

// A matrix of numbers; `at` is cheap and safe for 0 ≤ row < rows, 0 ≤ column < columns.
struct HeatData {
    int rows = 0, columns = 0;
    double min = 0, max = 0;  // of the finite values: the ends of the colour scale
    std::function<double(int row, int column)> at;
    [[nodiscard]] bool isEmpty() const { return rows == 0 || columns == 0; }
};

// The colour of `t` in [0, 1]: from dark blue over green to yellow, told apart with every kind of colour vision.
[[nodiscard]] QRgb heatColor(double t);
inline constexpr QRgb kNanColor = 0xffe0338a;  // what is no finite number stands out

class HeatMap : public QWidget {
    Q_OBJECT

public:
    explicit HeatMap(QWidget* parent = nullptr);

    void setData(HeatData matrix);  // keeps the view if the extents are the same
    void fit();
    [[nodiscard]] double scale() const { return x_.scale; }  // pixels a cell
    void paintAll(QPainter& painter, QSizeF size) const;     // the whole matrix, for export
    [[nodiscard]] QSizeF sizeOfAll() const;                  // one that shows every cell, as far as pictures go
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 90}; }

Q_SIGNALS:
    void hovered(int row, int column);  // -1, -1: none

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void zoom(double factor, QPointF center);
    void pan(QPointF delta);
    void render();
    void renderInto(QImage& image, const ViewAxis& x, const ViewAxis& y, const QRect& visible) const;
    void drawValues(QPainter& painter) const;
    [[nodiscard]] QRectF target() const;  // the whole matrix in widget coordinates
    [[nodiscard]] QPoint cellAt(QPointF position) const;  // (column, row), or (-1, -1)
    [[nodiscard]] double colorPosition(double value) const;

    HeatData data_;
    ViewAxis x_, y_;    // of one scale, pixels a cell
    PointerDrag drag_;
    bool fitted_ = true, dirty_ = true;
    QImage image_;
};

}  // namespace tw::gui

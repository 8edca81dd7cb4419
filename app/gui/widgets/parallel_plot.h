// Parallel coordinates: an axis a quantity, a line a thing, coloured by how good it is. Left and Right walk from line to line in the order
// of the last axis; a click takes the nearest line, Enter activates it.
#pragma once

#include <QWidget>

namespace tw::gui {

struct ParallelAxis {
    QString title;
    QStringList ticks;          // labels from the bottom; values are positions among them, 0 … ticks - 1
    bool operator==(const ParallelAxis&) const = default;
};
struct ParallelLine {
    QList<double> values;       // one an axis: 0 … 1 from the bottom, negative where there is none
    double goodness = 0;        // 1 best, 0 worst
    QString toolTip;
    bool operator==(const ParallelLine&) const = default;
};
struct ParallelData {
    QList<ParallelAxis> axes;
    QList<ParallelLine> lines;  // best first
    bool operator==(const ParallelData&) const = default;
};

class ParallelPlot : public QWidget {
    Q_OBJECT

public:
    explicit ParallelPlot(QWidget* parent = nullptr);
    void setData(ParallelData shown);
    void setColors(const QColor& good, const QColor& poor);
    void setCurrent(int line);
    [[nodiscard]] int current() const { return current_; }
    void paintAll(QPainter& painter, QSizeF size) const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, 180}; }

Q_SIGNALS:
    void currentChanged(int line);  // -1: none
    void activated(int line);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] double axisX(qsizetype axis, QSizeF size) const;
    [[nodiscard]] QPolygonF shapeOf(const ParallelLine& line, QSizeF size) const;
    [[nodiscard]] int lineAt(QPointF position) const;
    void draw(QPainter& painter, QSizeF size, bool interactive) const;
    void drawAxes(QPainter& painter, QSizeF size) const;

    ParallelData data_;
    QColor good_, poor_;
    int current_ = -1, hovered_ = -1;
};

}  // namespace tw::gui

// Lines and points over two axes, linear or logarithmic, in Qt Charts. Dragging zooms into a rectangle, the wheel zooms at the pointer,
// Shift or the middle button pans; +, -, 0, Escape and the arrows do the same by keyboard. The point under the pointer says its values.
#pragma once

#include <QChartView>
#include <QXYSeries>

#include "app/gui/widgets/chart_legend.h"
#include "app/gui/widgets/view_axis.h"

namespace tw::gui {

struct ChartSeries {
    enum class Kind { kLine, kDashed, kPoints };
    QString name;
    QColor color;
    Kind kind = Kind::kLine;
    QList<QPointF> points;
    QStringList labels;        // what a point says under the pointer; missing ones say their coordinates
    bool inLegend = true;
    QString tag;               // written beside the line at `tagAt`
    QPointF tagAt;
    QStringList pointTags;     // written beside each point; missing ones: nothing
    bool operator==(const ChartSeries&) const = default;
};
struct ChartAxis {
    QString title;
    double min = 0, max = 1;   // min < max; both positive where isLog
    bool isLog = false;
    bool operator==(const ChartAxis&) const = default;
};
struct ChartData {
    QList<ChartSeries> series;
    ChartAxis x, y;
    bool operator==(const ChartData&) const = default;
};

class ChartPanel : public QChartView {
    Q_OBJECT

public:
    explicit ChartPanel(QWidget* parent = nullptr);
    void setData(ChartData shown);  // keeps the zoom if the axes are the same
    void fit();
    void zoom(double factor);      // around the middle
    void paintAll(QPainter& painter, QSizeF size);

Q_SIGNALS:
    void pointHovered(int series, int index);  // -1, -1: none
    void pointClicked(int series, int index);

protected:
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    struct Range {
        double min, max;
    };
    void rebuild();
    void style();
    [[nodiscard]] QList<LegendEntry> legend() const;
    QAbstractAxis* makeAxis(const ChartAxis& axis) const;
    void zoomAt(double factor, QPointF position);
    void pan(QPointF pixels);
    void setRanges(Range x, Range y);
    [[nodiscard]] Range rangeOf(Qt::Orientation orientation) const;
    [[nodiscard]] QPointF valueAt(QPointF position) const;     // in axis units, as their logarithms where an axis is logarithmic
    [[nodiscard]] QPoint nearest(QPointF position) const;      // (series, index), or (-1, -1)
    void setHovered(QPoint point);
    void drawTags(QPainter& painter) const;
    void drawPointer(QPainter& painter) const;

    ChartData data_;
    QList<QXYSeries*> drawn_;
    QPoint hovered_{-1, -1};
    PointerDrag drag_;
    QRectF band_;
    bool panning_ = false, zoomed_ = false, exporting_ = false;
};

}  // namespace tw::gui

// Rectangles over steps (to the right) and amounts (upwards), for what lives where and how long. Wheel, + and - zoom along the steps,
// 0 shows all, dragging pans; Left, Right, Up, Down and Home, End walk from one rectangle to the next.
#pragma once

#include <QWidget>

#include "app/gui/widgets/view_axis.h"

namespace tw::gui {

struct Span {
    QString label, detail;
    int first = 0, last = 0;       // steps, both inclusive
    double low = 0, high = 0;      // amounts
    QColor color;
    bool operator==(const Span&) const = default;
};
struct SpanChartData {
    std::vector<Span> spans;
    QStringList steps;             // a label each
    QString stepTitle;
    double largest = 0;            // amount
};

class SpanChart : public QWidget {
    Q_OBJECT

public:
    explicit SpanChart(QWidget* parent = nullptr);

    void setData(SpanChartData shown);
    void fit();
    void zoom(double factor);
    void setCurrent(int index);  // a span; -1: none
    [[nodiscard]] int current() const { return current_; }
    void setMarkedSteps(std::vector<int> steps);  // what another view has selected
    void paintAll(QPainter& painter, QSizeF size) const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 120}; }

Q_SIGNALS:
    void currentChanged(int index);
    void hovered(int index);       // -1: none
    void stepHovered(int step);    // -1: none

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
        QRectF plot;
        double left = 0, step = 1;  // x of the first step, pixels a step
        double amount = 1;          // pixels an amount
    };
    [[nodiscard]] static QRectF plotOf(QSizeF size);
    [[nodiscard]] Frame frame(QSizeF size) const;
    [[nodiscard]] QRectF rectOf(const Span& span, const Frame& f) const;
    [[nodiscard]] int spanAt(QPointF position) const;
    void draw(QPainter& painter, const Frame& f, bool interactive) const;
    void drawAxes(QPainter& painter, const Frame& f) const;
    void zoomAt(double factor, double x);
    void clampView();
    void walk(int key);

    SpanChartData data_;
    ViewAxis x_;  // steps
    PointerDrag drag_;
    bool fitted_ = true;
    int current_ = -1, hovered_ = -1;
    std::vector<int> marked_;
};

}  // namespace tw::gui

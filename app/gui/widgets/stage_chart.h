// Bars over time in lanes, for what each role did when. W and S, the wheel, + and - zoom (to 10 ns across), A and D, Shift-drag and the
// middle button pan, 0 or Escape shows all, F the current bar; dragging measures; , and . or Left and Right go from bar to bar, Up and Down
// from lane to lane, Enter goes to where a bar came from. The wheel over the names scrolls.
#pragma once

#include <QAbstractScrollArea>

#include "app/gui/widgets/view_axis.h"

namespace tw::gui {

struct StageBar {
    double start = 0, end = 0;  // nanoseconds
    int depth = 0;              // of nesting
    int category = 0;           // index into the categories
    QString label, detail;      // in the bar; under the pointer
    int id = -1;                // the caller's
    std::uint32_t key = 0;      // what belongs together across lanes; 0: nothing
};
struct StageLane {
    QString title, detail;
    bool isHeading = false;     // names the lanes that follow; has no bars
    int depths = 1;
    std::vector<StageBar> bars; // by start; bars of one depth do not overlap
};
struct StageCategory {
    QString name;
    QColor color;
    bool isHatched = false;     // waiting is no work: told apart without colour
};
struct StageChartData {
    std::vector<StageLane> lanes;
    std::vector<StageCategory> categories;
    double end = 0;             // nanoseconds
};

class StageChart : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit StageChart(QWidget* parent = nullptr);

    void setData(StageChartData shown);  // keeps the view if the end is the same
    void fit();
    void zoom(double factor);            // around the middle
    void showRange(double startNs, double endNs);
    void setCurrent(int lane, int bar);
    void setMarkedKey(std::uint32_t key);
    [[nodiscard]] QPoint current() const { return current_; }         // (lane, bar); (-1, -1): none
    [[nodiscard]] double visibleNs() const;                           // from edge to edge
    [[nodiscard]] std::pair<double, double> measured() const { return measured_; }  // start < end, or equal: nothing
    void paintAll(QPainter& painter, QSizeF size) const;
    [[nodiscard]] double heightOfAll() const;

Q_SIGNALS:
    void currentChanged(int id);        // of a bar, -1: none
    void hovered(int id);
    void activated(int id);             // go to where it came from
    void measuredChanged(double startNs, double endNs);

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Frame {
        double left = 0, width = 0, height = 0;  // of the plot, in pixels
        double scale = 1, start = 0;             // pixels a nanosecond; nanoseconds at the left edge
        double top = 0;                          // y of the first lane
        [[nodiscard]] double x(double ns) const { return left + (ns - start) * scale; }
        [[nodiscard]] double ns(double px) const { return start + (px - left) / scale; }
    };
    [[nodiscard]] Frame frame() const;
    [[nodiscard]] Frame frameOfAll(QSizeF size) const;
    [[nodiscard]] double laneTop(const Frame& f, std::size_t lane) const;
    [[nodiscard]] QPoint barAt(QPointF position) const;
    void draw(QPainter& painter, const Frame& f, bool interactive) const;
    void drawGrid(QPainter& painter, const Frame& f) const;  // under the bars
    void drawAxis(QPainter& painter, const Frame& f) const;
    void drawLane(QPainter& painter, const Frame& f, std::size_t lane, bool interactive) const;
    void drawBar(QPainter& painter, const StageBar& bar, const QRectF& rect, bool isLead, bool isDim) const;
    void drawMeasure(QPainter& painter, const Frame& f) const;
    void drawLegend(QPainter& painter, const Frame& f) const;
    void zoomAt(double factor, double x);
    void panBy(double pixels);
    void clampView();
    void step(int bars);
    void walkLanes(int lanes);
    void updateRange();
    [[nodiscard]] const StageBar* bar(QPoint at) const;

    StageChartData data_;
    std::vector<double> tops_{0};  // of the lanes, from the first; one more than there are
    ViewAxis x_;  // nanoseconds
    PointerDrag drag_;
    bool fitted_ = true, panning_ = false;
    QPoint current_{-1, -1}, hovered_{-1, -1};
    std::pair<double, double> measured_{0, 0};
    std::uint32_t marked_ = 0;
};

}  // namespace tw::gui

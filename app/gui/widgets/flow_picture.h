// Boxes from left to right with arrows both ways between neighbours, each as thick as what flows. Left and Right walk the arrows.
#pragma once

#include <QWidget>

namespace tw::gui {

struct FlowBox {
    QString title, detail;
    double fill = -1;         // 0 … 1: how busy it is; -1: unknown
    int group = -1;           // boxes of one group share a frame
};
struct FlowArrow {
    int from = 0, to = 0;     // neighbouring boxes
    QString amount, rate;     // "1.6 GB", "3.1 TB/s"
    QString share;            // "64 % of the peak"
    QString origin;
    QString change;           // against a baseline; empty: none
    double weight = 0;        // 0 … 1: of the thickest
    double busy = -1;         // 0 … 1: of the peak; -1: unknown
    QString toolTip;
};
struct FlowData {
    std::vector<FlowBox> boxes;
    std::vector<FlowArrow> arrows;
    QStringList groups;       // titles of the frames
};

class FlowPicture : public QWidget {
    Q_OBJECT

public:
    explicit FlowPicture(QWidget* parent = nullptr);
    void setData(FlowData shown);
    void setColors(const QColor& calm, const QColor& busy);  // of an arrow at none and at all of its peak
    [[nodiscard]] int current() const { return current_; }
    void setCurrent(int arrow);
    void paintAll(QPainter& painter, QSizeF size) const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {660, 210}; }

Q_SIGNALS:
    void currentChanged(int arrow);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRectF boxRect(std::size_t index, QSizeF size) const;
    [[nodiscard]] QRectF arrowRect(const FlowArrow& arrow, QSizeF size) const;  // text and shaft
    void drawBox(QPainter& painter, const FlowBox& box, const QRectF& rect) const;
    void drawArrow(QPainter& painter, const FlowArrow& arrow, const QRectF& rect, bool isCurrent) const;
    void drawGroups(QPainter& painter, QSizeF size) const;
    [[nodiscard]] int arrowAt(QPointF position) const;

    FlowData data_;
    QColor calm_, busy_;
    int current_ = -1;
};

}  // namespace tw::gui

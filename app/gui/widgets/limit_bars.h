// Bars of counts below each other, the least of them marked: what bounds a number.
#pragma once

#include <QWidget>

namespace tw::gui {

struct LimitBar {
    QString label;
    double value = 0;
    QString text;  // behind the bar
    bool operator==(const LimitBar&) const = default;
};

class LimitBars : public QWidget {
    Q_OBJECT

public:
    explicit LimitBars(QWidget* parent = nullptr);
    void setBars(QList<LimitBar> bars, double largest);  // `largest`: what a full bar stands for
    void setColors(const QColor& bar, const QColor& least);
    void paintAll(QPainter& painter, QSizeF size) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void draw(QPainter& painter, int across) const;

    QList<LimitBar> bars_;
    double largest_ = 1;
    QColor bar_, least_;
};

}  // namespace tw::gui

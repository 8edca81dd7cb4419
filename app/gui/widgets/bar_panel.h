// Horizontal stacked bars in Qt Charts: one bar a category, one colour a set. The names of the categories are written by hand: Qt Charts
// leaves them out where bars stand close. Up, Down, Home and End walk from bar to bar, Enter goes where a click would.
#pragma once

#include <QChartView>

#include "app/gui/widgets/chart_legend.h"

class QScrollArea;

namespace tw::gui {

struct BarSet {
    QString name;
    QColor color;
    QList<double> values;  // one a category
    bool operator==(const BarSet&) const = default;
};
struct BarData {
    QStringList categories;  // from the top
    QList<BarSet> sets;
    QString valueTitle;
    QString unit = QStringLiteral(" %");  // behind a value under the pointer
    double largest = 100;    // the end of the axis
    bool operator==(const BarData&) const = default;
};

class BarPanel : public QChartView {
    Q_OBJECT

public:
    explicit BarPanel(QWidget* parent = nullptr);
    void setData(BarData shown);  // as high as its bars need; a scroll area shows the rest
    void paintAll(QPainter& painter, QSizeF size);
    [[nodiscard]] int current() const { return current_; }  // category; -1: none

Q_SIGNALS:
    void barHovered(int category, int set);  // -1, -1: none
    void barClicked(int category);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    void rebuild();
    void style();
    void setCurrent(int category);
    [[nodiscard]] double nameWidth() const;
    [[nodiscard]] QRectF rowRect(int category) const;
    void drawNames(QPainter& painter) const;
    [[nodiscard]] QList<LegendEntry> legend() const;

    BarData data_;
    int current_ = -1;
    bool exporting_ = false;
};

// Around bars that may be higher than there is room; it is the bars' parent.
[[nodiscard]] QScrollArea* scrolled(BarPanel& bars, QWidget* parent);

}  // namespace tw::gui

// Horizontal stacked bars in Qt Charts: one bar a category, one colour a set.
#pragma once

#include <QChartView>

#include "app/gui/widgets/chart_legend.h"

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
    void setData(BarData shown);
    void paintAll(QPainter& painter, QSizeF size);

Q_SIGNALS:
    void barHovered(int category, int set);  // -1, -1: none
    void barClicked(int category);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    void rebuild();
    void style();
    [[nodiscard]] QList<LegendEntry> legend() const;
    BarData data_;
};

}  // namespace tw::gui

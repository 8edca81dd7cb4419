#include "app/gui/widgets/chart_style.h"

#include <QAbstractAxis>
#include <QGraphicsLayout>
#include <QLegend>

#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

void styleAxis(QAbstractAxis& axis, const QPalette& palette)
{
    QColor grid = palette.color(QPalette::Mid), ink = palette.color(QPalette::Text);
    QColor soft = ink;
    soft.setAlphaF(0.7F);
    axis.setLabelsFont(uiFont(8));
    axis.setTitleFont(uiFont(8.5));
    axis.setLabelsColor(soft);
    axis.setTitleBrush(soft);
    axis.setLinePen(QPen(grid));
    axis.setGridLineColor(grid);
    grid.setAlphaF(0.4F);
    axis.setMinorGridLineColor(grid);
}

}  // namespace

void styleChart(QChart& chart, const QPalette& palette, double legend)
{
    chart.setBackgroundBrush(palette.color(QPalette::Base));
    chart.setBackgroundRoundness(0);
    chart.setMargins({6, 6 + static_cast<int>(legend), 10, 4});
    chart.layout()->setContentsMargins(0, 0, 0, 0);
    chart.legend()->hide();  // it cuts names; drawLegend does not
    for (auto* axis : chart.axes())
        styleAxis(*axis, palette);
}

}  // namespace tw::gui

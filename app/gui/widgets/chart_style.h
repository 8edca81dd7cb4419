// The look that all charts of Qt Charts share.
#pragma once

#include <QChart>

namespace tw::gui {

// From the palette; `legend`: pixels above the plot for a legend that drawLegend draws.
void styleChart(QChart& chart, const QPalette& palette, double legend);

}  // namespace tw::gui

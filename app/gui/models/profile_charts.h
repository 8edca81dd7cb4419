// Captures as charts: roofline, stalls, counters over time.
#pragma once

#include "app/gui/models/row_model.h"
#include "app/gui/widgets/bar_panel.h"
#include "app/gui/widgets/chart_panel.h"
#include "profiler/capture/capture.h"

namespace tw::gui {

// One of the captures in a chart.
struct ChartedRun {
    const capture::Capture* capture = nullptr;
    QString label;
    QColor color;
};

// Ceilings of the first run that has any; points of all runs, each said to be under its ceilings. Logarithmic both ways.
[[nodiscard]] ChartData rooflineChart(const std::vector<ChartedRun>& runs, const QColor& ink);
[[nodiscard]] QStringList rooflineHeaders();
[[nodiscard]] std::vector<TableRow> rooflineRows(const std::vector<ChartedRun>& runs);
// The rate that a point may reach under its own ceilings, in operations a second; 0: they are not there.
[[nodiscard]] double attainable(const capture::Roofline& roofline, const capture::RooflinePoint& point);

// The bars of a stall chart, from the top: the operations that have samples, each followed by the baseline's of the same name.
struct StallBar {
    const capture::Operation* op = nullptr;      // of the capture
    const capture::Operation* shown = nullptr;   // whose stalls the bar shows: `op`, or the baseline's
    [[nodiscard]] bool isBaseline() const { return shown != op; }
};
// `baseline` may be null.
[[nodiscard]] std::vector<StallBar> stallOrder(const capture::Capture& capture, const capture::Capture* baseline);
// The stalls of each bar, stacked to 100 %; rare reasons together as "other".
[[nodiscard]] BarData stallBars(const capture::Capture& capture, const capture::Capture* baseline, bool dark);
[[nodiscard]] QStringList stallHeaders();
[[nodiscard]] std::vector<TableRow> stallRows(const capture::Capture& capture, const capture::Capture* baseline);

// The units that the series have, each once.
[[nodiscard]] QStringList seriesUnits(const capture::Capture& capture);
// A line a counter; the baseline's of the same name dashed in the same colour. `baseline` may be null.
[[nodiscard]] ChartData seriesChart(const capture::Capture& capture, const capture::Capture* baseline, const QString& unit, bool dark);
[[nodiscard]] QStringList seriesHeaders();
[[nodiscard]] std::vector<TableRow> seriesRows(const capture::Capture& capture, const capture::Capture* baseline, const QString& unit);

}  // namespace tw::gui

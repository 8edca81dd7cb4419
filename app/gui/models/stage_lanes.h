// The timelines of a capture as lanes: planned above measured, a lane a role, block and warp; sums over a range.
#pragma once

#include "app/gui/models/row_model.h"
#include "app/gui/widgets/stage_chart.h"
#include "app/gui/widgets/theme.h"
#include "profiler/capture/capture.h"

namespace tw::gui {

// Which span a bar is: index of its timeline and of the span in it; of the capture, or of the baseline.
struct SpanPlace {
    int timeline = 0, span = 0;
    bool isBaseline = false;
};
struct StageLanes {
    StageChartData chart;
    std::vector<SpanPlace> places;  // by a bar's id
};

// `role`: of the tracks that are shown; empty: all. The timelines stand in the order modelled, simulated, measured; below them the best
// one of `baseline`, which may be null.
[[nodiscard]] StageLanes stageLanes(const capture::Capture& capture, const capture::Capture* baseline, const std::string& role, bool dark);
// The one to look at first: recorded before planned. Null: there is none.
[[nodiscard]] const capture::Timeline* bestTimeline(const capture::Capture& capture);
// The best timeline of each capture (recorded before planned), below each other on one axis, each headed by its label.
struct LabelledCapture {
    QString label;
    const capture::Capture* capture = nullptr;
};
[[nodiscard]] StageChartData stackedLanes(const std::vector<LabelledCapture>& captures, bool dark);
// The roles of all tracks, each once.
[[nodiscard]] QStringList timelineRoles(const capture::Capture& capture);

// Time that each event takes within a range, over the tracks of a role: the overlap alone counts, nested spans count in their own event.
struct EventSum {
    std::string event;
    double ns = 0;
    int spans = 0;
};
[[nodiscard]] std::vector<EventSum> eventSums(const capture::Timeline& timeline, const std::string& role, double startNs, double endNs);

[[nodiscard]] QStringList spanHeaders();
[[nodiscard]] std::vector<TableRow> spanRows(const capture::Capture& capture, const capture::Capture* baseline, const StageLanes& lanes);
// "measured at 1,980 MHz, records cost 1.8 % of the time, 3 dropped".
[[nodiscard]] QString timelineDetail(const capture::Timeline& timeline);

}  // namespace tw::gui

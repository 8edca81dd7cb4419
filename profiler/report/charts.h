// The pictures of a capture, as SVG. Each is empty where the capture has nothing to show in it.
#pragma once

#include <string>
#include <vector>

#include "profiler/capture/capture.h"

namespace tw::report {

// Percentages of the headline set as bars: tensor pipe, DRAM, L2, issue slots, occupancy.
[[nodiscard]] std::string headlineChart(const capture::Capture& capture);

// Stall reasons of the whole kernel (operations weighted by their samples) and of the operations with most samples.
[[nodiscard]] std::string stallChart(const capture::Capture& capture);

// The single durations of the call, in their order, with the median.
[[nodiscard]] std::string samplesChart(const std::vector<double>& samplesUs);

// Log–log: operations a second over operations a byte; sloping ceilings are bandwidths, level ones rates. Points that are not
// measured are hollow. Points without operations or bytes have no place in it.
[[nodiscard]] std::string rooflineChart(const capture::Roofline& roofline);

// One row a track, tracks of a block together; spans too narrow to see are joined with their neighbours of the same event.
[[nodiscard]] std::string timelineChart(const capture::Timeline& timeline);

// Counters over the time of their launch, one panel each, one time axis.
[[nodiscard]] std::string seriesChart(const std::vector<capture::Series>& series);

// Bars side by side: one group a row, one bar a variant.
struct BarGroup {
    std::string name, unit;
    std::vector<double> values;  // one a variant
};
[[nodiscard]] std::string groupedBars(const std::vector<std::string>& variants, const std::vector<BarGroup>& groups);

}  // namespace tw::report

// Measures that the stage chart's painting and handling share.
#pragma once

#include "app/gui/widgets/stage_chart.h"

namespace tw::gui::stage {

// Pixels: names at the left, axis above, legend below; a lane's row, what nesting takes from it on each side, the space below.
inline constexpr double kNames = 168, kAxis = 26, kRight = 10, kLegend = 26;
inline constexpr double kRow = 18, kInset = 4, kLaneGap = 5, kHeading = 24;

[[nodiscard]] inline double laneHeight(const StageLane& lane)
{
    return lane.isHeading ? kHeading : kRow + (lane.depths - 1) * kInset * 2 + kLaneGap;
}

}  // namespace tw::gui::stage

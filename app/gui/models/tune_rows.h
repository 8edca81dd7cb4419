// The trials of a tuning run: as a table, as parallel coordinates, as modelled against measured times.
#pragma once

#include "app/gui/models/row_model.h"
#include "app/gui/widgets/chart_panel.h"
#include "app/gui/widgets/parallel_plot.h"
#include "profiler/store/store.h"

namespace tw::gui {

// The trials in the order that all of these use: measured ones by their time, then those with a model by theirs, then the rest.
[[nodiscard]] std::vector<store::Trial> rankedTrials(std::vector<store::Trial> trials);
// The parameters that take more than one value.
[[nodiscard]] std::vector<std::string> tunedParameters(const std::vector<store::Trial>& trials);

// The time that places are given by: measured; as long as none of `ranked` is measured, modelled. Absent: it has no place.
[[nodiscard]] std::optional<double> timeOf(const store::Trial& trial, const std::vector<store::Trial>& ranked);
[[nodiscard]] QStringList trialHeaders(const std::vector<std::string>& parameters);
[[nodiscard]] std::vector<TableRow> trialRows(const std::vector<store::Trial>& ranked, const std::vector<std::string>& parameters);
// One axis a parameter and one for the time; a line a trial with a place, in their order.
[[nodiscard]] ParallelData trialLines(const std::vector<store::Trial>& ranked, const std::vector<std::string>& parameters);
// Modelled time to the right, measured upwards, with the line where they agree.
[[nodiscard]] ChartData trialScatter(const std::vector<store::Trial>& ranked, const QColor& points, const QColor& line);

}  // namespace tw::gui

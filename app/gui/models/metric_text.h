// Metrics as people read them: titles, values in a fitting unit, how sure they are, and which way is better.
#pragma once

#include <QString>

#include <string>

#include "profiler/capture/capture.h"

namespace tw::gui {

enum class Better { kLower, kHigher, kNeither };

// Metric names as in capture.h; any other name (a counter's own) is its own title and has no better direction.
[[nodiscard]] QString metricTitle(const std::string& name);
[[nodiscard]] QString reasonText(const std::string& stall);  // "long scoreboard"
[[nodiscard]] Better betterOf(const std::string& name);
[[nodiscard]] QString metricHelp(const std::string& name);  // one sentence; empty for a counter's own name

// "12.4 µs", "1.61 GB", "83.1 %", "1,024". `unit` as in capture::Metric; an unknown one stands behind the number as it is.
[[nodiscard]] QString valueText(double value, const std::string& unit);
[[nodiscard]] QString timeText(double nanoseconds);
[[nodiscard]] QString percentText(double share);  // 0 … 1
[[nodiscard]] QString originName(capture::Origin origin);
// "± 1.2 %, 10 samples"; empty for one sample.
[[nodiscard]] QString spreadText(const capture::Metric& metric);
// The change against a baseline: "+3.1 %", for percentages "+2.0 points"; empty where it cannot be said.
[[nodiscard]] QString deltaText(double value, double baseline, const std::string& unit);
// Whether the change is one for the better (1), for the worse (-1), or neither; below half a percent it is neither.
[[nodiscard]] int deltaSign(double value, double baseline, Better better);

}  // namespace tw::gui

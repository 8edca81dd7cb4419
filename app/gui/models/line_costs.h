// The costs of lines, as the margins of code show them.
#pragma once

#include <QString>

#include <string>
#include <vector>

#include "profiler/capture/capture.h"

namespace tw::gui {

struct LineCostText {
    int line = 0;      // from 1
    double share = 0;  // 0 … 1
    QString text;      // "12 % of all samples, measured; long scoreboard 61 %", and what its instructions did
};

// `text`: "source", "cuda", "ptx" or "sass". Where no line of the source was charged, its operations are. One entry a line.
[[nodiscard]] std::vector<LineCostText> lineCosts(const capture::Capture& capture, const std::string& text);

}  // namespace tw::gui

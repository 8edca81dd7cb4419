// The costs of lines, as the margins of code show them.
#pragma once

#include <QString>

#include <string>
#include <vector>

#include "app/gui/models/listing.h"
#include "profiler/capture/capture.h"

namespace tw::gui {

struct LineCostText {
    int line = 0;      // from 1
    double share = 0;  // 0 … 1
    QString text;      // "12 % of all samples, measured; long scoreboard 61 %", and what its instructions did
};

// `text`: "source", "cuda", "ptx" or "sass". Where no line of the source was charged, its operations are. One entry a line.
[[nodiscard]] std::vector<LineCostText> lineCosts(const capture::Capture& capture, const std::string& text);

// Those of a listing of the program that was profiled: "cuda", "ptx", "sass", "ir", "llvm" or "assembly".
struct ListingCosts {
    std::vector<LineCostText> lines;
    QString note;  // what the margin shows, or why it is empty
};
// The capture's own costs where the listing is the very text that was profiled; else what was charged to the places and operations that
// its lines came from.
[[nodiscard]] ListingCosts listingCosts(const capture::Capture& capture, const std::string& text, const Listing& listing);

}  // namespace tw::gui

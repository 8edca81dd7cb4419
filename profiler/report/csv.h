// A capture as one table, for spreadsheets and scripts.
#pragma once

#include <string>
#include <string_view>

#include "profiler/capture/capture.h"

namespace tw::report {

// RFC 4180, UTF-8. One number a row; the columns are kCsvHeader:
//   part      "metric", "sample" (durations of the whole call), "operation", "line", "series", "finding"
//   name      of the metric, operation, text of the line ("source", "cuda", …), series, or the finding's code
//   key       what of it: "time", "bytes dram", "stalls long_scoreboard", "counts executed", the finding's reason; empty where there is one thing
//   launch, line, timeNs  empty where they mean nothing
//   value, unit, source ("measured", "simulated", "modelled"), samples, spread
inline constexpr std::string_view kCsvHeader = "part,name,key,launch,line,timeNs,value,unit,source,samples,spread\r\n";
[[nodiscard]] std::string toCsv(const capture::Capture& capture);

// One field, quoted where it has to be.
[[nodiscard]] std::string csvField(std::string_view text);

}  // namespace tw::report

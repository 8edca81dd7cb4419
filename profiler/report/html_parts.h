// The sections of the page.
#pragma once

#include <string>
#include <string_view>

#include "profiler/capture/capture.h"

namespace tw::report {

// Around a page's sections: head, style, foot. `title` and `sections` as they are, title not yet escaped.
[[nodiscard]] std::string page(std::string_view title, std::string_view sections);
// <section> with a heading; empty where `body` is.
[[nodiscard]] std::string section(std::string_view id, std::string_view heading, const std::string& body);
[[nodiscard]] std::string originTag(capture::Origin origin);

[[nodiscard]] std::string operationsTable(const capture::Capture& capture);
[[nodiscard]] std::string launchesTable(const capture::Capture& capture);
[[nodiscard]] std::string metricsTable(const capture::Capture& capture, const capture::Capture* baseline);
[[nodiscard]] std::string environmentTable(const capture::Capture& capture);
[[nodiscard]] std::string findingsList(const capture::Capture& capture);

// The first source file with the heat of its lines; siblings and generated code folded below it.
[[nodiscard]] std::string sourceWithHeat(const capture::Capture& capture);
[[nodiscard]] std::string generatedCode(const capture::Capture& capture);
[[nodiscard]] std::string machineCode(const capture::Capture& capture);  // the SASS of it alone; empty without it

}  // namespace tw::report

// A capture as text for people: headline numbers with their origin, operations by time, findings.
#pragma once

#include <string>

#include "profiler/capture/capture.h"

namespace tw::cli {

[[nodiscard]] std::string profileText(const capture::Capture& capture);

}  // namespace tw::cli

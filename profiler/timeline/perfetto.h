// A timeline for https://ui.perfetto.dev and chrome://tracing.
#pragma once

#include <string>

#include "profiler/capture/capture.h"

namespace tw::timeline {

// All timelines of a capture in Chrome's trace event format (JSON): one process a recorded block (named by origin, launch, block and
// multiprocessor), one thread a role, one complete event a span with its tile operation and source line; times in microseconds.
// What a whole timeline says (clock, overhead, dropped records) stands in `otherData`.
[[nodiscard]] std::string toPerfetto(const capture::Capture& capture);

}  // namespace tw::timeline

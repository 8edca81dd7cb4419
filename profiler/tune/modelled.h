// A compile as a capture: nothing ran, every number in it is modelled.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "codegen/driver/compile.h"
#include "profiler/capture/capture.h"
#include "profiler/protocol/messages.h"

namespace tw::tune {

struct Modelled {
    std::shared_ptr<const driver::CompileSnapshot> snapshot;  // near stages; CUDA text on CUDA targets
    std::optional<capture::Capture> capture;                  // absent where the program is wrong
    std::vector<Diagnostic> diagnostics;                      // why, where it is; else the compile's
};

// Extents that nobody gave are chosen as `tilec run` chooses them. `survey`: an earlier compile of the same text, to share its parse;
// may be null. Pure C++ with bounded work; any thread.
[[nodiscard]] Modelled modelled(const protocol::Job& job, std::shared_ptr<const driver::CompileSnapshot> survey, std::stop_token stop);

// The modelled duration in microseconds; absent where the model knows no such target.
[[nodiscard]] std::optional<double> modelledUs(const capture::Capture& capture);

}  // namespace tw::tune

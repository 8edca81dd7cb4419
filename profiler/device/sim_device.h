// The simulator as a device: what the compiler made for an NVIDIA GPU, run and watched on the host (core/sim).
#pragma once

#include <stop_token>

#include "core/sim/sim.h"
#include "profiler/device/device.h"

namespace tw::device {

[[nodiscard]] std::unique_ptr<Device> makeSimDevice();

// Runs the code that `snapshot` holds for an NVIDIA GPU once. `snapshot`: compiled to the thread stage (StageWanted::kPasses).
// `arguments`: tensors in logical order; the written ones hold the answer afterwards. The result's report counts the whole run,
// also where `ok` is false because something was found; its diagnostics say what. Without a thread stage, or for another target:
// not ok, a diagnostic and an empty report. Any thread, and only that one.
[[nodiscard]] sim::SimResult simulateSnapshot(const driver::CompileSnapshot& snapshot, interp::Arguments& arguments, const sim::SimOptions& options,
                                              DiagnosticSink& diagnostics, std::stop_token stop = {});

}  // namespace tw::device

// Ceilings of a machine and where the launches of a capture stand below them.
#pragma once

#include "core/target/target.h"
#include "profiler/analysis/work.h"
#include "profiler/capture/capture.h"

namespace tw::profile_analysis {

// The types of the products that most of each launch's product work is of, each once.
[[nodiscard]] std::vector<ir::DType> productTypesOf(const Work& work);
// The name of the ceiling of products of a type: "tensor float16".
[[nodiscard]] std::string tensorCeiling(ir::DType type);

// The target's ceilings from its table (modelled), sustained where the table knows: DRAM, L2, FP32 and the tensor cores' rate for the
// type of `work`'s products. Empty for a target without rates.
[[nodiscard]] std::vector<capture::Ceiling> ceilingsOf(const target::Target& target, const Work& work, std::vector<capture::Ceiling> measured = {});

// Ceilings, and a point for each launch and level (DRAM, L2) whose time is known: measured time where there is one, else the first of the
// capture. Needs the capture's metrics and launches. `measured` ceilings stand for those of the table with their names.
[[nodiscard]] capture::Roofline rooflineOf(const target::Target& target, const Work& work, const capture::Capture& capture,
                                           std::vector<capture::Ceiling> measured = {});

}  // namespace tw::profile_analysis

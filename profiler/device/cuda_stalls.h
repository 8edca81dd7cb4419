// Samples of program counters and counts of instructions, charged to instructions, source lines and tile operations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/gpu_c/gpu_program.h"
#include "core/support/source.h"
#include "profiler/capture/capture.h"
#include "profiler/cupti/instruction_counts.h"
#include "profiler/cupti/pc_sampling.h"

namespace tw::device {

// What an instruction stands for.
struct InstructionPlace {
    SourceRange source;    // unknown: none of the program's lines
    std::uint32_t op = 0;  // tile operation; 0: none
    int sassLine = 0;      // of the disassembled text, from 1; 0: not disassembled
};
// By kernel and offset in bytes.
using InstructionPlaces = std::map<std::pair<std::string, std::uint64_t>, InstructionPlace>;

// From nvdisasm's text and its line map. Calls of the device prelude count for the line that calls.
[[nodiscard]] InstructionPlaces placesInSass(const std::string& text, const std::vector<gpu::LineSource>& lines);
// From the cubin's line table, added to `places` for the instructions that are asked for: where there is no disassembler. Instructions
// of the device prelude stay without a place.
void addPlacesInCubin(const cupti::Library& library, const std::string& cubin, const std::vector<std::pair<std::string, std::uint64_t>>& instructions,
                      const gpu::GpuProgram& program, const SourceSet& sources, InstructionPlaces& places);

struct StallAttribution {
    std::vector<capture::Operation> operations;  // largest share first; shares are of all samples, also those without a place
    std::vector<capture::LineCost> lines;        // "source" (file 0) and "sass", by line
    double placed = 0;                           // share of the samples that have a source line
};
[[nodiscard]] StallAttribution attribute(const std::vector<cupti::PcSample>& samples, const InstructionPlaces& places, const SourceSet& sources);

// Adds counts to the operations and lines ("source" of file 0, and "sass") that the instructions stand for; those that are not there yet
// are appended, without samples and time. Share of the executed instructions that have a source line: 0 … 1.
double chargeCounts(const std::vector<cupti::CountedInstruction>& instructions, const InstructionPlaces& places, const SourceSet& sources,
                    std::vector<capture::Operation>& operations, std::vector<capture::LineCost>& lines);

}  // namespace tw::device

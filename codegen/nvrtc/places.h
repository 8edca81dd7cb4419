// From a line table's file and line back to the program.
#pragma once

#include <string>

#include "codegen/gpu_c/gpu_program.h"
#include "core/support/source.h"

namespace tw::nvrtc {

// Source lines of a program by file and number, with the tile operation that stands there. What it is made of outlives it.
class PlaceFinder {
public:
    PlaceFinder(const gpu::GpuProgram& program, const SourceSet* sources) : program_(program), sources_(sources) {}

    // The place of a line of a file called `name`, folders apart; unknown for files that are none of the program's. Its `line` is 0.
    [[nodiscard]] gpu::LineSource find(std::string name, int line) const;

private:
    const gpu::GpuProgram& program_;
    const SourceSet* sources_;
};

}  // namespace tw::nvrtc

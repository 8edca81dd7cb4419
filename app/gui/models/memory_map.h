// Who lives where in a block's shared memory, and from which line to which.
#pragma once

#include <QString>
#include <QStringList>

#include "codegen/driver/compile.h"

namespace tw::gui {

// Neighbouring steps of a launch that came from one source line.
struct MapStep {
    int line = 0;             // of the source, 0: unknown
    ir::Provenance where;
};
struct MapEntry {
    QString buffer;
    std::int64_t offset = 0, bytes = 0;
    int first = 0, last = 0;  // indices into `steps`
    ir::Provenance where;     // its allocation
};
struct MemoryMap {
    std::vector<MapStep> steps;
    std::vector<MapEntry> entries;
    std::int64_t size = 0;    // bytes of the arena
    std::int64_t largestUse = 0;  // bytes of the buffers that live at one time
};

// One a launch; empty where shared memory has not been planned.
[[nodiscard]] std::vector<MemoryMap> collectMemory(const driver::CompileSnapshot& snapshot);

}  // namespace tw::gui

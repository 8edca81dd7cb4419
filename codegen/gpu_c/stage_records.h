// What the stage records of a program mean, and where they are.
#pragma once

#include <string>
#include <vector>

#include "codegen/gpu_c/gpu_program.h"

namespace tw::gpu {

// 32-bit words of a role's header, and of a record. The words: profiler/timeline/records.h.
inline constexpr int kRecordHeaderWords = 16, kRecordWords = 2;

struct RecordedRole {
    std::string name;
    std::int64_t leader = 0;  // flat index of the thread that records
};
struct RecordedEvent {
    std::string kind;      // as passes::stageKindName
    std::uint32_t op = 0;  // the tile operation
    SourceRange source;
    int depth = 0;  // as in passes::recordStages
};
// Of one launch.
struct StageRecords {
    int launch = 0, workspace = 0;  // indices into the program's lists
    std::int64_t capacity = 0;      // records of one role of one block
    std::vector<std::int64_t> blocks;  // linear block indices that record
    int spread = 0;                    // without `blocks`: how many do, block (n - 1) * i / (spread - 1) of n for each i
    std::vector<RecordedRole> roles;
    std::vector<RecordedEvent> events;  // number i + 1 in a record
};

// The tables of `program`'s launches that make records. `function`: what it was printed from, as recordStages left it.
[[nodiscard]] std::vector<StageRecords> stageRecords(const ir::Function& function, const GpuProgram& program);

}  // namespace tw::gpu

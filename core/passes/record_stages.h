#pragma once

#include <cstdint>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::passes {

// Which blocks record, and how much.
struct RecordOptions {
    std::vector<std::int64_t> blocks;  // linear block indices; empty: `spread` blocks, see spreadBlocks
    int spread = 4;
    std::int64_t capacity = 4096;  // records of one role of one block, 8 bytes each; at most 65535
    // Blocks that a multiprocessor holds of each launch without records, where known: the compiler is asked for as many with them.
    std::vector<int> residentBlocks{};
};

// The blocks that record where none are named: `count` (at least 1) linear numbers in even steps through a grid of `blocks`, in order;
// fewer where the grid is small. None of its last third: what a block loses by recording would hold up the end of the kernel there (attention
// on an H200 took 5.7 % longer with the last block among them, whose records take 8 % of its time). As the device prelude
// chooses them (resources/device/cuda/records.cuh).
[[nodiscard]] std::vector<std::int64_t> spreadBlocks(int count, std::int64_t blocks);

// Places stage records: `stage_record` of core/ir/ops.def. It is no step of the pipeline but stands behind it, where somebody asks for records: so the code
// without them is untouched, and the code with them is the same but for them.
//
// A record says what its role does from there on, until its next record: so a role's stages add up to its time, and one
// record a stage is enough. Records stand in front of each stage of every tile operation, of barrier waits, and at the top of
// loops around pipelined loops; record 0 at every end.
// Each launch gets the attributes `record_…`: capacity; blocks, or spread; roles and leaders (their names and recording
// threads); kinds and depths of event i + 1. A depth is the number of loops that count the stage's iterations, 0 for none; -d
// marks where loop d, which is around recorded loops, starts its next iteration: what is deeper counts from 0 again. The
// provenance of a record is that of its stage.
// Requires: thread stage of a GPU, final: nothing may move or add statements after it.  Leaves: values, and the order of all
// other statements. Launches of the author's own source stay as they are.
[[nodiscard]] ir::Function recordStages(const ir::Function& in, const RecordOptions& options);

}  // namespace tw::passes

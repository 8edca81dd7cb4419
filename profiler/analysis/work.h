// What a program does, counted from its tile stage: operations, bytes and loops, whatever machine runs it.
//
// Amounts are sums over all blocks of a launch with every extent known; loops run from launch extents, tails are clipped at the
// tensors' edges, conditions are evaluated. A product counts the whole tile that the hardware multiplies, rows of padding
// included. Nothing here is measured.
#pragma once

#include <string>
#include <vector>

#include "core/ir/stmt.h"
#include "profiler/analysis/domain.h"

namespace tw::profile_analysis {

struct Bytes {
    double read = 0, written = 0;
    [[nodiscard]] double both() const { return read + written; }
};

// One tile operation of one launch.
struct OperationWork {
    std::uint32_t op = 0;      // as in line maps, 0 for code without (array programs)
    std::string name;          // "copy A → A_shared"
    SourceRange where;
    ir::OpClass kind = ir::OpClass::kMemory;  // kMemory: element by element, a parallel loop or a store
    double executions = 0;     // times that a block comes here, over all blocks
    double tensorFlops = 0;    // of matrix products, two a multiply-add
    ir::DType tensorType;      // of their left operand
    double accumulatorBytes = 0;  // of the tile of a block that they add to
    double flops = 0;          // other floating-point arithmetic, one each; two for a fused multiply-add
    double special = 0;        // of these: exponentials, logarithms, roots, sines, divisions (special function units)
    double elements = 0;       // element-wise steps: memory accesses, conversions and arithmetic of single elements
    Bytes global, shared;      // as the block asks for them, an element once where a loop of the operation repeats it
    unsigned blockAxes = 0;    // of the grid on which what it reads from global memory depends: bit 0 is x
    bool isLoad = false;       // moves global to shared memory and nothing else
    int loop = -1;             // index of the pipelined loop around it, -1: none
};

// One loop over the block's tiles.
struct LoopWork {
    SourceRange where;
    int stages = 0;       // num_stages as asked for, 0: not pipelined by its author
    double trips = 0;     // iterations over all blocks
    double entries = 0;   // times that a block begins it, over all blocks
    [[nodiscard]] double tripsEach() const { return entries > 0 ? trips / entries : 0; }
};

struct LaunchWork {
    std::vector<std::int64_t> grid;  // x, y, z as far as the launch has them
    std::int64_t blocks = 1, threads = 1;
    SourceRange where;
    std::vector<OperationWork> operations;  // in program order
    std::vector<LoopWork> loops;            // the pipelined ones
};

struct Work {
    std::vector<LaunchWork> launches;
    // Tensors of the call, each element once: what memory has to move at least. Workspaces may stay in a cache.
    Bytes least;
    bool isExact = true;  // false: something depends on run-time values, or the program is too large to count every iteration

    [[nodiscard]] double flops() const;  // all, products included
};

[[nodiscard]] Work workOf(const ir::Function& tileStage, const Values& values);

}  // namespace tw::profile_analysis

// A function as a host runs it on a GPU: source text of its kernels, and how to launch them.
//
// Expressions here use only the function's symbols (`ir::Function::symbols`) and scalar parameters: what the host part of the
// function bound is substituted, so a host evaluates them with the extents of its tensors and nothing else. They are exact in
// 64 bits.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::gpu {

// A line of target text and where it came from.
struct LineSource {
    int line = 0;  // from 1
    SourceRange source;
    std::uint32_t op = 0;
};

// Global memory that one call needs beside its tensors. Its contents are undefined before the first launch unless `zeroed`.
struct Workspace {
    std::string name;
    ir::DType type;
    std::vector<ir::Expr> shape;  // elements; contiguous
    bool zeroed = false;          // filled with zero bytes before every launch (the counter of a grid-wide barrier)
};

// What a tensor map describes: tiles of a global tensor as the TMA unit moves them. Axes in the order of the IR, the
// contiguous one last: cuTensorMapEncodeTiled wants them reversed. Coordinates outside read as zero; no interleaving.
struct TensorMap {
    bool isWorkspace = false;
    int index = 0;                       // into the function's params, or into `workspaces`
    ir::DType type;
    std::vector<ir::Expr> shape;         // elements
    std::vector<ir::Expr> strides;       // elements, the last is 1
    std::vector<std::int64_t> box;       // elements
    std::vector<std::int64_t> elementStrides;  // 1 an axis
    int swizzleBytes = 0;                // 0, 32, 64, 128
    bool operator==(const TensorMap&) const = default;
};

enum class ArgumentKind : std::uint8_t {
    kTensor,     // device pointer to element 0 of params[index]
    kScalar,     // params[index], `type` wide
    kSymbol,     // symbols[index], `type` wide (int32 or int64): an extent or a stride
    kTensorMap,  // tensorMaps[index] by value, 128 bytes on a 64-byte boundary
    kWorkspace   // device pointer to workspaces[index]
};
struct Argument {
    ArgumentKind kind{};
    int index = 0;
    std::string name;  // as in the text
    ir::DType type;    // kHandle for pointers and tensor maps. A bool is one byte; narrow floats are their bits
    bool operator==(const Argument&) const = default;
};

struct KernelLaunch {
    std::string entry;
    std::vector<ir::Expr> grid;           // x, y, z; absent ones are 1. A grid with a zero launches nothing
    std::array<std::int64_t, 3> block{1, 1, 1};
    std::vector<std::int64_t> cluster;    // empty: no cluster
    bool cooperative = false;             // all blocks must be resident: a grid-wide barrier
    bool programmatic = false;            // waits for the launch before it itself (griddepcontrol): may start early
    std::int64_t staticSharedBytes = 0;
    std::int64_t dynamicSharedBytes = 0;
    int minBlocks = 0;                    // blocks a multiprocessor that the author asked for; 0: no wish
    std::vector<Argument> arguments;      // in the order of the kernel's parameters
    ir::Expr condition;                   // the host launches only if this holds; empty: always
    SourceRange range;
};

// Checked by the host before the first launch.
struct HostAssert {
    ir::Expr condition;
    std::string message;
    SourceRange range;
};

struct GpuProgram {
    std::string language;  // "cuda"
    std::string text;      // all kernels, self-contained
    std::vector<LineSource> lines;      // ascending; lines of the prelude are absent
    std::vector<KernelLaunch> launches; // in order, on one stream
    std::vector<Workspace> workspaces;
    std::vector<TensorMap> tensorMaps;
    std::vector<HostAssert> asserts;
    bool prints = false;                // some kernel prints: its text comes out of the driver's printf buffer
    bool fastMath = false;              // the program's pass configuration asks for it
};

}  // namespace tw::gpu

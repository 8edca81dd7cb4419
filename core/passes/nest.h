// What a parallel nest does: its axes and every access in it, in a form in which layouts can be asked about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/stmt.h"
#include "core/layout/fragment.h"

namespace tw::passes {

struct NestAccess {
    ir::Buffer buffer;
    std::vector<ir::Expr> indices;  // immutable variables of the nest expanded
    bool write = false;
};

struct Nest {
    const ir::For* loop = nullptr;
    std::vector<ir::Var> vars;           // of all axes
    std::vector<std::int64_t> extents;   // constants
    std::vector<ir::Var> innerVars;      // loops inside of the nest with constant bounds
    std::vector<std::int64_t> innerExtents;
    std::vector<NestAccess> accesses;
    bool constantExtents = true;
    bool writesMemory = false;   // shared or global memory, atomics, printing: must happen once an iteration
    bool writesPrivate = false;  // arrays that every thread has for itself
    bool byThread = false;       // values differ from thread to thread: its variables, its private arrays
};
// `threadVars`: the launch's thread variables.
[[nodiscard]] Nest describe(const ir::For& loop, std::span<const ir::Var> threadVars);

// Fragments and reducers: tiles that are spread over threads.
[[nodiscard]] bool isSpread(const ir::Buffer& buffer);

// The axis of the nest that each axis of the buffer is indexed by, -1 for an axis of extent 1; empty where an index is anything
// but a variable of the nest, or one variable stands twice.
[[nodiscard]] std::optional<std::vector<int>> projection(const Nest& nest, const NestAccess& access);
// A projection that names every axis of extent > 1: the buffer's layout determines that of the nest.
[[nodiscard]] bool isComplete(const Nest& nest, const std::vector<int>& from);

// The layout of a nest whose access through `from` is at the layout's own thread.
[[nodiscard]] layout::Fragment nestLayout(const Nest& nest, const layout::Fragment& buffer, const std::vector<int>& from);

// Whether each element is with the same threads, whatever their registers.
[[nodiscard]] bool sameHolders(const layout::Fragment& a, const layout::Fragment& b);

enum class Fit : std::uint8_t {
    kExact,   // the threads that run an iteration are those that hold its element
    kHolds,   // all of them hold it (others may, too)
    kMasked,  // all that hold it run the iteration, others run it, too
    kNone
};
// How the threads of a nest with layout `loop` and the holders of the accessed elements agree. kNone also where it cannot be told.
[[nodiscard]] Fit fit(const Nest& nest, const layout::Fragment& loop, const NestAccess& access, const layout::Fragment& buffer);

}  // namespace tw::passes

// Questions about how a memory layout is accessed, answered exactly: by trying every element.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ir/expr.h"

namespace tw::layout {

// The largest power of two v such that along `axis` every v elements that begin at a multiple of v are neighbours in memory, in
// order, and begin at a multiple of v there. 1 where the layout has more than a million elements or cannot be evaluated.
[[nodiscard]] std::int64_t alignedRun(const ir::LayoutMap& map, int axis);

// Whether no two elements share a place. False where that cannot be evaluated.
[[nodiscard]] bool isInjective(const ir::LayoutMap& map);

// Whether ldmatrix and stmatrix can take their rows from the tile: 16 bytes of the last axis are neighbours and aligned (PTX ISA,
// "ldmatrix": a row is 16 bytes and begins at a multiple of that). `bits`: of an element.
[[nodiscard]] bool hasMatrixRows(const ir::LayoutMap& map, int bits);

// How shared memory serves one access of a warp. It has 32 banks of 4 bytes; a pass serves one word of each. Accesses of 8 bytes
// come by half warps, of 16 bytes (and rows of ldmatrix) by quarters; lanes that want the same word share it. (CUDA C++ Programming Guide,
// "Shared Memory" of compute capability 5.x and later, for banks and words; halves and quarters are what Nsight Compute counts.)
struct BankUse {
    std::int64_t passes = 0, best = 0;  // needed, and needed at least for as many words
    bool operator==(const BankUse&) const = default;
    [[nodiscard]] double ways() const { return best == 0 ? 1 : static_cast<double>(passes) / static_cast<double>(best); }
};
// `addresses` in bytes, one a lane; negative: the lane does not take part. `bytes`: 1, 2, 4, 8 or 16 a lane.
[[nodiscard]] BankUse bankUse(std::span<const std::int64_t> addresses, std::int64_t bytes);

// Passes in which the first 8 rows of 16 bytes come, which ldmatrix and wgmma take at once: 1 at best. 0 where the tile has fewer rows or
// shorter ones, or the map cannot be evaluated.
[[nodiscard]] std::int64_t matrixPasses(const ir::LayoutMap& map, int bits);

// How bulk tensor copies (TMA) fill a tile in shared memory: boxes of `box` elements, `counts` of them along each axis, each
// row-major in 32, 64 or 128 bytes of a row with the swizzle of that width, or unswizzled with any row of a multiple of 16 bytes.
struct TmaBoxes {
    std::int64_t swizzle = 0;           // bytes; 0: none
    std::vector<std::int64_t> box;      // elements along each axis, each at most 256
    std::vector<std::int64_t> counts;   // boxes along each axis
};
// Empty where the layout is of another form. A box begins at the physical index of its first element.
[[nodiscard]] std::optional<TmaBoxes> tmaBoxes(const ir::LayoutMap& map, int bits);

}  // namespace tw::layout

// How a tile lies in shared memory: rows one after the other, 16-byte chunks of a row permuted where that avoids bank conflicts.
//
// 32 banks of 4 bytes; a quarter of a warp's 16-byte accesses (8 rows of an ldmatrix) is served at once if their chunks differ
// modulo 128 bytes (CUDA C++ Programming Guide, "Shared Memory").
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ir/expr.h"

namespace tw::layout {

// Row-major.
[[nodiscard]] Ref<const ir::LayoutMap> rowMajor(const std::vector<std::int64_t>& shape);
// Row-major with chunk c of row i at c ^ f(i), so that the same chunk of 8 consecutive rows lies in 8 different groups of banks.
// Rows that already have this property stay as they are. `bits`: of an element; rows shorter than 32 bytes stay row-major.
[[nodiscard]] Ref<const ir::LayoutMap> swizzled(const std::vector<std::int64_t>& shape, int bits);
// The layout that TMA and wgmma know: panels of `bytes` (32, 64, 128) of each row, one after the other, swizzled within.
[[nodiscard]] Ref<const ir::LayoutMap> panels(const std::vector<std::int64_t>& shape, int bits, std::int64_t bytes);

// Rows one after the other with `pad` elements behind each, chunk c of row r at chunk c ^ (r / divisor % turns). The last axis runs
// along a row, all others number the rows. `chunk` and `turns` are powers of two and chunk · turns divides the row.
struct RowForm {
    std::int64_t pad = 0;
    std::int64_t chunk = 0;  // elements; 0: all chunks stay where they are
    std::int64_t divisor = 1, turns = 1;
    bool operator==(const RowForm&) const = default;

    [[nodiscard]] std::int64_t place(std::int64_t row, std::int64_t column, std::int64_t columns) const
    {
        return row * (columns + pad) + (chunk == 0 ? column : column ^ (row / divisor % turns * chunk));
    }
};
[[nodiscard]] Ref<const ir::LayoutMap> toMap(const RowForm& form, const std::vector<std::int64_t>& shape);
// In words. `bits`: of an element.
[[nodiscard]] std::string describe(const RowForm& form, int bits);
// The forms worth trying for a tile whose accesses meet in the banks: row-major first, then those that need no more memory.
// `bits`: of an element, a multiple of 8; else row-major only.
[[nodiscard]] std::vector<RowForm> rowForms(const std::vector<std::int64_t>& shape, int bits);

// The flat physical index of an element, and how many physical elements the map needs (tried out; 0: it cannot be).
[[nodiscard]] ir::Expr physicalIndex(const ir::LayoutMap& map, const std::vector<ir::Expr>& at);
[[nodiscard]] std::int64_t physicalSize(const ir::LayoutMap& map);

}  // namespace tw::layout

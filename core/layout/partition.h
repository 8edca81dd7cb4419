// How the warps of a block share the result of a product (compiler.md 4.6).
#pragma once

#include <cstdint>
#include <optional>

namespace tw::layout {

// T.GemmWarpPolicy.
enum class WarpPolicy : std::uint8_t { kSquare, kFullRow, kFullCol };

struct Partition {
    std::int64_t rows = 1, columns = 1;  // warps along M and along N
    bool operator==(const Partition&) const = default;
};

// Each warp computes a multiple of 16 rows and of 8 columns. kFullRow: as many warps as possible along M; kFullCol: along N;
// kSquare: warp tiles in proportion to the block's tile. Empty if no partition exists.
[[nodiscard]] std::optional<Partition> warpPartition(std::int64_t m, std::int64_t n, std::int64_t warps, WarpPolicy policy);
// The same for wgmma: rows come in groups of four warps.
[[nodiscard]] std::optional<Partition> warpGroupPartition(std::int64_t m, std::int64_t n, std::int64_t warps, WarpPolicy policy);

}  // namespace tw::layout

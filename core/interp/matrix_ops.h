// What the matrix instructions of a GPU share: which lane holds which element, and tiles of lanes.
#pragma once

#include <string>
#include <vector>

#include "core/interp/lanes.h"
#include "core/layout/fragment.h"

namespace tw::interp {

// A group's registers and the elements of a row-major tile.
struct RegisterMap {
    std::size_t registers = 0;       // of each thread
    std::vector<std::size_t> place;  // thread * registers + register -> element
};
// `transposed`: the tile's rows are axis 1 of the fragment.
[[nodiscard]] RegisterMap registerMap(const layout::Fragment& fragment, bool transposed);

struct MatrixTile {
    std::vector<Lane> lanes;
    std::vector<std::uint8_t> bad;  // elements that nobody has written; empty: all are written
};

// One instruction C[m, n] += A[m, k] B[k, n].
struct MatrixPlan {
    std::size_t m = 0, n = 0, k = 0;
    ir::DType type;  // of the multiplicands
    RegisterMap a, b, c;
};

// Whether the product added to elements that nothing had written.
enum class Started : std::uint8_t { kWritten, kUnwritten };
[[nodiscard]] Started multiplyTiles(const MatrixPlan& plan, ir::DType type, const MatrixTile& a, const MatrixTile& b, MatrixTile& c);

// How a matrix in shared memory is walked (PTX ISA, "Matrix Descriptor"): core matrices of 8 rows of 16 bytes, or atoms of 8 rows of
// `swizzle` bytes. All in bytes. `rows` is m or n, `columns` k.
struct MatrixWalk {
    std::size_t rows = 0, columns = 0;
    ir::DType type;
    bool kMajor = true;  // elements along k are neighbours
    std::int64_t swizzle = 0, leading = 0, stride = 0;

    [[nodiscard]] std::int64_t offsetOf(std::int64_t row, std::int64_t column) const;  // of an element, before the swizzle
};

// The 16-byte chunks of 8 rows permuted, as TMA and wgmma do it with the bits of the address. `swizzle`: 0, 32, 64 or 128.
[[nodiscard]] std::int64_t swizzledAddress(std::int64_t address, std::int64_t swizzle);

}  // namespace tw::interp

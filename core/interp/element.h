// Elements between memory and lanes: rounding, wrapping, packing.
#pragma once

#include <cstddef>

#include "core/interp/lanes.h"

namespace tw::interp {

// Rounds floats to `type` in place, to nearest even.
void roundLanes(ir::DType type, Lane* lanes, std::size_t n);
// Wraps integers (bools: value != 0) to `type` in place.
void wrapLanes(ir::DType type, Lane* lanes, std::size_t n);
// Converts n lanes of `from` to `to` (language.md c.4): in == out is fine. Without `saturates` a float beyond the range of a
// small float type becomes its infinity or NaN.
void castLanes(ir::DType from, ir::DType to, const Lane* in, Lane* out, std::size_t n, bool saturates = true);

// Element `index` (counted in scalars of `type`, lanes ignored) of packed memory.
[[nodiscard]] Lane loadElement(ir::DType type, const std::uint8_t* memory, std::int64_t index);
void storeElement(ir::DType type, std::uint8_t* memory, std::int64_t index, Lane value);

// The same for n elements at memory[indices[k]]; where `on` is given and 0, a load leaves 0 and a store writes nothing.
void gather(ir::DType type, const std::uint8_t* memory, const std::int64_t* indices, const std::uint8_t* on, Lane* out,
            std::size_t n);
void scatter(ir::DType type, std::uint8_t* memory, const std::int64_t* indices, const std::uint8_t* on, const Lane* in,
             std::size_t n);
// n elements from `first` on, `stride` apart.
void loadRow(ir::DType type, const std::uint8_t* memory, std::int64_t first, std::int64_t stride, Lane* out, std::size_t n);
void storeRow(ir::DType type, std::uint8_t* memory, std::int64_t first, std::int64_t stride, const Lane* in, std::size_t n);
// The first byte of an element, and one past its last byte.
[[nodiscard]] inline std::int64_t firstByte(ir::DType type, std::int64_t index) { return index * type.bits() / 8; }
[[nodiscard]] inline std::int64_t endByte(ir::DType type, std::int64_t index)
{
    return ((index + 1) * type.bits() + 7) / 8;
}

// One unit in the last place of `value` in `type`; 0 for infinities and NaN.
[[nodiscard]] double ulpOf(ir::DType type, double value);

}  // namespace tw::interp

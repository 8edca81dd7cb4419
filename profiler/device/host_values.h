// What the host part of a GPU program computes: expressions over a function's extents and scalars, with the values of one call.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/interp/tensor.h"
#include "core/ir/stmt.h"

namespace tw::device {

class HostValues {
public:
    // Symbols and integer scalar parameters by name.
    explicit HostValues(const interp::Arguments& arguments);

    // Empty for an expression of anything else, or a division by zero.
    [[nodiscard]] std::optional<std::int64_t> value(const ir::Expr& e) const;
    [[nodiscard]] std::optional<std::vector<std::int64_t>> values(std::span<const ir::Expr> list) const;

private:
    std::map<std::string, std::int64_t> values_;
};

// A tensor with its parameter's strides, as device memory holds it: `pack` from the contiguous form, `unpack` back into it.
// Gaps between elements are zero. Elements of less than a byte cannot be strided.
class StridedLayout {
public:
    // `strides` in elements, none negative; empty: contiguous.
    StridedLayout(ir::DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides);

    [[nodiscard]] bool isContiguous() const { return strides_.empty(); }
    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] std::vector<std::uint8_t> pack(std::span<const std::uint8_t> contiguous) const;
    void unpack(std::span<const std::uint8_t> strided, std::span<std::uint8_t> contiguous) const;

private:
    // Calls `move(offset in the strided form, offset in the contiguous form)` for every element, in bytes.
    template <class Move>
    void forEach(Move&& move) const;

    ir::DType dtype_;
    std::vector<std::int64_t> shape_, strides_;
};

}  // namespace tw::device

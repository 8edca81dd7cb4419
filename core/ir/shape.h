// Shapes of buffers as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/stmt.h"
#include "core/support/check.h"

namespace tw::ir {

// Elements of so many along each axis; 1 without axes. Empty where an extent is no constant.
[[nodiscard]] inline std::optional<std::int64_t> elementCount(const std::vector<Expr>& shape)
{
    std::int64_t count = 1;
    for (const Expr& extent : shape) {
        const std::int64_t* n = asInt(extent);
        if (!n)
            return std::nullopt;
        count *= *n;
    }
    return count;
}

// Of memory on the chip, whose extents are constants (the verifier holds that).
[[nodiscard]] inline std::int64_t elementsOnChip(const BufferNode& buffer)
{
    const auto count = elementCount(buffer.shape);
    TW_CHECK(count, "the on-chip buffer " + buffer.name + " has a run-time extent");
    return *count;
}

}  // namespace tw::ir

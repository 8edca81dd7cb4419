// How the values that threads of one group bring to an exchange are combined.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/llvm/runtime.h"
#include "core/ir/dtype.h"

namespace tw::llvm_backend {

struct ExchangeItem {
    ExchangeKind kind{};
    ir::Scalar scalar{};
    int lane = 0;
    std::uint64_t bits = 0;       // the element, sign-extended where its type is signed
    std::int64_t argument = 0;    // lane or distance of a shuffle
    std::int64_t width = 32;      // a shuffle stays inside groups of so many lanes
    std::uint64_t result = 0;
};

// Fills in `result` of every item; all have the same kind.
void exchange(const std::vector<ExchangeItem*>& items);

}  // namespace tw::llvm_backend

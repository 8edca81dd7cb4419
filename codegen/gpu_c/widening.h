// Conversions of narrow numbers to half precision, a word at a time.
#pragma once

#include <string>

#include "core/arith/facts.h"
#include "core/ir/stmt.h"

namespace tw::gpu {

// The function of the device prelude that turns an integer of the range that `facts` know for `e` into `to` without a conversion
// instruction; empty where there is none: `to` is not half or bfloat16, or the range is not known to be small.
[[nodiscard]] std::string smallIntegerFunction(const arith::Facts& facts, ir::DType to, const ir::Expr& e);

// The function of the device prelude that turns `count` neighbours of type `from`, as they lie in memory, into `to`; its argument is their
// address. Exact for every pattern. Empty where there is none.
[[nodiscard]] std::string widenFunction(ir::DType from, ir::DType to, std::int64_t count);

}  // namespace tw::gpu

// The cost of one thread's statements and operations. Private to profiler/timeline.
#pragma once

#include "profiler/timeline/work.h"

namespace tw::timeline {

// Of one operation or store as `threads` threads run it, without what is below it.
[[nodiscard]] Cost costOf(const ir::OpCall& call, std::int64_t threads, const Rates& rates);
// Of evaluating an expression.
[[nodiscard]] Cost costOf(const ir::Expr& e, std::int64_t threads, const Rates& rates);
// Of an access of one element.
[[nodiscard]] Cost accessCost(const ir::Buffer& buffer, bool writes, std::int64_t threads, const Rates& rates);
[[nodiscard]] double bytesOf(const ir::Region& region);

}  // namespace tw::timeline

// The cost of one thread's statements and operations. Private to profiler/timeline.
#pragma once

#include "profiler/timeline/work.h"

namespace tw::timeline {

// Of one operation or store as `threads` threads run it, without what is below it.
[[nodiscard]] Cost costOf(const ir::OpCall& call, std::int64_t threads, const Machine& machine);
// Of evaluating an expression.
[[nodiscard]] Cost costOf(const ir::Expr& e, std::int64_t threads, const Machine& machine);
// Of an access of one element.
[[nodiscard]] Cost accessCost(const ir::Buffer& buffer, bool writes, std::int64_t threads);
[[nodiscard]] double bytesOf(const ir::Region& region);
// Whether a statement adds to an element that does not move with `var`: its iterations wait for each other.
[[nodiscard]] bool isCarried(const ir::Stmt& body, const ir::Var& var);

}  // namespace tw::timeline

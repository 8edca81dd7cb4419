#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Pipelined loops become serial ones whose copies from global to shared memory run ahead: planSchedule, then applySchedule.
//
//   for k in T.Pipelined(n, num_stages=3):        prologue: copies of iterations 0 and 1 into slots 0 and 1
//       T.copy(A[…k…], A_s)                  ->   for k in range(n):
//       T.gemm(A_s, …)                                 wait for the copies of k; all threads meet
//                                                      start the copies of k + 2 into slot (k + 2) % 3; close the group
//                                                      T.gemm(A_s[k % 3], …)
//
// Outer loops first. A loop whose copies cannot run ahead is a serial loop.
// Requires: tile stage, normalized.  Leaves: tile stage, no pipelined loop; buffers with slots have the slot axis in front.
[[nodiscard]] ir::Function schedulePipelines(const ir::Function& in, PassContext& context);

}  // namespace tw::passes

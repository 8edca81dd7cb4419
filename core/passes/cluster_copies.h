#pragma once

#include <string>
#include <variant>

#include "core/passes/meetings.h"
#include "core/passes/thread_groups.h"
#include "core/passes/thread_tiles.h"

namespace tw::passes {

// T.copy_cluster as one thread's code:
//
//   copy_cluster(a, b, dst_block=r)    the threads store a's elements to b's place in block r [and meet; one arrives at its barrier]
//   copy_cluster(A, b, cluster_mask=m) the first block of the mask stores for all of them, blocks outside load for themselves;
//                                      then the cluster meets
//
// What lies outside of a tensor reads as 0. A string instead of a statement says what is not possible. `meetings` are those of
// the launch and give names to meetings of a part of the block.
[[nodiscard]] std::variant<ir::Stmt, std::string> lowerClusterCopy(const ir::OpCall& call, ThreadTiles& tiles, Meetings& meetings, const ThreadGroup& group,
                                                                  std::span<const ir::Var> threadVars, DiagnosticSink& diagnostics,
                                                                  const ir::Provenance& where);

}  // namespace tw::passes

#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Where a launch runs as threads, inserts a meeting (T.sync_threads for those that reach it: an empty tile operation) between
// accesses of different threads to one shared buffer that nothing else orders: the barriers that the language promises. Off
// with tl.disable_thread_storage_sync, where the author wrote them all.
// Requires: planThreads.  Leaves: tile stage.
[[nodiscard]] ir::Function orderThreads(const ir::Function& in, PassContext& context);

}  // namespace tw::passes

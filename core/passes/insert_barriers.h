#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Makes threads of a block meet wherever one may read or overwrite what another wrote or read, in shared memory (by bytes of
// the arena, so buffers that share bytes count) and in global memory that the block itself writes.
//
// One walk in program order with the accesses since the last meeting. Loops are walked until what one iteration leaves for
// the next is stable; slots of a ring (`k % s` and `(k + 1) % s`) are told apart. Where each thread comes back to its own
// elements nothing is inserted, where only lanes of one warp exchange, sync_warp. cp.async data counts from the wait on.
// What another block's hazard cannot cross is not this pass's business.
//
// Under a condition on the thread index that whole, neighbouring warps satisfy, the barrier is a named one for them. Threads
// of different roles that wait on mbarriers are ordered by those. Where a needed barrier cannot stand, because it is not known
// which threads come, that is an error at the access: it is never dropped.
//
// A warning says where a tensor's elements are read and then overwritten by other threads with nothing of the author's between: the
// language puts barriers in for shared memory alone, so the text is a race elsewhere.
//
// From sm_90 on a proxy fence stands in front of the meeting that hands ordinary writes to an engine (bulk copies, wgmma).
//
// Requires: thread stage, planSharedMemory.  Leaves: the same stage; "tl.disable_thread_storage_sync" leaves all to the author.
[[nodiscard]] ir::Function insertBarriers(const ir::Function& in, PassContext& context);

}  // namespace tw::passes

#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Puts all shared buffers of a launch into one arena `smem`: each becomes a view at a byte offset, and buffers that are never
// in use at one time share bytes. A buffer is in use from its first to its last access; a loop between its allocation and an
// access counts as a whole; what an asynchronous copy or product reads or writes is in use until the wait for it, what other
// blocks of the cluster write all the time. Code that the roles of a warp specialisation run at one time has no order: of two
// buffers that different roles use one behind the other, the bytes are shared only where the second's user has read what the
// others wrote into the first. Offsets are multiples of 16, of 128 for bulk copies, and of a whole swizzle pattern (8 rows) where an instruction swizzles.
// Sharing bytes is safe only because insertBarriers, behind this pass, looks at bytes and not at names; where the author
// switched that off, nothing is shared.
// Requires: thread stage, flat shared buffers.  Leaves: views of `smem`, the launch's attribute dynamic_shared_bytes (absent: 0);
// an error at the largest allocation where a block of the target has less.
[[nodiscard]] ir::Function planSharedMemory(const ir::Function& in, PassContext& context);

}  // namespace tw::passes

#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Every fragment and shared buffer gets a T.annotate_layout behind its allocation, every parallel nest its loop_layout. Where a use
// does not fit the layout, the tile goes through shared memory: it is copied there by its own layout and used from there (and back).
// Behind this pass every nest runs where its fragments' elements are, a product's operands have the layouts of its plan, and a
// reduction's result lies where its source's threads leave it. Reasons go to context.layoutReasons.
// Requires: expandTiles; constant extents.  Leaves: tile stage; thread indices in T.Fragment count from the block's first thread.
[[nodiscard]] ir::Function inferLayouts(const ir::Function& in, PassContext& context);

}  // namespace tw::passes

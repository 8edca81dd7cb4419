#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Products read tiles of global tensors where they are: a shared tile that only hands a region of a tensor to products goes, with
// the copy that filled it. A CPU's product packs its operands anyway, so that the copy would move every element a second time.
// A tile goes where all of this is certain:
//   - the launch runs its body once a block;
//   - the tile has two axes, is no view and has none, and one T.copy fills all of it, from a region of a global tensor of the same
//     element type whose last two axes are the tile's and whose others are one element wide, inside of the tensor (at an edge the
//     copy would fill in zeros), at indices that no memory decides;
//   - all else that names it (its layout aside) are operands A and B of T.gemm in the same list of statements, behind the copy,
//     with results of 32 or 64 bits: shorter ones have no micro-kernel and read an operand's elements many times;
//   - from the copy to the last of these products nothing writes global memory, whatever tensor it is (two may share storage), and
//     nothing waits for other blocks.
// Requires: planThreads.  Leaves: tile stage; values are what they were.
[[nodiscard]] ir::Function directOperands(const ir::Function& in, PassContext& context);

}  // namespace tw::passes

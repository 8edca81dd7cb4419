// How the regions of a tile operation correspond, element by element: shared by every lowering of copies, fills and atomics.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::passes {

// One axis of the iteration space; -1 where a side does not have it.
struct CopyAxis {
    ir::Expr extent;
    int src = -1, dst = -1;
};

// Axes with an extent other than 1 of the deeper side (fragments and locals over shared over global; the source at a tie),
// matched in order with those of the other side (language.md d.6). Without a source (src.buffer empty): those of dst.
[[nodiscard]] std::vector<CopyAxis> matchAxes(const ir::Region& src, const ir::Region& dst);

// The element of `r` at the iteration point `vars` (one value an axis). `isSrc` says which side of the axes `r` is.
[[nodiscard]] std::vector<ir::Expr> elementAt(const ir::Region& r, const std::vector<CopyAxis>& axes, const std::vector<ir::Expr>& vars, bool isSrc);

// The operands of an atomic in its tile form; empty for the element form and for atomics that have none.
struct TileAtomic {
    ir::Region dst;
    ir::Region src;   // or, without a buffer,
    ir::Expr value;   // one value for all elements
};
[[nodiscard]] std::optional<TileAtomic> tileAtomic(const ir::OpCall& call);

// dst[j, i] = src[i, j] on the last two axes.
[[nodiscard]] ir::Stmt transposedElement(const ir::Region& src, const ir::Region& dst, const ir::Expr& i, const ir::Expr& j, const ir::Provenance& where);
// Element (i, j) of the im2col tile; what lies outside of the image is 0.
[[nodiscard]] ir::Stmt im2colElement(const ir::OpCall& call, const ir::Expr& i, const ir::Expr& j, const ir::Provenance& where);

// A persistent loop as a serial one around `body` (language.md d.4): the domain enumerated as [outer, d0, …, d(k-2), g]
// row-major, `wave` ids apart; what pads the last axis is skipped.
[[nodiscard]] ir::Stmt serialPersistent(const ir::For& loop, ir::Stmt body);

}  // namespace tw::passes

// One innermost loop as a list of guarded stores, and its form with vectors of one width.
#pragma once

#include <functional>
#include <optional>

#include "core/arith/facts.h"
#include "core/passes/vector_runs.h"
#include "core/ir/stmt.h"

namespace tw::passes {

// if guards[0] and guards[1] and …: buffer[indices] = value
struct GuardedStore {
    std::vector<ir::Expr> guards;
    ir::Buffer buffer;
    std::vector<ir::Expr> indices;
    ir::Expr value;
    ir::Provenance where;
    bool byElements = false;  // in a vector form: one element after the other, not as a vector
};

struct LoopLines {
    std::vector<GuardedStore> lines;
    std::vector<ir::Buffer> temporaries;  // values that the body binds, one element an iteration
};
// The body with its bindings replaced: arithmetic by its value, values from memory by elements [index] of temporary arrays of
// `extent` elements. Empty where the body is more than stores under conditions.
[[nodiscard]] std::optional<LoopLines> linesOf(const ir::Stmt& body, const ir::Expr& index, std::int64_t extent);

struct VectorForm {
    std::vector<GuardedStore> lines;  // accesses of memory are runs or do not move; guards do not move
    ir::Expr condition;               // under which this is right; empty: always
    std::vector<ir::Buffer> temporaries;
};
// `lines` over v in [0, width) as one vector; empty where an access does not fit or iterations depend on one another.
// With `split`, a line of which only the store or only the loads fit goes through a temporary array: the other side element by
// element (a transposition reads or writes columns).
// `expand` replaces immutable variables by their values.
using Expander = std::function<ir::Expr(const ir::Expr&)>;
[[nodiscard]] std::optional<VectorForm> vectorForm(const std::vector<GuardedStore>& lines, const arith::Facts& facts, const ir::Var& v, std::int64_t width,
                                                   const Expander& expand, bool split);

// Whether two accesses are of the same element, two lines under the same conditions: expression by expression.
[[nodiscard]] bool sameExpressions(const std::vector<ir::Expr>& a, const std::vector<ir::Expr>& b);
// Σ index · stride, in elements.
[[nodiscard]] ir::Expr linearOffset(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices);

}  // namespace tw::passes

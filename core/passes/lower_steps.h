// The pieces of lowerTiles: each turns one kind of tile operation into loops.
#pragma once

#include <functional>

#include "core/ir/stmt.h"
#include "core/passes/pass.h"
#include "core/passes/ranges.h"

namespace tw::passes {

// What the pieces share.
struct LowerContext {
    const Ranges& ranges;
    const std::map<const ir::BufferNode*, ir::Expr>& safeValues;
    bool trustBounds = false;  // tl.disable_safe_memory_legalize
    DiagnosticSink& diagnostics;
};

// ---- small constructors ----
[[nodiscard]] ir::Var newVar(const std::string& name);
[[nodiscard]] ir::Stmt loopOver(ir::ForKind kind, const ir::Var& var, ir::Expr begin, ir::Expr end, ir::Stmt body, const ir::Provenance& where);
[[nodiscard]] ir::Expr loadAt(const ir::Buffer& buffer, std::vector<ir::Expr> indices);
[[nodiscard]] ir::Stmt storeAt(const ir::Buffer& buffer, std::vector<ir::Expr> indices, ir::Expr value, const ir::Provenance& where);
[[nodiscard]] ir::Buffer newLocal(const std::string& name, ir::DType type, std::int64_t extent);
[[nodiscard]] ir::Expr number(ir::DType type, double value);

// ---- copies (lower_copies.cpp) ----
// dst = src with conversion; `update` (element atomics) replaces the store if given.
using ElementUpdate = std::function<ir::Stmt(const ir::Region& target, ir::Expr value)>;
[[nodiscard]] ir::Stmt lowerCopy(const ir::Region& src, const ir::Region& dst, const ElementUpdate& update, LowerContext& context,
                                 const ir::Provenance& where);
[[nodiscard]] ir::Stmt lowerFill(const ir::Region& dst, const ir::Expr& value, LowerContext& context, const ir::Provenance& where);
[[nodiscard]] ir::Stmt lowerTranspose(const ir::Region& src, const ir::Region& dst, const ir::Provenance& where);
[[nodiscard]] ir::Stmt lowerIm2col(const ir::OpCall& call, const ir::Provenance& where);

// ---- reductions (lower_reductions.cpp) ----
[[nodiscard]] ir::Stmt lowerReduce(const ir::OpCall& call, const ir::Provenance& where);
[[nodiscard]] ir::Stmt lowerScan(const ir::OpCall& call, const ir::Provenance& where);
// The type in which a reduction of `src` into `dst` computes: float32 for narrow floats.
[[nodiscard]] ir::DType accumulatorType(ir::DType src, ir::DType dst);
// What an element contributes: its absolute value for the combiners that want that.
[[nodiscard]] ir::Expr contribution(ir::Combiner combiner, ir::Expr value);
// `nanWins`: a NaN on either side is the result.
[[nodiscard]] ir::Expr combine(ir::Combiner combiner, ir::Expr a, ir::Expr b, bool nanWins = false);
[[nodiscard]] ir::Expr identity(ir::Combiner combiner, ir::DType type);

}  // namespace tw::passes

// Tiles of a launch as one thread sees them: which array holds a fragment's registers, where an element of shared memory lies.
#pragma once

#include <unordered_map>

#include "core/ir/visit.h"
#include "core/layout/fragment.h"
#include "core/passes/nest.h"
#include "core/passes/pass.h"

namespace tw::passes {

struct SpreadTile {
    layout::Fragment layout;
    ir::Buffer registers;  // flat, local
};
struct SharedTile {
    Ref<const ir::LayoutMap> map;
    ir::Buffer memory;  // flat
};

struct ThreadTiles {
    std::unordered_map<const ir::BufferNode*, SpreadTile> spread;
    std::unordered_map<const ir::BufferNode*, SharedTile> shared;
    std::int64_t threads = 1;  // of the block
    ir::Expr thread;           // flat index
};

// Coordinates of an access as digits: those of a nest's variables where the index is one, else the index as one digit.
using VarDigits = std::map<const ir::ExprNode*, std::vector<layout::DigitValue>>;
[[nodiscard]] std::vector<std::vector<layout::DigitValue>> digitsOf(const std::vector<ir::Expr>& indices, const ir::BufferNode& buffer, const VarDigits& vars);

// Replaces accesses of fragments and shared buffers by those of registers and flat memory, variables of nests by their digits.
class AccessLowerer : public ir::Rewriter {
public:
    AccessLowerer(const ThreadTiles& tiles, const VarDigits& vars) : tiles_(tiles), vars_(vars) {}

    using ir::Rewriter::rewrite;
    ir::Expr rewrite(const ir::Expr& e) override;
    ir::Stmt rewrite(const ir::Stmt& s) override;
    ir::Region rewrite(const ir::Region& r) override;

protected:
    const ThreadTiles& tiles_;
    const VarDigits& vars_;
};

// ---- the pieces of lowerThreads ----
[[nodiscard]] ir::Stmt lowerNest(const ir::For& loop, const ThreadTiles& tiles, std::span<const ir::Var> threadVars, DiagnosticSink& diagnostics);
[[nodiscard]] ir::Stmt reduceByThreads(const ir::OpCall& call, const ThreadTiles& tiles, const ir::Provenance& where);

}  // namespace tw::passes

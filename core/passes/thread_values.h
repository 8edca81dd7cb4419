// Which values of a launch may differ between the threads of its block, and whether they do among those that reach a place.
#pragma once

#include <set>

#include "core/analysis/thread_set.h"
#include "core/ir/stmt.h"

namespace tw::passes {

// Follows data only: a variable that a branch on the thread index sets is the same for all threads of that branch, and a tile
// operation behind the branch that uses it would have no meaning.
class ThreadValues {
public:
    explicit ThreadValues(const ir::Launch& launch);

    [[nodiscard]] bool mayDiffer(const ir::Expr& e) const;
    // The same, for the threads of `set`; `e` has its immutable variables expanded.
    [[nodiscard]] bool mayDiffer(const ir::Expr& e, const analysis::ThreadSet& set) const;

private:
    bool collect(const ir::Stmt& s);

    std::set<const ir::ExprNode*> vars_;
    std::set<const ir::BufferNode*> buffers_;  // private ones that hold such a value
};

}  // namespace tw::passes

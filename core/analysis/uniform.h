// Which values are the same in all threads of a block.
#pragma once

#include <set>

#include "core/ir/stmt.h"

namespace tw::analysis {

// Answers for the body of one launch, either stage. "Uniform" is certain; anything that is not certainly uniform is variant.
// Loads of global and shared memory at uniform indices count as uniform: what changes them between two threads' reads is a
// race of its own.
class Uniformity {
public:
    explicit Uniformity(const ir::Launch& launch);
    [[nodiscard]] bool isUniform(const ir::Expr& e) const;

private:
    void walk(const ir::Stmt& s, bool divergent);
    void walkLoop(const ir::For& loop, bool divergent);
    void vary(const ir::BufferNode* storage);
    void varyWritten(const ir::Stmt& s);

    std::set<const ir::ExprNode*> variantVars_;
    std::set<const ir::BufferNode*> variantBuffers_;  // private ones (vars, local arrays) that hold variant values
    bool changed_ = false;
};

}  // namespace tw::analysis

// Which operands of a launch's products many blocks read alike, so that one of them may pack what all of them use.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::llvm_backend {

class OperandSharing {
public:
    // `launch`: thread stage, its body runs once a block.
    explicit OperandSharing(const ir::Launch& launch);

    // The axes of the grid that the place of `operand` does not depend on: blocks that differ only there read the same elements.
    // None if that is not certain: the buffer is no tensor from outside of the launch, memory decides the place, or the launch
    // writes the tensor. One under another name may be the same memory: that shows at run time (`written`).
    [[nodiscard]] std::optional<std::vector<std::size_t>> freeAxes(const ir::Region& operand) const;
    // The storage of global buffers that the launch writes, and did not allocate itself.
    [[nodiscard]] const std::set<const ir::BufferNode*>& written() const { return written_; }

private:
    const ir::Launch& launch_;
    std::map<const ir::ExprNode*, ir::Expr> bound_;  // immutable variables of the body
    std::set<const ir::BufferNode*> inside_;         // allocated in the body
    std::set<const ir::BufferNode*> written_;
    bool certain_ = true;                            // nothing is written that has no name here
};

}  // namespace tw::llvm_backend

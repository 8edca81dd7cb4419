// Where inserted barriers and fences stand in a list of statements.
#pragma once

#include <vector>

#include "core/ir/call.h"
#include "core/ir/stmt.h"

namespace tw::passes {

class BarrierPlacement {
public:
    using Out = std::vector<ir::Stmt>;

    // At the end of `out`, but in front of what only orders registers of the next product: nothing may stand between that and the product.
    // Gives the index.
    std::size_t put(const ir::Stmt& s, Out& out);

    // All threads have met at `out[at]`, and nothing that matters came since.
    void meetingAt(const Out& out, std::size_t at) { last_ = {&out, at}; }
    void forgetMeeting() { last_ = {}; }
    [[nodiscard]] bool hasMeetingIn(const Out& out) const { return last_.out == &out; }
    // In front of that meeting. False where a fence stands there already.
    bool putFence(const ir::Stmt& fence, Out& out);

    [[nodiscard]] int inserted() const { return inserted_; }  // statements, since the beginning

private:
    struct Place {
        const Out* out = nullptr;
        std::size_t at = 0;
    };
    Place last_;
    int inserted_ = 0;
};

// An operation without attributes, at the place of a statement.
[[nodiscard]] ir::Stmt operationAt(ir::OpId id, std::vector<ir::Operand> operands, const ir::Stmt& at);

}  // namespace tw::passes

// What evaluating one expression once costs, and which memory it reads.
#pragma once

#include <vector>

#include "core/analysis/walk.h"
#include "core/ir/stmt.h"

namespace tw::profile_analysis {

struct ElementCost {
    double flops = 0, special = 0, steps = 0;  // as `elements` of OperationWork, for one evaluation
};
// An access to memory inside an expression, with the lazy conditions that guard it.
struct ElementLoad {
    const ir::Load* load = nullptr;
    std::vector<analysis::Guard> guards;
};

// Whether an access is an instruction: registers are there.
[[nodiscard]] bool isMemory(ir::MemoryScope scope);

// Loads are appended to `loads`, those inside indices included.
[[nodiscard]] ElementCost elementCost(const ir::Expr& e, std::vector<ElementLoad>& loads);

}  // namespace tw::profile_analysis

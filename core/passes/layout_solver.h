// Which layout every fragment, shared buffer and parallel nest of a launch gets, and why.
//
// Products and the author fix layouts; nests and reductions hand them on to what they touch; what is left gets a layout that
// reductions and wide accesses like. Nothing fails here: where demands differ, inferLayouts inserts a conversion.
#pragma once

#include <unordered_map>

#include "core/layout/fragment.h"
#include "core/passes/layout_rules.h"
#include "core/passes/pass.h"
#include "core/passes/plan_product.h"

namespace tw::passes {

// A product, a reduction or a nest, in program order.
struct LayoutSite {
    const ir::StmtNode* stmt = nullptr;
    ThreadGroup group;
    std::optional<Nest> nest;
    const ir::OpCall* call = nullptr;  // products and reductions
};

struct LayoutSolution {
    std::unordered_map<const ir::BufferNode*, layout::Fragment> fragments;
    std::unordered_map<const ir::BufferNode*, Ref<const ir::LayoutMap>> shared;
    std::unordered_map<const ir::StmtNode*, layout::Fragment> nests;
    std::unordered_map<const ir::StmtNode*, ProductPlan> products;
    std::unordered_map<const ir::StmtNode*, ThreadGroup> groups;
    std::vector<LayoutReason> reasons;
    std::unordered_map<const ir::BufferNode*, std::size_t> reasonOf;  // of fragments
};
[[nodiscard]] LayoutSolution solveLayouts(const ir::Function& function, const ir::Launch& launch, PassContext& context);

}  // namespace tw::passes

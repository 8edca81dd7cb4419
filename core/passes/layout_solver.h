// Which layout every fragment, shared buffer and parallel nest of a launch gets, and why.
//
// Products and the author fix layouts; nests and reductions hand them on to what they touch; what is left gets a layout that
// reductions and wide accesses like. Nothing fails here: where demands differ, inferLayouts inserts a conversion.
#pragma once

#include <unordered_map>

#include "core/layout/fragment.h"
#include "core/passes/plan_product.h"
#include "core/passes/nest.h"
#include "core/passes/pass.h"
#include "core/passes/thread_groups.h"

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
};
[[nodiscard]] LayoutSolution solveLayouts(const ir::Function& function, const ir::Launch& launch, PassContext& context);

// The layout of what a reduction of a tile with layout `source` leaves: its axis is gone, or has extent 1, and the threads that shared
// it all hold the result.
[[nodiscard]] layout::Fragment reducedLayout(const layout::Fragment& source, int axis, std::size_t rank);
[[nodiscard]] int reducedAxis(const ir::OpCall& call);

// The extents of a buffer; constants, as for everything on chip.
[[nodiscard]] std::vector<std::int64_t> shapeOf(const ir::BufferNode& buffer);
// A layout for a nest that no fragment decides: neighbouring threads at neighbouring elements, as many of them at once as a 16-byte
// access of the widest type takes.
[[nodiscard]] layout::Fragment freeNestLayout(const Nest& nest, const ThreadGroup& group);

}  // namespace tw::passes

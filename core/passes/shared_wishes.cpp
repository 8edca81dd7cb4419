#include "core/passes/shared_wishes.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/layout/access.h"
#include "core/layout/shared.h"
#include "core/passes/layout_rules.h"
#include "core/passes/lower_bulk_copy.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::BufferNode;

bool isPickier(const ProductOperandPlan& a, const ProductOperandPlan& b)
{
    return a.shared > b.shared || (a.shared == SharedLayout::kPanels && b.shared == a.shared && a.panelBytes < b.panelBytes);
}

bool isSame(const ProductOperandPlan& a, const ProductOperandPlan& b) { return !isPickier(a, b) && !isPickier(b, a); }

std::string describe(const ProductOperandPlan& plan)
{
    switch (plan.shared) {
    case SharedLayout::kPanels: return fmt::format("panels of {} bytes, swizzled", plan.panelBytes);
    case SharedLayout::kSwizzled: return "rows with 16-byte chunks exchanged";
    default: return "row-major";
    }
}

}  // namespace

void SharedWishes::add(const BufferNode* buffer, const ProductOperandPlan& plan, std::string by, const ir::Provenance& where)
{
    wishes_[buffer].push_back({plan, std::move(by), where});
}

void SharedWishes::addBulkCopy(const BufferNode* buffer, const ir::Provenance& where)
{
    ProductOperandPlan plan;
    plan.shared = SharedLayout::kPanels;
    plan.panelBytes = bulkPanelBytes(*buffer);
    if (plan.panelBytes == 0)
        plain_.insert(buffer);
    else
        add(buffer, plan, "T.tma_copy", where);
}

const SharedWishes::Wish& SharedWishes::decisive(const BufferNode* buffer) const
{
    const std::vector<Wish>& all = wishes_.at(buffer);
    return *std::ranges::max_element(all, [](const Wish& a, const Wish& b) { return isPickier(b.plan, a.plan); });
}

Ref<const ir::LayoutMap> SharedWishes::layoutOf(const BufferNode* buffer) const
{
    if (!wishes_.contains(buffer))
        return nullptr;
    return bestLayout(decisive(buffer).plan, shapeOf(*buffer), buffer->dtype.bits() * buffer->dtype.lanes);
}

LayoutReason SharedWishes::reasonOf(const BufferNode* buffer) const
{
    const Wish& chosen = decisive(buffer);
    LayoutReason reason{buffer->name, "asked for by " + chosen.by, 0, 1, chosen.where, "passes for 8 rows of 16 bytes"};
    std::vector<Wish> all = wishes_.at(buffer);
    all.push_back({{}, "", {}});  // row-major, to compare with
    const int bits = buffer->dtype.bits() * buffer->dtype.lanes;
    for (const Wish& wish : all) {
        const auto known = std::ranges::find_if(reason.candidates, [&](const LayoutCandidate& c) { return c.layout == describe(wish.plan); });
        if (known == reason.candidates.end()) {
            const I passes = layout::matrixPasses(*bestLayout(wish.plan, shapeOf(*buffer), bits), bits);
            reason.candidates.push_back({describe(wish.plan), wish.by, wish.where, passes, isSame(wish.plan, chosen.plan)});
        } else if (!wish.by.empty() && known->wantedBy.find(wish.by) == std::string::npos) {
            known->wantedBy += ", " + wish.by;
        }
    }
    return reason;
}

}  // namespace tw::passes

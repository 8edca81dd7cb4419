// Layouts that operations ask for in shared memory.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/passes/pass.h"
#include "core/passes/plan_product.h"

namespace tw::passes {

class SharedWishes {
public:
    // An operand of a product. Of two products that read one tile the pickier one decides: panels before swizzled rows, narrow panels before
    // wide ones. `by`: the operand in words.
    void add(const ir::BufferNode* buffer, const ProductOperandPlan& plan, std::string by, const ir::Provenance& where);
    // A side of a bulk copy, which knows panels and plain rows and nothing else.
    void addBulkCopy(const ir::BufferNode* buffer, const ir::Provenance& where);

    [[nodiscard]] bool isPlain(const ir::BufferNode* buffer) const { return plain_.contains(buffer); }
    // Empty if nobody asks for a layout.
    [[nodiscard]] Ref<const ir::LayoutMap> layoutOf(const ir::BufferNode* buffer) const;
    // Who asked for what. The cost of a candidate (counted): passes in which shared memory serves 8 rows of 16 bytes, which is what ldmatrix
    // and wgmma read at once.
    [[nodiscard]] LayoutReason reasonOf(const ir::BufferNode* buffer) const;

private:
    struct Wish {
        ProductOperandPlan plan;
        std::string by;
        ir::Provenance where;
    };
    [[nodiscard]] const Wish& decisive(const ir::BufferNode* buffer) const;

    std::unordered_map<const ir::BufferNode*, std::vector<Wish>> wishes_;
    std::set<const ir::BufferNode*> plain_;
};

}  // namespace tw::passes

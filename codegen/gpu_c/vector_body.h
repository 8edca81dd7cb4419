// What a vectorized loop does, as seen from its text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/stmt.h"
#include "core/ir/visit.h"

namespace tw::gpu {

// Elements that share bytes in memory.
[[nodiscard]] bool isPacked(ir::DType type);
// Of one thread: never in memory that others see.
[[nodiscard]] bool isRegister(const ir::Buffer& buffer);
// The buffer that owns the storage of a view.
[[nodiscard]] const ir::BufferNode* rootOf(const ir::Buffer& buffer);

struct AccessedElement {
    ir::Buffer buffer;
    std::vector<ir::Expr> indices;
};
[[nodiscard]] bool sameElement(const AccessedElement& a, const AccessedElement& b);

// The stores of a vectorized loop, and its memory accesses that move with the loop.
struct VectorBody {
    struct WideLoad {
        AccessedElement element;
        ir::Expr guard;  // the load happens only where this holds; may be empty
    };
    std::vector<const ir::Store*> stores;
    std::vector<WideLoad> loads;
    std::vector<AccessedElement> wides;  // stored to memory
    bool simple = true;                  // false: must be printed element by element

    VectorBody(const ir::Stmt& body, const ir::ExprNode* var);
    // Whether each access of `extent` elements is one of 1 to 32 bytes, a power of two.
    [[nodiscard]] bool fitsWords(std::int64_t extent) const;
    // Whether it copies neighbouring elements, unchanged and unconditionally.
    [[nodiscard]] bool isCopy() const;
};

// Casts of what is loaded wide become elements of arrays that are converted as a whole.
class WideCasts final : public ir::Rewriter {
public:
    struct Converted {
        std::size_t load;  // in body.loads
        ir::Buffer buffer;
        std::string function;
    };
    WideCasts(const VectorBody& body, std::int64_t extent) : body_(body), extent_(extent) {}
    std::vector<Converted> made;

    using ir::Rewriter::rewrite;
    ir::Expr rewrite(const ir::Expr& e) override;

private:
    ir::Buffer converted(std::size_t load, ir::DType to);

    const VectorBody& body_;
    std::int64_t extent_;
};

}  // namespace tw::gpu

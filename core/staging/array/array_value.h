// A whole-array value of the array dialect: its shape, and an expression for each of its elements.
//
// Values are lazy until a name is bound to them: `at(i, j)` is built from the operands' elements, so a chain of elementwise
// operations becomes one loop nest. Reductions, products and scans are emitted where they are written.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/staging/value.h"

namespace tw::staging {

using Exprs = std::vector<ir::Expr>;

// Where the elements of a value lie in a buffer: axis k of the buffer is read at start[k] + index of axis axes[k] of the
// value, or at start[k] alone where axes[k] is -1.
struct ArrayView {
    ir::Buffer buffer;
    Exprs start;
    std::vector<int> axes;
};

// A buffer that a value reads. `view`: how, where element i of the value reads element i of it; empty: in another way.
struct ArrayRead {
    ir::Buffer buffer;
    std::optional<ArrayView> view;
};

struct ArrayValue {
    Exprs shape;        // empty: a scalar
    ir::DType dtype;
    bool weak = false;  // made of literals, extents and loop variables only: takes the dtype of what it meets
    std::function<ir::Expr(const Exprs&)> at;
    std::vector<ArrayRead> reads;
    // Memory that this value is: assignable, and the same array under every name. Scalars lie in a buffer of shape (1,).
    ir::Buffer storage;
    std::optional<ArrayView> view;  // a slice or the whole of a buffer, with unit steps
    // a * b where both are narrower than the sums they may feed: recognised by `+=`.
    std::shared_ptr<const ArrayValue> left, right;
};
using ArrayRef = std::shared_ptr<const ArrayValue>;

[[nodiscard]] inline int rankOf(const ArrayValue& value)
{
    return static_cast<int>(value.shape.size());
}

}  // namespace tw::staging

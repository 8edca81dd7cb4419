// Element-wise functions over lanes: arithmetic, comparison, mathematics.
#pragma once

#include <cstddef>

#include "core/interp/lanes.h"
#include "core/ir/expr.h"

namespace tw::interp {

// n results in `out`; operand k stands at in[k], stride[k] (0 or 1) lanes apart. `out` overlaps no operand. `type` is the
// operands' (all have one type unless said otherwise).
struct ElementArgs {
    Lane* out = nullptr;
    const Lane* in[3] = {nullptr, nullptr, nullptr};
    int stride[3] = {0, 0, 0};
    std::size_t n = 0;
    ir::DType type;
};
using ElementFn = void (*)(const ElementArgs&);

// What must be done to the results of a function before they are values of its dtype.
enum class Finish : std::uint8_t { kNone, kRound, kWrap };

struct ElementOp {
    ElementFn fn = nullptr;
    Finish finish = Finish::kNone;
    bool inexact = false;  // its result is not the exact one even before rounding (exp, sin, …)
};

// `type` is the operands' type. Comparisons give 0 or 1. Integer division by zero gives 0.
[[nodiscard]] ElementOp unaryOp(ir::UnaryOp op, ir::DType type);
[[nodiscard]] ElementOp binaryOp(ir::BinaryOp op, ir::DType type);
// in[0] is the condition.
[[nodiscard]] ElementFn selectOp();
// Operations of class kMath with one to three operands of one type. fn is null for what is no element function.
// `mode`: rounding_mode of ieee_* and round.
[[nodiscard]] ElementOp mathOp(ir::OpId op, ir::DType type, const std::string& mode);

}  // namespace tw::interp

// Integer expressions as small stack programs, for questions that are answered by trying every value.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/ir/expr.h"

namespace tw::arith {

class Evaluation {
public:
    // Empty if `e` has anything but integers, bools, operators and `vars`.
    [[nodiscard]] static std::optional<Evaluation> compile(const ir::Expr& e, std::span<const ir::ExprNode* const> vars);

    // The value, one input a variable; empty for a division by zero. Arithmetic is in 64 bits.
    [[nodiscard]] std::optional<std::int64_t> run(std::span<const std::int64_t> values);

    // The values for variable `along` = 0, 1, … results.size() - 1, the others as in `values`. False, with nothing to read in `results`, if
    // any of them has none. Costs a fraction of as many calls of `run`.
    [[nodiscard]] bool runAlong(std::span<const std::int64_t> values, std::size_t along, std::span<std::int64_t> results);

private:
    enum class Code : std::uint8_t { kConstant, kVariable, kBinary, kUnary, kSelect, kWrap };
    struct Step {
        Code code;
        std::uint8_t op = 0;
        ir::DType type;
        std::int64_t value = 0;
    };

    bool add(const ir::Expr& e, std::span<const ir::ExprNode* const> vars);

    std::vector<Step> steps_;
    std::vector<std::int64_t> stack_;
};

}  // namespace tw::arith

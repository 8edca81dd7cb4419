// Expressions, regions and operations as TileLang text; private to core/ir.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/print_names.h"

namespace tw::ir {

// A Python string literal.
[[nodiscard]] std::string quoted(std::string_view text);

class ExprPrinter {
public:
    enum class Mode { kSource, kMessage };  // messages leave out what only reading back needs
    ExprPrinter(Names& names, Mode mode) : names_(names), mode_(mode) {}

    // In parentheses if it binds less tightly than `minPrecedence` (print_expr.cpp has the levels).
    [[nodiscard]] std::string expr(const Expr& e, int minPrecedence = 0);
    // The same where a Python number means the constant's type anyway (an operand, a stored value).
    [[nodiscard]] std::string operand(const Expr& e, int minPrecedence = 0);

    enum class Points { kElement, kSlice };  // a region of one element: A[i, j] or A[i:i + 1, j:j + 1]
    [[nodiscard]] std::string region(const Region& r, Points points);
    // `result`: the type of the value, void for a statement.
    [[nodiscard]] std::string call(const OpCall& call, DType result);
    [[nodiscard]] std::string layout(const LayoutMap& map);
    [[nodiscard]] std::string attr(const Attr& value);
    // "a, b, c"
    [[nodiscard]] std::string list(const std::vector<Expr>& exprs);
    // "(a, b)", "(a,)"
    [[nodiscard]] std::string tuple(const std::vector<Expr>& exprs);
    // ", name=value" for each option; those not in `known` go into annotations={…}.
    [[nodiscard]] std::string options(const Attrs& attrs, const std::vector<std::string_view>& known);

    Names& names() { return names_; }
    [[nodiscard]] bool usesReserved() const { return usesReserved_; }
    // "tw.NAME"; remembers that the module is needed.
    [[nodiscard]] std::string reserved(std::string_view name);

private:
    struct Arguments;
    [[nodiscard]] std::string binary(const Binary& b, int minPrecedence);
    [[nodiscard]] std::string number(const FloatImm& f);
    [[nodiscard]] std::string load(const Load& load);
    [[nodiscard]] std::string slice(const Expr& min, const Expr& extent);
    [[nodiscard]] std::string anyOperand(const Operand& operand, Points points);
    [[nodiscard]] std::string plainCall(const OpCall& call, const std::string& name, DType result);
    [[nodiscard]] std::string reservedCall(const OpCall& call, DType result);
    [[nodiscard]] std::string copyCall(const OpCall& call);
    [[nodiscard]] std::string annotation(const OpCall& call);

    Names& names_;
    Mode mode_;
    bool usesReserved_ = false;
};

}  // namespace tw::ir

// What values an integer expression can take, from the loops, launches and bindings around it.
#pragma once

#include <map>
#include <optional>

#include "core/ir/stmt.h"

namespace tw::passes {

// Both ends inclusive.
struct Interval {
    std::int64_t low = 0, high = 0;
};

class Ranges {
public:
    // Symbolic extents are at least 1.
    void addSymbols(const ir::Function& function);
    void add(const ir::For& loop);
    void add(const ir::Launch& launch);
    void add(const ir::Bind& bind);
    void set(const ir::Var& var, Interval interval) { known_[var.get()] = interval; }

    // Empty if nothing useful is known. Never narrower than the truth.
    [[nodiscard]] std::optional<Interval> of(const ir::Expr& e) const;
    // True or false where a comparison is certain.
    [[nodiscard]] std::optional<bool> decide(const ir::Expr& condition) const;

private:
    [[nodiscard]] std::optional<Interval> ofBinary(const ir::Binary& e) const;
    std::map<const ir::ExprNode*, Interval> known_;
};

}  // namespace tw::passes

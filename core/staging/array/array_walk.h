// Names in statements: what is assigned, what is read where.
#pragma once

#include <set>
#include <string>

#include "core/syntax/ast.h"

namespace tw::staging {

// `out`: names that assignments, loop targets and ":=" bind. `changed`: names with `op=`.
void collectAssigned(const syntax::Block& block, std::set<std::string>& out, std::set<std::string>& changed);
// Names read in `block` but outside of `range`.
[[nodiscard]] std::set<std::string> namesReadOutside(const syntax::Block& block, const SourceRange& range);
}  // namespace tw::staging

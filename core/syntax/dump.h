// The tree as text, for goldens and for looking at it.
//
// One statement a line, blocks indented by two spaces, expressions as (Kind child …); an absent child is "-".
#pragma once

#include <string>

#include "core/syntax/ast.h"

namespace tw::syntax {

enum class DumpRanges { kNone, kBytes };  // kBytes: "@begin-end" behind every kind

[[nodiscard]] std::string dump(const Module& module, DumpRanges ranges = DumpRanges::kNone);
[[nodiscard]] std::string dump(const Expr& expr, DumpRanges ranges = DumpRanges::kNone);

}  // namespace tw::syntax

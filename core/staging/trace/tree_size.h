// How large an expression is where its shared parts are written out.
#pragma once

#include <string_view>

#include "core/ir/expr.h"
#include "core/staging/evaluator.h"

namespace tw::staging {

// `x = x + x` in a helper doubles the tree each time, and whoever reads it later reads all of it: an expression that has too
// many operations where its shared parts are written out, or too many levels, is an error at `range`. `instead` says what to do.
void checkSize(Evaluator& ev, const ir::Expr& e, const SourceRange& range, std::string_view instead);

}  // namespace tw::staging

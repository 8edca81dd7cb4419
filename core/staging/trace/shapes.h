// Shapes as arguments of natives.
#pragma once

#include <vector>

#include "core/staging/trace/native.h"

namespace tw::staging {

// Extents that may be symbolic, none negative.
[[nodiscard]] std::vector<ir::Expr> globalShape(const Native& n, const char* argument);
[[nodiscard]] std::vector<ir::Expr> globalExtents(const Native& n, const std::vector<Value>& items, const SourceRange& range);
// Positive constants; run-time extents are reported.
[[nodiscard]] std::vector<ir::Expr> constantShape(const Native& n, const char* argument);
// The buffer whose element 0 an address names (buf.data, T.access_ptr(buf)); null if it is another address.
[[nodiscard]] ir::Buffer baseOf(const ir::Expr& address);

}  // namespace tw::staging

// The reasons of layouts as text, for people.
#pragma once

#include <string>

#include "core/passes/pass.h"
#include "core/support/source.h"

namespace tw::passes {

// A line with the buffer and its layout, one with who decided it, then a line for each candidate with its cost; the chosen one is marked "*".
// Ends with a line end. `sources`: where the operations' ranges lie.
[[nodiscard]] std::string reasonText(const LayoutReason& reason, const SourceSet& sources);

}  // namespace tw::passes

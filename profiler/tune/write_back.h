// The winner's values as edits of the source.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "core/staging/program.h"
#include "core/support/diagnostic.h"

namespace tw::tune {

// Replaces defaults of the kernel's parameters in the opened file. Fails with one sentence where the edit would not certainly give
// these values to `instance`: a list of configurations decides them, its call gives them itself, the default is computed, or stands in
// another file. No edits: the source has these values already.
[[nodiscard]] tl::expected<std::vector<FixIt>, std::string> editsFor(const staging::Kernel& kernel, const staging::Instance* instance,
                                                                     const staging::Bindings& values, const SourceSet& sources);

// The text with the edits made; they do not overlap.
[[nodiscard]] std::string applied(std::string_view text, std::vector<FixIt> edits);

}  // namespace tw::tune

// What an author asks for and does not get: options, annotations and flags that are right and have nothing to act on. Each is said
// with one code, so that no wish is dropped in silence and scripts can tell these warnings from others.
#pragma once

#include <string>

#include "core/support/diagnostic.h"

namespace tw {

// `message` names the wish and says why it has no effect: "k_pack has no effect: …". A warning; the program stays right.
void hintIgnored(DiagnosticSink& sink, const SourceRange& range, std::string message);

}  // namespace tw

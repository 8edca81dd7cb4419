// Which elements a copy-like operation moves: the extent inference of language.md d.6, exactly.
#pragma once

#include <utility>

#include "core/staging/trace/regions.h"

namespace tw::staging {

// Regions of equal shape but for axes of extent 1. Both sides are no anchors only. `name` ("T.copy") is for messages.
struct CopyRegions {
    ir::Region src, dst;
};
[[nodiscard]] CopyRegions inferCopyRegions(Evaluator& ev, const TileOperand& src, const TileOperand& dst, const std::string& name,
                                           const SourceRange& range);

}  // namespace tw::staging

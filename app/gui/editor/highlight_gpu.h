// Colours of what a GPU's back end writes: CUDA text, PTX, SASS. Called by highlight().
#pragma once

#include "app/gui/editor/highlight.h"

namespace tw::gui {

[[nodiscard]] std::vector<Style> highlightCuda(std::string_view text);
[[nodiscard]] std::vector<Style> highlightPtx(std::string_view text);
[[nodiscard]] std::vector<Style> highlightSass(std::string_view text);

}  // namespace tw::gui

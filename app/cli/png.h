// Pictures as PNG. tilec draws SVG; `tilewright`, the window's program beside it, turns that into pixels without a window.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace tw::cli {

// Writes `path`. Fails with one sentence; one that starts "not supported: " where there is no tilewright beside tilec.
[[nodiscard]] tl::expected<void, std::string> writePng(const std::string& svg, const std::string& path);

}  // namespace tw::cli

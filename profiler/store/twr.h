// One capture in one file, `NAME.twr`: what a server measured, to look at elsewhere. Needs no GPU and no source file.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "profiler/capture/capture.h"

namespace tw::store {

// The form: the eight bytes of kTwrMark, then `pack` (blob.h) of the capture's JSON. The mark ends as PNG's does, so that a
// transfer that converts line ends is noticed at once.
inline constexpr std::string_view kTwrMark{"TWR1\r\n\x1a\n", 8};

[[nodiscard]] std::string toTwr(const capture::Capture& capture);
// Fails with a sentence on anything else, cut or changed; never throws, whatever the bytes.
[[nodiscard]] tl::expected<capture::Capture, std::string> fromTwr(std::string_view bytes);

// Written whole or not at all (file.h). Failures name the path.
[[nodiscard]] tl::expected<void, std::string> writeTwr(const std::string& path, const capture::Capture& capture);
[[nodiscard]] tl::expected<capture::Capture, std::string> readTwr(const std::string& path);

}  // namespace tw::store

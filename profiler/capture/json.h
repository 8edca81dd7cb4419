// Captures as JSON: the form in which they travel (protocol), are kept (.twr files, the store) and are exported.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "profiler/capture/capture.h"

namespace tw::capture {

inline constexpr int kFormat = 1;  // of the document; a newer one is refused, fields that an older one lacks keep their defaults

// UTF-8; bytes that are not travel as U+FFFD. Infinities and NaN travel as strings.
[[nodiscard]] std::string toJson(const Capture& capture);
// Fails with a sentence on anything that is not a capture; never throws, whatever the bytes.
[[nodiscard]] tl::expected<Capture, std::string> fromJson(std::string_view text);

}  // namespace tw::capture

// SHA-256 (FIPS 180-4).
#pragma once

#include <string>
#include <string_view>

namespace tw::cuda {

// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace tw::cuda

// Bytes, smaller: one form in the store and in .twr files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace tw::store {

// No capture is larger than this, in bytes of its JSON; what says that it is, is damaged or hostile.
inline constexpr std::uint64_t kLargestCapture = 512ULL << 20;

// The number of bytes (8 bytes, little-endian), then a zlib stream (RFC 1950), which carries a checksum of them.
[[nodiscard]] std::string pack(std::string_view bytes);
// Fails with a sentence on anything that `pack` did not write, cut or changed; allocates at most `limit` bytes.
[[nodiscard]] tl::expected<std::string, std::string> unpack(std::string_view packed, std::uint64_t limit = kLargestCapture);

}  // namespace tw::store

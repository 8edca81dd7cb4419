// Whole files, read with a limit and written whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace tw::store {

// Fails with "cannot read PATH: …", also for a folder, a device and a file of more than `limit` bytes.
[[nodiscard]] tl::expected<std::string, std::string> readWhole(const std::string& path, std::uint64_t limit);

// A reader sees the old file or the new one, never a part, also after a crash: the bytes go to another name in the same
// folder, to the disk, and then take the place. What is there and no regular file (a pipe, /dev/stdout) is written directly.
// Fails with "cannot write PATH: …"; the old file is then as it was.
[[nodiscard]] tl::expected<void, std::string> writeWhole(const std::string& path, std::string_view bytes);

}  // namespace tw::store

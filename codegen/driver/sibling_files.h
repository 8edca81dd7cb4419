// Files that a program may import: those beside it and those of the packages that it belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tw::driver {

constexpr std::uintmax_t kLargestSibling = 4 << 20;  // bytes; a larger file is no kernel helper

// Text of the module at `path` for a file in `folder`: "helpers" is helpers.py beside it, "pkg/__init__" a package beside it, "../utils" one
// of the package around it, and "mine/utils" one of a package `mine` that the file lies in. Upwards only packages are read: folders with an
// __init__.py, or beside such ones. Nothing if there is no such file or it is too large. Any thread; reads the file system, executes nothing.
[[nodiscard]] std::optional<std::string> readSiblingFile(const std::string& folder, const std::string& path);

}  // namespace tw::driver

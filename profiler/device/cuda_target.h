// Which of our targets a GPU runs.
#pragma once

#include <optional>
#include <string>

namespace tw::device {

// The best target of the table for a compute capability: "sm_90a" for 9.0, "sm_86" for 8.6 and 8.7. Machine code runs on GPUs of
// its own major number and a minor one that is not below its own; that of an "a" target on exactly its own.
[[nodiscard]] std::optional<std::string> targetFor(int major, int minor);
// Whether machine code for `target` runs there.
[[nodiscard]] bool runsOn(const std::string& target, int major, int minor);

}  // namespace tw::device

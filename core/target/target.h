// Targets are numbers in one table, targets.def. How a language spells things is the back end's business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tw::target {

enum class Kind : std::uint8_t { kCuda, kHip, kMetal, kCpu };

struct Target {
    std::string name;  // "sm_90a", "gfx942", "apple", "cpu"
    Kind kind = Kind::kCuda;
    int compute = 0;             // CUDA: 90 for sm_90a; else 0
    int warpSize = 32;
    int multiprocessors = 0;     // of the model that device queries answer for
    int maxThreadsPerBlock = 1024;
    std::int64_t sharedBytesPerBlock = 0;  // largest dynamic shared memory of one block, opt-in included
    std::int64_t sharedBytesPerMultiprocessor = 0;
    int registersPerMultiprocessor = 65536;
    int maxThreadsPerMultiprocessor = 2048;
    bool operator==(const Target&) const = default;

    [[nodiscard]] bool isCuda() const { return kind == Kind::kCuda; }
    [[nodiscard]] bool hasCpAsync() const { return isCuda() && compute >= 80; }
    [[nodiscard]] bool hasFp8() const { return isCuda() && compute >= 89; }
    [[nodiscard]] bool hasTma() const { return isCuda() && compute >= 90; }  // TMA, mbarrier transactions, clusters, wgmma
    [[nodiscard]] bool hasTensorMemory() const { return isCuda() && compute >= 100; }
};

// Every spelling of cli.md: "sm_90" and "sm_90a", "cuda", "cuda -arch=sm_80", "hip", "rocm", "metal", "c", "llvm", "cpu", and
// a dict printed as "{'kind': 'cuda', 'arch': 'sm_90'}". Empty for anything else.
[[nodiscard]] std::optional<Target> parse(std::string_view text);
[[nodiscard]] const Target& defaultTarget();  // sm_90a
[[nodiscard]] const std::vector<Target>& all();

}  // namespace tw::target

// Cubins on disk, so that a kernel is compiled once.
//
// Safe against other processes: a file is written under another name and then renamed. Safe against broken files: each
// carries its own checksum, and one that does not fit is removed and compiled again. A cache that cannot be read or written
// is no failure: the kernel is compiled. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tw::cuda {

// Everything that decides what comes out of the compiler.
struct CubinKey {
    std::string text;                  // CUDA
    std::vector<std::string> options;  // of the compiler, in order
    std::string compiler;              // "nvrtc 13.0"
    std::string target;                // "sm_90a"

    [[nodiscard]] std::string digest() const;  // of all of it; 64 hexadecimal digits
};

class CubinCache {
public:
    static constexpr std::int64_t kDefaultBytes = 512 << 20;

    // `folder` is made when something is stored. Empty: no cache.
    explicit CubinCache(std::filesystem::path folder, std::int64_t maxBytes = kDefaultBytes);

    // $XDG_CACHE_HOME/tilewright/cubin, else ~/.cache/tilewright/cubin; empty where neither variable is set.
    [[nodiscard]] static std::filesystem::path defaultFolder();

    [[nodiscard]] std::optional<std::string> find(const CubinKey& key) const;
    // Then removes the files that nobody has used for longest until the folder holds at most `maxBytes`.
    void store(const CubinKey& key, std::string_view cubin) const;

private:
    [[nodiscard]] std::filesystem::path pathOf(const CubinKey& key) const;
    void trim() const;

    std::filesystem::path folder_;
    std::int64_t maxBytes_;
};

}  // namespace tw::cuda

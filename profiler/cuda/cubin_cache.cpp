#include "profiler/cuda/cubin_cache.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>

#include "profiler/cuda/sha256.h"

namespace tw::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "TWCUBIN1\n";
constexpr std::size_t kDigestBytes = 64;
constexpr const char* kTemporary = ".new-";

void addField(std::string& out, std::string_view field) { out += fmt::format("{}:{}\n", field.size(), field); }

// A file that a process left behind when it was killed while writing.
bool isAbandoned(const fs::path& path, fs::file_time_type changed)
{
    return path.filename().string().starts_with(kTemporary) && fs::file_time_type::clock::now() - changed > std::chrono::hours(1);
}

bool writeWhole(const std::string& path, const std::string& bytes)
{
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    std::size_t written = 0;
    while (written < bytes.size()) {
        const ssize_t n = ::write(file, bytes.data() + written, bytes.size() - written);
        if (n <= 0)
            break;
        written += static_cast<std::size_t>(n);
    }
    return (::close(file) == 0) && written == bytes.size();
}

}  // namespace

std::string CubinKey::digest() const
{
    // Lengths before the fields: no two keys write the same bytes.
    std::string all;
    addField(all, text);
    addField(all, fmt::format("{}", options.size()));
    for (const std::string& option : options)
        addField(all, option);
    addField(all, compiler);
    addField(all, target);
    return sha256(all);
}

CubinCache::CubinCache(fs::path folder, std::int64_t maxBytes) : folder_(std::move(folder)), maxBytes_(maxBytes) {}

fs::path CubinCache::defaultFolder()
{
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && *cache == '/')  // the specification tells to ignore relative ones
        return fs::path(cache) / "tilewright" / "cubin";
    const char* home = std::getenv("HOME");
    return home && *home ? fs::path(home) / ".cache" / "tilewright" / "cubin" : fs::path();
}

fs::path CubinCache::pathOf(const CubinKey& key) const { return folder_ / (key.digest() + ".cubin"); }

std::optional<std::string> CubinCache::find(const CubinKey& key) const
{
    if (folder_.empty())
        return std::nullopt;
    const fs::path path = pathOf(key);
    std::ifstream in(path, std::ios::binary);
    if (!in)
        return std::nullopt;
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::error_code ignored;
    const std::string_view view = bytes;
    const std::size_t start = kMagic.size() + kDigestBytes;
    if (!view.starts_with(kMagic) || view.size() < start || sha256(view.substr(start)) != view.substr(kMagic.size(), kDigestBytes)) {
        fs::remove(path, ignored);
        return std::nullopt;
    }
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // used now
    return bytes.substr(start);
}

void CubinCache::store(const CubinKey& key, std::string_view cubin) const
{
    if (folder_.empty())
        return;
    std::error_code error;
    fs::create_directories(folder_, error);
    const fs::path path = pathOf(key);
    const std::string temporary = (folder_ / fmt::format("{}{}-{}", kTemporary, ::getpid(), path.stem().string())).string();
    std::string bytes(kMagic);
    bytes += sha256(cubin);
    bytes += cubin;
    if (writeWhole(temporary, bytes))
        fs::rename(temporary, path, error);
    fs::remove(temporary, error);  // there only if something failed
    trim();
}

void CubinCache::trim() const
{
    struct File {
        fs::path path;
        fs::file_time_type used;
        std::int64_t bytes;
    };
    std::vector<File> files;
    std::int64_t total = 0;
    std::error_code error;
    for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
        std::error_code gone;  // another process may remove files at the same time
        const auto used = fs::last_write_time(it->path(), gone);
        const auto bytes = gone ? 0 : static_cast<std::int64_t>(fs::file_size(it->path(), gone));
        if (gone)
            continue;
        if (isAbandoned(it->path(), used))
            fs::remove(it->path(), gone);
        else if (it->path().extension() == ".cubin")
            files.push_back({it->path(), used, bytes}), total += bytes;
    }
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
    for (const File& file : files) {
        if (total <= maxBytes_)
            break;
        fs::remove(file.path, error);
        total -= file.bytes;
    }
}

}  // namespace tw::cuda

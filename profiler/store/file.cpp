#include "profiler/store/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include <fmt/core.h>

namespace tw::store {
namespace {

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor()
    {
        if (number_ >= 0)
            ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return number_; }
    // Some file systems report a full disk only here.
    [[nodiscard]] bool close()
    {
        const int number = number_;
        number_ = -1;
        return ::close(number) == 0;
    }

private:
    int number_;
};

bool writeBytes(int descriptor, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

tl::unexpected<std::string> failure(const char* what, const std::string& path)
{
    return tl::unexpected(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

// The rename itself must reach the disk; a file system that cannot do that has no better to offer.
void syncFolder(const std::filesystem::path& folder)
{
    const Descriptor descriptor(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (descriptor.get() >= 0)
        (void)::fsync(descriptor.get());
}

tl::expected<void, std::string> writeDirectly(const std::string& path, std::string_view bytes)
{
    Descriptor out(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (out.get() < 0 || (!writeBytes(out.get(), bytes) && errno != EPIPE))
        return failure("write", path);
    return {};
}

}  // namespace

tl::expected<std::string, std::string> readWhole(const std::string& path, std::uint64_t limit)
{
    const Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat about {};
    if (in.get() < 0 || ::fstat(in.get(), &about) != 0)
        return failure("read", path);
    if (!S_ISREG(about.st_mode))
        return tl::unexpected(fmt::format("cannot read {}: it is no regular file", path));
    if (static_cast<std::uint64_t>(about.st_size) > limit)
        return tl::unexpected(fmt::format("cannot read {}: it has {} MiB, and {} are allowed", path, about.st_size >> 20, limit >> 20));
    std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
    std::size_t have = 0;
    while (have < bytes.size()) {
        const ssize_t n = ::read(in.get(), bytes.data() + have, bytes.size() - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failure("read", path);
        if (n == 0)
            break;
        have += static_cast<std::size_t>(n);
    }
    bytes.resize(have);
    return bytes;
}

tl::expected<void, std::string> writeWhole(const std::string& path, std::string_view bytes)
{
    struct stat about {};
    const bool isThere = ::stat(path.c_str(), &about) == 0;
    if (isThere && S_ISDIR(about.st_mode))
        return tl::unexpected(fmt::format("cannot write {}: it is a folder", path));
    if (isThere && !S_ISREG(about.st_mode))
        return writeDirectly(path, bytes);
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const std::string temporary = fmt::format("{}.{}.{}.part", path, ::getpid(), now);
    Descriptor out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (out.get() < 0)
        return failure("write", path);
    const bool hasMode = !isThere || ::fchmod(out.get(), about.st_mode & 07777) == 0;
    if (!hasMode || !writeBytes(out.get(), bytes) || ::fsync(out.get()) != 0 || !out.close() ||
        ::rename(temporary.c_str(), path.c_str()) != 0) {
        const int error = errno;
        ::unlink(temporary.c_str());
        errno = error;
        return failure("write", path);
    }
    syncFolder(std::filesystem::path(path).parent_path());
    return {};
}

}  // namespace tw::store

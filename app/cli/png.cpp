#include "app/cli/png.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include "app/cli/own_program.h"
#include "profiler/store/file.h"

namespace tw::cli {
namespace {

namespace fs = std::filesystem;

fs::path windowProgram() { return ownProgram().parent_path() / "tilewright"; }

// A file that goes with the object.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& text)
    {
        std::string pattern = (fs::temp_directory_path() / "tilec-XXXXXX").string();
        if (const int fd = ::mkstemp(pattern.data()); fd >= 0) {
            ::close(fd);
            path_ = pattern;
            written_ = store::writeWhole(path_, text);
        }
    }
    ~TemporaryFile()
    {
        std::error_code error;
        if (!path_.empty())
            fs::remove(path_, error);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] bool isWritten() const { return !path_.empty() && written_; }

private:
    std::string path_;
    tl::expected<void, std::string> written_;
};

// The exit status; -1 where it could not be started or was killed. It needs no display and says what is wrong on standard error.
int runOffscreen(const fs::path& program, const std::string& svg, const std::string& png)
{
    ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
    std::string name = program.string(), from = svg, to = png, shot = "--shot", picture = "--svg";
    char* arguments[] = {name.data(), shot.data(), to.data(), picture.data(), from.data(), nullptr};
    pid_t child = 0;
    if (::posix_spawn(&child, name.c_str(), nullptr, nullptr, arguments, environ) != 0)
        return -1;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

tl::expected<void, std::string> writePng(const std::string& svg, const std::string& path)
{
    const fs::path program = windowProgram();
    if (::access(program.c_str(), X_OK) != 0)
        return tl::unexpected(fmt::format("not supported: PNG is drawn by tilewright, and there is none at {}: install it there, or export --format svg", program.string()));
    const TemporaryFile picture(svg);
    if (!picture.isWritten())
        return tl::unexpected(fmt::format("cannot write a temporary file in {}", fs::temp_directory_path().string()));
    if (const int status = runOffscreen(program, picture.path(), fs::absolute(path).string()); status != 0)
        return tl::unexpected(fmt::format("{} could not draw {} (status {})", program.string(), path, status));
    return {};
}

}  // namespace tw::cli

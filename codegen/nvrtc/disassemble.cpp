// SASS by nvdisasm; line maps of SASS and PTX.
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "codegen/nvrtc/nvrtc.h"
#include "codegen/nvrtc/places.h"
#include "codegen/nvrtc/toolkit.h"

extern char** environ;

namespace tw::nvrtc {

namespace {

bool isExecutable(const std::string& path)
{
    struct stat s {};
    return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// A file that disappears with the scope.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& bytes)
    {
        const char* folder = std::getenv("TMPDIR");
        path_ = std::string(folder && *folder ? folder : "/tmp") + "/tilewright-XXXXXX";
        const int descriptor = ::mkstemp(path_.data());
        if (descriptor < 0)
            return;
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t n = ::write(descriptor, bytes.data() + done, bytes.size() - done);
            if (n <= 0)
                break;
            done += static_cast<std::size_t>(n);
        }
        ok_ = done == bytes.size();
        ::close(descriptor);
    }
    ~TemporaryFile() { ::unlink(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
    bool ok_ = false;
};

// What the command writes to its standard output; empty if it fails.
std::string outputOf(const std::vector<std::string>& command)
{
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
        return {};
    std::vector<char*> arguments;
    for (const std::string& a : command)
        arguments.push_back(const_cast<char*>(a.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int started = ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    std::string out;
    std::array<char, 65536> buffer{};
    while (started == 0) {
        const ssize_t n = ::read(pipe[0], buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        out.append(buffer.data(), static_cast<std::size_t>(n));
    }
    ::close(pipe[0]);
    int status = 0;
    if (started != 0 || ::waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return {};
    return out;
}

}  // namespace

tl::expected<std::string, std::string> disassemblerPath()
{
    for (const std::string& folder : toolkitFolders("bin"))
        if (const std::string path = folder + "/nvdisasm"; isExecutable(path))
            return path;
    if (const char* search = std::getenv("PATH")) {
        std::istringstream in(search);
        for (std::string folder; std::getline(in, folder, ':');)
            if (const std::string path = folder + "/nvdisasm"; isExecutable(path))
                return path;
    }
    return tl::unexpected(std::string("nvdisasm is not on this machine: install the CUDA toolkit, or pip install nvidia-cuda-nvdisasm, or set CUDA_HOME"));
}

tl::expected<Sass, Failure> disassemble(const std::string& cubin, const gpu::GpuProgram& program, const SourceSet* sources)
{
    const auto path = disassemblerPath();
    if (!path)
        return tl::unexpected(Failure{FailureKind::kMissing, path.error(), {}});
    const TemporaryFile file(cubin);
    if (!file.ok())
        return tl::unexpected(Failure{FailureKind::kRejected, "a temporary file cannot be written", {}});
    const std::string raw = outputOf({*path, "-gi", "-c", file.path()});
    if (raw.empty())
        return tl::unexpected(Failure{FailureKind::kRejected, fmt::format("{} does not understand this cubin", *path), {}});

    // `//## File "user.py", line 12 inlined at "user.py", line 5` stands in front of the instructions that it speaks of.
    static const std::regex location("\"([^\"]*)\", line ([0-9]+)");
    const PlaceFinder places(program, sources);
    Sass sass;
    gpu::LineSource current;
    int number = 0;
    bool continues = false;
    std::istringstream in(raw);
    for (std::string line; std::getline(in, line);) {
        if (line.find("//##") != std::string::npos) {
            // The chain of calls goes outwards from line to line: the first place of the program's own counts.
            if (!continues)
                current = {};
            continues = true;
            for (std::sregex_iterator it(line.begin(), line.end(), location), end; it != end && !current.source.isKnown(); ++it)
                current = places.find((*it)[1], std::stoi((*it)[2]));
            continue;
        }
        continues = false;
        if (line.find(".section") != std::string::npos)
            current = {};
        (sass.text += line) += '\n';
        ++number;
        if (current.source.isKnown() && line.find("/*") != std::string::npos)
            sass.lines.push_back({number, current.source, current.op});
    }
    return sass;
}

std::vector<gpu::LineSource> ptxLines(const std::string& ptx, const gpu::GpuProgram& program, const SourceSet* sources)
{
    static const std::regex file(R"re(^\s*\.file\s+(\d+)\s+"([^"]*)")re");
    static const std::regex loc(R"(^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(.*)$)");
    static const std::regex inlined(R"(inlined_at\s+(\d+)\s+(\d+))");
    std::map<int, std::string> names;
    {
        std::istringstream in(ptx);
        for (std::string line; std::getline(in, line);)
            if (std::smatch m; line.find(".file") != std::string::npos && std::regex_search(line, m, file))
                names[std::stoi(m[1])] = m[2];
    }
    const PlaceFinder places(program, sources);
    std::map<std::pair<int, int>, gpu::LineSource> known;
    const auto place = [&](int which, int line) {
        auto [it, fresh] = known.try_emplace({which, line});
        if (fresh)
            it->second = places.find(names[which], line);
        return it->second;
    };
    std::vector<gpu::LineSource> out;
    gpu::LineSource current;
    int number = 0;
    std::istringstream in(ptx);
    for (std::string line; std::getline(in, line);) {
        ++number;
        std::smatch m;
        if (line.find(".loc") != std::string::npos && std::regex_match(line, m, loc)) {
            current = place(std::stoi(m[1]), std::stoi(m[2]));
            const std::string rest = m[3];
            if (std::smatch at; !current.source.isKnown() && std::regex_search(rest, at, inlined))
                current = place(std::stoi(at[1]), std::stoi(at[2]));
            continue;
        }
        if (line == "}")
            current = {};
        else if (current.source.isKnown() && line.find(';') != std::string::npos)
            out.push_back({number, current.source, current.op});
    }
    return out;
}

}  // namespace tw::nvrtc

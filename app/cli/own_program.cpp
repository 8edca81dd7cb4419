#include "app/cli/own_program.h"

#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>

namespace tw::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExecutable = "/proc/self/exe";

// The file that the code of this function was mapped from, by /proc/self/maps: "START-END rwxp OFFSET DEVICE INODE PATH", addresses in hex.
fs::path mappedFile()
{
    const auto here = reinterpret_cast<std::uintptr_t>(&mappedFile);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::uintptr_t begin = 0, end = 0;
        char dash = 0;
        words >> std::hex >> begin >> dash >> end;
        const std::size_t path = line.find('/');
        if (begin <= here && here < end && path != std::string::npos)
            return line.substr(path);
    }
    return {};
}

// The words that this process was started with.
std::vector<std::string> ownWords()
{
    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, '\0');)
        words.push_back(word);
    return words;
}

// The loader that was told to run `program`, and what it was told: {"ld-linux.so", "--library-path", "L", "tilec"}. Absent where none was.
std::optional<std::vector<std::string>> loaderCommand(const fs::path& program)
{
    std::error_code error;
    std::vector<std::string> words = ownWords();
    for (std::size_t i = 1; i < words.size(); ++i)
        if (fs::equivalent(words[i], program, error)) {
            words.resize(i + 1);
            words.front() = fs::read_symlink(kExecutable, error).string();
            return words;
        }
    return std::nullopt;
}

}  // namespace

fs::path ownProgram()
{
    std::error_code error;
    const fs::path executable = fs::read_symlink(kExecutable, error), mapped = mappedFile();
    const fs::path program = mapped.empty() ? executable : mapped;
    return fs::exists(program, error) ? program : kExecutable;
}

std::vector<std::string> ownRunnerCommand()
{
    std::error_code error;
    const fs::path program = ownProgram();
    std::vector<std::string> command = {program.string()};
    if (!fs::equivalent(program, kExecutable, error))
        if (auto loader = loaderCommand(program))
            command = std::move(*loader);
    command.emplace_back("serve");
    return command;
}

}  // namespace tw::cli

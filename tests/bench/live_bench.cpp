// From a changed character to every near stage: parse, survey, trace, checks, IR after every pass, unoptimised LLVM IR.
//
//   live_bench [DIR [ROUNDS]]     (default: the samples, 20 rounds)
//
// Each round inserts one space at another place of each file (inside a comment or a blank line, so that it stays a program)
// and compiles from nothing, as the window does. Prints milliseconds per file, then the median and the 95th percentile over
// all files and rounds, next to the goals.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "codegen/driver/compile.h"

namespace {

namespace fs = std::filesystem;
using namespace tw;

constexpr double kMedianGoalMs = 10;
constexpr double kP95GoalMs = 20;

std::string readFile(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

double compileMs(const std::string& name, const std::string& text, std::optional<std::string> target)
{
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>(name, text);
    request.target = std::move(target);
    request.stages = static_cast<unsigned>(driver::StageWanted::kNear);
    const auto start = std::chrono::steady_clock::now();
    const auto snapshot = driver::compile(request);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (!snapshot->ok() || snapshot->passes.empty())
        fmt::print("{}: did not compile: {}\n", name, snapshot->diagnostics.empty() ? "no kernel" : snapshot->diagnostics[0].message);
    return ms;
}

double percentile(std::vector<double> values, double p)
{
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5)];
}

// Ends of lines: places where a space changes nothing but the text.
std::vector<std::size_t> places(const std::string& text)
{
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n' && (i == 0 || text[i - 1] != '\\'))
            found.push_back(i);
    return found;
}

}  // namespace

int main(int argc, char** argv)
{
    const fs::path folder = argc > 1 ? argv[1] : TW_SOURCE_DIR "/samples";
    const int rounds = argc > 2 ? std::stoi(argv[2]) : 20;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".py")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());

    std::vector<double> all;
    for (const fs::path& file : files) {
        const std::string text = readFile(file);
        const auto ends = places(text);
        std::vector<double> own;
        for (int round = 0; round < rounds; ++round) {
            std::string changed = text;
            changed.insert(ends[static_cast<std::size_t>(round) * 7 % ends.size()], " ");
            own.push_back(compileMs(file.filename().string(), changed, "cpu"));
        }
        fmt::print("{:32} median {:7.2f} ms   worst {:7.2f} ms\n", file.filename().string(), percentile(own, 0.5), percentile(own, 1));
        all.insert(all.end(), own.begin(), own.end());
    }
    if (all.empty())
        return 2;
    const double median = percentile(all, 0.5);
    const double p95 = percentile(all, 0.95);
    fmt::print("keystroke to near stages, target cpu, {} files x {} rounds (measured): median {:.2f} ms (goal {}), p95 {:.2f} ms (goal {})\n",
               files.size(), rounds, median, kMedianGoalMs, p95, kP95GoalMs);
    return median <= kMedianGoalMs && p95 <= kP95GoalMs ? 0 : 1;
}

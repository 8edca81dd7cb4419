// From a changed character to every near stage: parse, survey, trace, checks, IR after every pass, unoptimised LLVM IR on the CPU and
// CUDA text on GPUs. Then, where there is an NVRTC, from source to the cubin of sm_90a.
//
//   live_bench [DIR [ROUNDS]]     (default: the samples, 20 rounds)
//
// Each round inserts one space at another place of each file (inside a comment or a blank line, so that it stays a program)
// and compiles from nothing, as the window does. For each target it prints the median and the 95th percentile of every file, then those
// over all files and rounds, next to the goals. Array programs run on the CPU only.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "codegen/driver/compile.h"
#include "codegen/nvrtc/nvrtc.h"

namespace {

namespace fs = std::filesystem;
using namespace tw;

struct Goal {
    const char* target;
    driver::StageWanted text;
    double medianMs, p95Ms;
};
constexpr Goal kGoals[] = {{"cpu", driver::StageWanted::kLlvmIr, 10, 20},
                           {"sm_80", driver::StageWanted::kCuda, 15, 30},
                           {"sm_90a", driver::StageWanted::kCuda, 15, 30}};

std::string readFile(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// As the user waits for it, and as this thread's processor time: on a busy machine only the second is the compiler's.
struct Spent {
    double wallMs = 0, processorMs = 0;
};

double processorMs()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

// Empty if the file does not compile for the target.
std::optional<Spent> compileOnce(const std::string& name, const std::string& text, const Goal& goal)
{
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>(name, text);
    request.target = goal.target;
    request.stages = (static_cast<unsigned>(driver::StageWanted::kNear) & ~static_cast<unsigned>(driver::StageWanted::kLlvmIr)) | static_cast<unsigned>(goal.text);
    const auto start = std::chrono::steady_clock::now();
    const double before = processorMs();
    const auto snapshot = driver::compile(request);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return snapshot->ok() && !snapshot->passes.empty() ? std::optional<Spent>({ms, processorMs() - before}) : std::nullopt;
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

// Whether the goals are reached.
bool measure(const Goal& goal, const std::vector<fs::path>& files, int rounds)
{
    std::vector<double> all, allProcessor;
    std::size_t measured = 0;
    for (const fs::path& file : files) {
        const std::string text = readFile(file), name = file.filename().string();
        const auto ends = places(text);
        std::vector<double> own, processor;
        for (int round = 0; round < rounds; ++round) {
            std::string changed = text;
            changed.insert(ends[static_cast<std::size_t>(round) * 7 % ends.size()], " ");
            if (const auto spent = compileOnce(name, changed, goal)) {
                own.push_back(spent->wallMs);
                processor.push_back(spent->processorMs);
            }
        }
        if (own.empty()) {
            fmt::print("{:8} {:32} does not compile for it\n", goal.target, name);
            continue;
        }
        fmt::print("{:8} {:32} median {:7.2f} ms   p95 {:7.2f} ms   worst {:7.2f} ms   processor median {:7.2f} ms   p95 {:7.2f} ms\n", goal.target, name,
                   percentile(own, 0.5), percentile(own, 0.95), percentile(own, 1), percentile(processor, 0.5), percentile(processor, 0.95));
        all.insert(all.end(), own.begin(), own.end());
        allProcessor.insert(allProcessor.end(), processor.begin(), processor.end());
        ++measured;
    }
    if (all.empty())
        return false;
    const double median = percentile(all, 0.5), p95 = percentile(all, 0.95);
    fmt::print("keystroke to near stages, target {}, {} files x {} rounds (measured): median {:.2f} ms (goal {}), p95 {:.2f} ms (goal {}); processor median {:.2f} ms, p95 {:.2f} ms\n",
               goal.target, measured, rounds, median, goal.medianMs, p95, goal.p95Ms, percentile(allProcessor, 0.5), percentile(allProcessor, 0.95));
    return median <= goal.medianMs && p95 <= goal.p95Ms;
}

// A file's goal from source to cubin with a warm NVRTC, in milliseconds; other files have none.
double cubinGoalMs(const std::string& name)
{
    if (name.find("elementwise") != std::string::npos)
        return 60;
    return name.find("_gemm.py") != std::string::npos ? 600 : 0;
}

// Milliseconds from the file's text to machine code; empty if it does not compile. `round` makes the CUDA text another one, so that no cache
// of NVRTC knows it.
std::optional<double> cubinMs(const std::string& name, const std::string& text, int round)
{
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>(name, text);
    request.target = "sm_90a";
    request.stages = static_cast<unsigned>(driver::StageWanted::kCuda);
    const auto start = std::chrono::steady_clock::now();
    const auto snapshot = driver::compile(request);
    if (!snapshot->ok() || !snapshot->gpuProgram)
        return std::nullopt;
    gpu::GpuProgram program = *snapshot->gpuProgram;
    program.text += fmt::format("extern \"C\" __device__ int round_{};\n", round);
    DiagnosticSink found;
    const auto compiled = nvrtc::compile(program, snapshot->target, &snapshot->program->sources(), found, {});
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return compiled && !compiled->cubin.empty() ? std::optional(ms) : std::nullopt;
}

// Whether the goals are reached, or nothing can be measured.
bool measureCubins(const std::vector<fs::path>& files)
{
    constexpr int kRounds = 5;
    if (const auto version = nvrtc::nvrtcVersion(); !version) {
        fmt::print("source to cubin: not measured: {}\n", version.error());
        return true;
    }
    bool reached = true;
    for (const fs::path& file : files) {
        const std::string text = readFile(file), name = file.filename().string();
        std::vector<double> own;
        for (int round = 0; round <= kRounds; ++round)  // the first one warms NVRTC up
            if (const auto ms = cubinMs(name, text, round); ms && round > 0)
                own.push_back(*ms);
        if (own.empty())
            continue;
        const double goal = cubinGoalMs(name), median = percentile(own, 0.5);
        fmt::print("source to cubin, sm_90a {:32} (measured, {} times): median {:7.1f} ms   worst {:7.1f} ms{}\n", name, own.size(), median, percentile(own, 1),
                   goal > 0 ? fmt::format(" (goal {})", goal) : "");
        reached = reached && (goal == 0 || median <= goal);
    }
    return reached;
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
    bool reached = true;
    for (const Goal& goal : kGoals)
        reached = measure(goal, files, rounds) && reached;
    reached = measureCubins(files) && reached;
    return reached ? 0 : 1;
}

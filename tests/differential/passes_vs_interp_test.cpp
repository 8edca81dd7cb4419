// A pass keeps the meaning: for kernels of the samples (first instance), of the corpus (the first cases that its truth spells out)
// and for random programs the interpreter runs the function before and after the pass, on small whole numbers, and the answers are
// equal to the bit.
//
// What the interpreter cannot run before the pass (calls of C source, searches that never find) is skipped and says why.
#include <pthread.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <regex>
#include <span>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "core/analysis/private_fragments.h"
#include "core/interp/interpreter.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/ir/visit.h"
#include "core/passes/expand_reducers.h"
#include "core/passes/expand_tiles.h"
#include "core/passes/guard_bounds.h"
#include "core/passes/infer_layouts.h"
#include "core/passes/lower_threads.h"
#include "core/passes/normalize.h"
#include "core/passes/schedule_pipelines.h"
#include "core/passes/simplify.h"
#include "core/passes/vectorize_accesses.h"
#include "core/staging/program.h"
#include "core/syntax/parser.h"
#include "profiler/device/arguments.h"
#include "tests/differential/random_program.h"

namespace tw::test {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxElements = 1 << 19;  // of all tensors: larger programs say nothing more and take long
constexpr std::size_t kMaxCases = 2;            // of a program
constexpr double kPatience = 4;                 // seconds of processor time, so that what is compared does not depend on what else runs

std::string contents(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

struct Step {
    const char* name;
    passes::Pass pass;
};
// In the order of the pipeline; each is compared with what came in front of it. The interpreter knows no tensor cores, so threads are
// tried on a target without them, and on one with asynchronous copies where nothing is multiplied.
constexpr Step kSteps[] = {{"normalize", &passes::normalize}, {"simplify", &passes::simplify}, {"expandReducers", &passes::expandReducers}, {"schedulePipelines", &passes::schedulePipelines},
                            {"expandTiles", &passes::expandTiles}, {"guardBounds", &passes::guardBounds}, {"inferLayouts", &passes::inferLayouts}};
constexpr Step kThreadSteps[] = {{"expandReducers", &passes::expandReducers}, {"schedulePipelines", &passes::schedulePipelines}, {"expandTiles", &passes::expandTiles},
                                  {"guardBounds", &passes::guardBounds}, {"inferLayouts", &passes::inferLayouts},
                                  {"lowerThreads", &passes::lowerThreads}, {"simplify", &passes::simplify}, {"vectorizeAccesses", &passes::vectorizeAccesses}};

// Threads add in another order: a few roundings of the type, relative to the tensor's values (sums cancel).
bool isNear(double want, double got, ir::DType type, double scale)
{
    const double slack = type.bits() < 32 ? 1e-2 : type.bits() == 32 ? 2e-5 : 1e-12;
    return want == got || (std::isnan(want) && std::isnan(got)) || std::abs(want - got) <= slack * std::max(std::abs(want), scale);
}

double largest(const interp::Tensor& tensor)
{
    double result = 1e-3;
    for (std::int64_t i = 0; i < tensor.elementCount() && tensor.dtype.isFloating(); ++i)
        if (std::isfinite(tensor.floatAt(i)))
            result = std::max(result, std::abs(tensor.floatAt(i)));
    return result;
}

std::string difference(const interp::Tensor& want, const interp::Tensor& got, bool reordered)
{
    const double scale = reordered ? largest(want) : 0;
    for (std::int64_t i = 0; i < want.elementCount(); ++i) {
        const bool same = want.floatAt(i) == got.floatAt(i) || (std::isnan(want.floatAt(i)) && std::isnan(got.floatAt(i)));
        if (want.dtype.isFloating() && !same && !(reordered && isNear(want.floatAt(i), got.floatAt(i), want.dtype, scale)))
            return "element " + std::to_string(i) + ": " + std::to_string(got.floatAt(i)) + " instead of " + std::to_string(want.floatAt(i));
        if (!want.dtype.isFloating() && want.intAt(i) != got.intAt(i))
            return "element " + std::to_string(i) + ": " + std::to_string(got.intAt(i)) + " instead of " + std::to_string(want.intAt(i));
    }
    return {};
}

double secondsOf(clockid_t clock)
{
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The interpreter, at most kPatience long.
bool runs(const ir::Function& function, interp::Arguments& arguments, DiagnosticSink& sink)
{
    interp::RunOptions options;
    options.checkUninitialized = false;  // a copy hands unwritten elements on, its nest reads them
    clockid_t clock{};
    ::pthread_getcpuclockid(::pthread_self(), &clock);
    const double end = secondsOf(clock) + kPatience;
    std::stop_source stop;
    std::mutex mutex;
    std::condition_variable_any wake;
    const std::jthread watch([&](const std::stop_token& done) {
        std::unique_lock lock(mutex);
        while (!done.stop_requested() && secondsOf(clock) < end)
            wake.wait_for(lock, done, std::chrono::milliseconds(50), [] { return false; });
        stop.request_stop();
    });
    return interp::run(function, arguments, options, sink, stop.get_token()).ok;
}

// Runs the steps one after the other; a refusal ends them.
// `reordered`: sums may be formed in another order.
void expectSameAfter(std::span<const Step> steps, bool reordered, const target::Target& target, const ir::Function& function, const interp::Arguments& arguments,
                     const interp::Arguments& reference, const std::string& name)
{
    ir::Function current = function;
    for (const Step& step : steps) {
        DiagnosticSink found;
        passes::PassContext context{target, found, {}};
        const ir::Function next = step.pass(current, context);
        if (found.hasErrors()) {
            EXPECT_EQ(found.all().front().code, Code::kNotSupported) << name << " after " << step.name << ": " << found.all().front().message;
            return;
        }
        const auto broken = ir::verify(next);
        ASSERT_TRUE(broken.empty()) << name << " after " << step.name << ": " << broken.front() << '\n' << ir::print(next).text;
        if (ir::equal(current, next))
            continue;
        current = next;
        if (ir::print(current).text.find("\"ptx_mma\"") != std::string::npos)
            return;
        interp::Arguments again = arguments;
        const bool ok = runs(current, again, found);
        if (!ok && found.all().empty())
            return;  // out of patience: nothing is known
        if (!ok && found.all().front().message.find("is the address of no tensor") != std::string::npos)
            return;  // the memory of another block: only a tile operation of the interpreter reaches it
        ASSERT_TRUE(ok) << name << " after " << step.name << ": " << (found.all().empty() ? "" : found.all().front().message) << '\n'
                        << ir::print(current).text;
        for (const auto& [tensor, want] : reference.tensors)
            ASSERT_EQ(difference(want, again.tensors.at(tensor), reordered), "") << name << " after " << step.name << ", tensor " << tensor << '\n'
                                                                       << ir::print(current).text;
    }
}

// False where the function could not be run in the first place, with the reason in `why`.
bool expectSameMeaning(const ir::Function& function, const interp::Arguments& arguments, const std::string& name, std::string& why)
{
    interp::Arguments reference = arguments;
    DiagnosticSink sink;
    if (!runs(function, reference, sink)) {
        why = sink.all().empty() ? "it does not run" : sink.all().front().message;
        return false;
    }
    const bool array = function.dialect == ir::Dialect::kArray;  // no schedule of theirs for a GPU
    expectSameAfter(std::span(kSteps).first(array ? 2 : std::size(kSteps)), false, target::defaultTarget(), function, arguments, reference, name);
    if (!array)
        for (const char* target : {"sm_60", "sm_80"})
            expectSameAfter(kThreadSteps, true, *target::parse(target), function, arguments, reference, name);
    return true;
}

// {"params": {"N": 1000, "dtype": "float16"}, "dims": {…}} of a truth's list of cases, or the same with dict(params=dict(N=…)), where
// it stands in one line.
staging::Bindings bindings(const std::string& line, const std::string& group)
{
    staging::Bindings values;
    std::smatch found;
    if (!std::regex_search(line, found, std::regex("\"?" + group + "(?:\": \\{|=dict\\()((?:\\([^()]*\\)|[^(){}])*)[})]")))
        return values;
    const std::string body = found[1];
    const std::regex pair("\"?(\\w+)(?:\": |=)(\"[^\"]*\"|\\([^)]*\\)|[^,]+)");
    for (auto it = std::sregex_iterator(body.begin(), body.end(), pair); it != std::sregex_iterator(); ++it)
        values[(*it)[1]] = (*it)[2];
    return values;
}

std::vector<staging::TraceRequest> requestsOf(const fs::path& path, const staging::Program& program)
{
    std::vector<staging::TraceRequest> requests;
    const std::string truth = contents(path.parent_path().parent_path() / "truth" / path.filename());
    std::smatch kernel;
    if (!truth.empty() && std::regex_search(truth, kernel, std::regex("KERNEL = \"(\\w+)\""))) {
        std::istringstream lines(truth);
        for (std::string line; std::getline(lines, line) && requests.size() < kMaxCases;) {
            static const std::regex isCase(R"x((\{"(params|dims)": \{)|(dict\((params|dims)=dict\()|(^CASES = \[\{\}\]))x");
            if (!std::regex_search(line, isCase) || line.find(" for ") != std::string::npos || line.find("slow") != std::string::npos)
                continue;
            requests.emplace_back();
            requests.back().kernel = kernel[1];
            requests.back().params = bindings(line, "params");
            requests.back().dims = bindings(line, "dims");
        }
    }
    for (const staging::Kernel& k : program.kernels())
        if (requests.empty() && !k.instances.empty()) {
            requests.emplace_back();
            requests.back().kernel = k.name;
            requests.back().instance = k.instances.front().name;
        }
    return requests;
}

// Empty, or why nothing was compared.
std::string compare(const staging::Program& program, const staging::TraceRequest& request, const staging::Options& options)
{
    DiagnosticSink diagnostics;
    const auto traced = staging::trace(program, request, options, diagnostics);
    if (!traced.function)
        return diagnostics.all().empty() ? "it does not trace" : diagnostics.all().front().message;
    device::ExtentSources sources;
    sources.chosen = 45;
    for (const auto& [name, value] : request.dims)
        sources.given[name] = std::stoll(value);
    const auto extents = device::resolveExtents(*traced.function, sources);
    if (!extents)
        return extents.error();
    const auto prepared = device::prepareArguments(*traced.function, extents->values, {}, {.seed = 1, .fill = device::Fill::kSmallIntegers});
    if (!prepared)
        return prepared.error();
    std::int64_t elements = 0;
    for (const auto& [name, tensor] : prepared->arguments.tensors)
        elements += tensor.elementCount();
    if (elements > kMaxElements)
        return "its tensors are large";
    std::string why;
    return expectSameMeaning(analysis::privateFragments(*traced.function), prepared->arguments, request.kernel, why) ? std::string() : why;
}

class PassesOnFile : public testing::TestWithParam<std::string> {};

TEST_P(PassesOnFile, KeepTheMeaning)
{
    const fs::path path = fs::path(TW_SOURCE_DIR) / GetParam();
    DiagnosticSink diagnostics;
    const auto module = syntax::parse(std::make_shared<SourceText>(path.filename().string(), contents(path)), 0, diagnostics);
    staging::Options options;
    options.target = target::defaultTarget();
    options.readSibling = [&](const std::string& name) -> std::optional<std::string> {
        const fs::path sibling = path.parent_path() / (name + ".py");
        return fs::exists(sibling) ? std::optional<std::string>(contents(sibling)) : std::nullopt;
    };
    const auto program = staging::survey(module, options, diagnostics);
    std::string why = "no instance";
    bool compared = false;
    for (const staging::TraceRequest& request : requestsOf(path, *program)) {
        const std::string reason = compare(*program, request, options);
        compared = compared || reason.empty();
        why = reason.empty() ? why : reason;
    }
    if (!compared)
        GTEST_SKIP() << why;
}

std::vector<std::string> programs()
{
    std::vector<std::string> files;
    for (const char* folder : {"samples", "tests/corpus/programs"})
        for (const auto& entry : fs::directory_iterator(fs::path(TW_SOURCE_DIR) / folder))
            if (entry.path().extension() == ".py")
                files.push_back((fs::path(folder) / entry.path().filename()).string());
    std::sort(files.begin(), files.end());
    return files;
}

std::string testName(const testing::TestParamInfo<std::string>& info) { return fs::path(info.param).stem().string(); }

INSTANTIATE_TEST_SUITE_P(Programs, PassesOnFile, testing::ValuesIn(programs()), testName);

TEST(Passes, RandomProgramsKeepTheMeaning)
{
    for (std::uint32_t seed = 1; seed <= 100 && !testing::Test::HasFailure(); ++seed) {
        const ir::Function function = randomProgram(seed, {});
        const auto prepared = device::prepareArguments(function, {}, {}, {.seed = seed, .fill = device::Fill::kSmallIntegers});
        ASSERT_TRUE(prepared) << prepared.error();
        std::string why;
        EXPECT_TRUE(expectSameMeaning(function, prepared->arguments, "seed " + std::to_string(seed), why)) << why;
    }
}

}  // namespace
}  // namespace tw::test

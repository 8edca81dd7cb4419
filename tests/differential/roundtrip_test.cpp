// The text form reads back: read(print(f)) equals f, for every instance of every kernel of the samples and of the corpus, for
// random programs, and for the samples' code after each pass.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/ir/visit.h"
#include "core/passes/pass.h"
#include "core/staging/program.h"
#include "core/syntax/parser.h"
#include "tests/differential/random_program.h"

namespace tw::test {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// The first difference of two texts, a line each.
std::string difference(const std::string& a, const std::string& b)
{
    std::istringstream first(a), second(b);
    std::string x, y;
    for (int line = 1;; ++line) {
        const bool hasX = static_cast<bool>(std::getline(first, x)), hasY = static_cast<bool>(std::getline(second, y));
        if (!hasX && !hasY)
            return "the texts are equal";
        if (!hasX || !hasY || x != y)
            return "line " + std::to_string(line) + "\n  printed:   " + (hasX ? x : "") + "\n  read back: " + (hasY ? y : "");
    }
}

void expectRoundTrip(const ir::Function& f, const std::string& name)
{
    const auto problems = ir::verify(f);
    EXPECT_TRUE(problems.empty()) << name << ": " << problems.front() << '\n' << ir::print(f).text;
    const ir::Printed printed = ir::print(f);
    DiagnosticSink diagnostics;
    const auto back = staging::readFunction(printed.text, diagnostics);
    SourceSet sources;
    sources.add(std::make_shared<SourceText>("printed", printed.text));
    ASSERT_TRUE(back) << name << ": "
                      << (diagnostics.all().empty() ? "nothing was said" : render(diagnostics.all().front(), sources));
    EXPECT_TRUE(ir::equal(f, *back)) << name << ": " << difference(printed.text, ir::print(*back).text);
    if (ir::equal(f, *back)) {
        EXPECT_EQ(ir::hash(f), ir::hash(*back)) << name;
    }
}

class RoundTripFile : public testing::TestWithParam<std::string> {};

// Every instance of every kernel of a file.
TEST_P(RoundTripFile, ReadsBackEqual)
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
    ASSERT_FALSE(program->kernels().empty());
    for (const staging::Kernel& kernel : program->kernels())
        for (const staging::Instance& instance : kernel.instances) {
            staging::TraceRequest request;
            request.kernel = kernel.name;
            request.instance = instance.name;
            DiagnosticSink found;
            const auto traced = staging::trace(*program, request, options, found);
            if (traced.function)
                expectRoundTrip(*traced.function, kernel.name + "@" + instance.name);
        }
}

// The first instance of every kernel, after each pass that changed it, for a GPU of each way to multiply and for a CPU.
class RoundTripPasses : public testing::TestWithParam<std::string> {};

TEST_P(RoundTripPasses, ReadBackEqual)
{
    const fs::path path = fs::path(TW_SOURCE_DIR) / GetParam();
    DiagnosticSink diagnostics;
    const auto module = syntax::parse(std::make_shared<SourceText>(path.filename().string(), contents(path)), 0, diagnostics);
    for (const char* name : {"sm_75", "sm_90a", "cpu"}) {
        staging::Options options;
        options.target = *target::parse(name);
        const auto program = staging::survey(module, options, diagnostics);
        for (const staging::Kernel& kernel : program->kernels()) {
            if (kernel.instances.empty())
                continue;
            staging::TraceRequest request;
            request.kernel = kernel.name;
            request.instance = kernel.instances.front().name;
            DiagnosticSink found;
            const auto traced = staging::trace(*program, request, options, found);
            if (!traced.function)
                continue;
            passes::PassContext context{options.target, found, {}};
            const passes::PipelineResult result = passes::runPipeline(traced.function, context);
            for (const passes::PassRecord& record : result.records)
                if (record.changed)
                    expectRoundTrip(*record.after, kernel.name + " for " + name + " after " + record.name);
            EXPECT_TRUE(result.complete || found.hasErrors()) << kernel.name;
            if (HasFatalFailure() || HasNonfatalFailure())
                return;
        }
    }
}

std::vector<std::string> filesIn(std::initializer_list<const char*> folders)
{
    std::vector<std::string> files;
    for (const char* folder : folders)
        for (const auto& entry : fs::directory_iterator(fs::path(TW_SOURCE_DIR) / folder))
            if (entry.path().extension() == ".py")
                files.push_back((fs::path(folder) / entry.path().filename()).string());
    std::sort(files.begin(), files.end());
    return files;
}

std::string testName(const testing::TestParamInfo<std::string>& info)
{
    return fs::path(info.param).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Programs, RoundTripFile, testing::ValuesIn(filesIn({"samples", "tests/corpus/programs"})), testName);
INSTANTIATE_TEST_SUITE_P(Programs, RoundTripPasses, testing::ValuesIn(filesIn({"samples", "tests/corpus/programs"})), testName);

TEST(RoundTrip, RandomPrograms)
{
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        RandomOptions options;
        options.transcendental = seed % 2 == 0;
        expectRoundTrip(randomProgram(seed, options), "seed " + std::to_string(seed));
        if (HasFatalFailure() || HasNonfatalFailure())
            return;
    }
}

}  // namespace
}  // namespace tw::test

// Machine code of the kernels under tests/golden/cuda; occupancy and line directives.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "codegen/driver/compile.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const driver::CompileSnapshot> compileFile(const fs::path& path, unsigned stages, std::stop_token stop = {})
{
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>(path.filename().string(), text.str());
    const std::string_view first = request.source->lineText(1);
    request.target = std::string(first.substr(first.find_last_of(' ') + 1));
    request.stages = stages;
    return driver::compile(request, std::move(stop));
}

const fs::path kGoldens = fs::path(TW_SOURCE_DIR) / "tests/golden/cuda";

TEST(Nvrtc, EveryGoldenCompilesWithoutAWarning)
{
    if (const auto version = nvrtc::nvrtcVersion(); !version)
        GTEST_SKIP() << version.error();
    for (const auto& entry : fs::directory_iterator(kGoldens)) {
        if (entry.path().extension() != ".py" || entry.path().filename().string().rfind("not_supported", 0) == 0)
            continue;
        const auto snapshot = compileFile(entry.path(), driver::StageWanted::kCubin | driver::StageWanted::kPtx);
        EXPECT_TRUE(snapshot->diagnostics.empty()) << entry.path() << ": " << snapshot->diagnostics.front().message;
        ASSERT_TRUE(snapshot->cubin) << entry.path();
        EXPECT_EQ(snapshot->cubin->substr(1, 3), "ELF");
        ASSERT_EQ(snapshot->resources.size(), snapshot->gpuProgram->launches.size()) << entry.path();
        EXPECT_GT(snapshot->resources[0].registers, 0) << entry.path();
        EXPECT_EQ(snapshot->resources[0].spillStores, 0) << entry.path();
    }
}

TEST(Nvrtc, PtxLinesLeadToTheSource)
{
    if (const auto version = nvrtc::nvrtcVersion(); !version)
        GTEST_SKIP() << version.error();
    const auto snapshot = compileFile(kGoldens / "gemm_mma_pipeline.py", static_cast<unsigned>(driver::StageWanted::kPtx));
    ASSERT_TRUE(snapshot->ptx);
    std::istringstream in(snapshot->ptx->text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    bool found = false;
    for (const auto& entry : snapshot->ptx->lines)
        if (lines.at(static_cast<std::size_t>(entry.line - 1)).find("mma.sync") != std::string::npos) {
            EXPECT_EQ(snapshot->source->lineColumn(entry.source.begin).line, 26);
            found = true;
        }
    EXPECT_TRUE(found);
}

// ptxas makes every wgmma wait for the one before when something touches its sums between the first product and the wait.
TEST(Nvrtc, NothingTouchesSumsWhileTheyAreMultiplied)
{
    if (const auto version = nvrtc::nvrtcVersion(); !version)
        GTEST_SKIP() << version.error();
    for (const char* sample : {"04_gemm.py", "09_attention.py", "12_convolution.py"}) {
        std::ifstream file(fs::path(TW_SOURCE_DIR) / "samples" / sample);
        std::ostringstream text;
        text << file.rdbuf();
        driver::CompileRequest request;
        request.source = std::make_shared<SourceText>(sample, text.str());
        request.target = "sm_90a";
        request.stages = static_cast<unsigned>(driver::StageWanted::kPtx);
        const auto snapshot = driver::compile(request, {});
        ASSERT_TRUE(snapshot->ptx) << sample;
        std::istringstream in(snapshot->ptx->text);
        int products = 0, moves = 0;
        bool isRunning = false;
        for (std::string line; std::getline(in, line);) {
            const bool isProduct = line.find("wgmma.mma_async") != std::string::npos;
            products += isProduct ? 1 : 0;
            isRunning = isProduct || (isRunning && line.find("wgmma.wait_group") == std::string::npos);
            moves += isRunning && line.find("mov.") != std::string::npos && line.find("%f") != std::string::npos ? 1 : 0;
        }
        EXPECT_GT(products, 0) << sample;
        EXPECT_EQ(moves, 0) << sample;
    }
}

TEST(Nvrtc, ACancelledCompileLeavesNoCodeAndNoError)
{
    std::stop_source stop;
    stop.request_stop();
    const auto snapshot = compileFile(kGoldens / "tma_wgmma.py", static_cast<unsigned>(driver::StageWanted::kCubin), stop.get_token());
    EXPECT_TRUE(snapshot->cancelled);
    EXPECT_FALSE(snapshot->cubin);
    EXPECT_TRUE(snapshot->diagnostics.empty());
}

TEST(Nvrtc, EveryLineOfAKernelCarriesItsSourceLine)
{
    SourceSet sources;
    sources.add(std::make_shared<SourceText>("k.py", "one\ntwo\nthree\n"));
    gpu::GpuProgram program;
    program.text = "prelude\nkernel\na\nb\nc\n";
    program.lines = {{3, {0, 8, 13}, 1}, {4, {0, 4, 7}, 2}, {5, {0, 8, 13}, 2}};
    EXPECT_EQ(nvrtc::withLineDirectives(program, &sources),
              "#line 1 \"tilewright.cuh\"\nprelude\nkernel\n#line 3 \"k.py\"\na\n#line 2 \"k.py\"\nb\nc\n");
}

}  // namespace
}  // namespace tw

// Text in, text out: every file below tests/golden is one test.
//
//   ast/NAME.py     -> NAME.ast       the syntax tree
//   ir/NAME.py      -> NAME.ir        tile-stage IR of every kernel's first instance
//   passes/P/NAME.py -> NAME.after    the IR after pass P, for the target that the file's first line names
//   cuda/NAME.py    -> NAME.cu        CUDA text without the prelude, for the target that the file's first line names
//   fail/NAME.py    -> NAME.expected  diagnostics of every kernel and instance
//
// golden_test --update rewrites the expectations; the difference is reviewed like code.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "codegen/driver/compile.h"
#include "core/ir/print.h"
#include "core/passes/record_stages.h"
#include "core/syntax/dump.h"
#include "core/syntax/parser.h"

namespace {

namespace fs = std::filesystem;
using namespace tw;

bool updating = false;

std::string readFile(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::shared_ptr<const SourceText> source(const fs::path& path)
{
    return std::make_shared<SourceText>(path.filename().string(), readFile(path));
}

driver::CompileRequest requestFor(const fs::path& path)
{
    driver::CompileRequest request;
    request.source = source(path);
    request.stages = static_cast<unsigned>(driver::StageWanted::kSurvey);
    return request;
}

std::string renderAll(const driver::CompileSnapshot& snapshot, DiagnosticSink& seen)
{
    SourceSet single;
    single.add(snapshot.source);
    std::string text;
    for (const Diagnostic& d : snapshot.diagnostics) {
        const std::size_t before = seen.all().size();
        Diagnostic plain = d;
        plain.kernel.clear();
        seen.report(plain);
        if (seen.all().size() > before)
            text += render(d, snapshot.program ? snapshot.program->sources() : single);
    }
    return text;
}

std::string syntaxTree(const fs::path& path)
{
    DiagnosticSink sink;
    const auto module = syntax::parse(source(path), 0, sink);
    std::string text = syntax::dump(*module);
    SourceSet set;
    set.add(module->source);
    for (const Diagnostic& d : sink.all())
        text += render(d, set);
    return text;
}

std::string tileIr(const fs::path& path)
{
    auto request = requestFor(path);
    const auto survey = driver::compile(request);
    DiagnosticSink seen;
    std::string text = renderAll(*survey, seen);
    if (!survey->program)
        return text;
    for (const auto& kernel : survey->program->kernels()) {
        request.previous = survey;
        request.kernel.kernel = kernel.name;
        request.stages = static_cast<unsigned>(driver::StageWanted::kSurvey) | static_cast<unsigned>(driver::StageWanted::kTrace) |
                         static_cast<unsigned>(driver::StageWanted::kCheck);
        const auto snapshot = driver::compile(request);
        text += renderAll(*snapshot, seen);
        text += "# kernel " + kernel.name + " " + snapshot->instance.name + "\n";
        if (snapshot->function)
            text += ir::print(*snapshot->function).text;
    }
    return text;
}

std::string afterPass(const fs::path& path)
{
    auto request = requestFor(path);
    const std::string_view first = request.source->lineText(1);
    request.target = std::string(first.substr(first.find_last_of(' ') + 1));  // "# target: cpu"
    request.stages = static_cast<unsigned>(driver::StageWanted::kPasses);
    const auto snapshot = driver::compile(request);
    DiagnosticSink seen;
    std::string text = renderAll(*snapshot, seen);
    const std::string pass = path.parent_path().filename().string();
    if (pass == "recordStages" && snapshot->ok())
        return text + ir::print(passes::recordStages(*snapshot->passes.back().after, {})).text;  // it stands behind the pipeline
    for (const auto& record : snapshot->passes)
        if (record.name == pass && record.after)
            text += ir::print(*record.after).text;
    return text;
}

// The kernels alone: the prelude in front of them has tests of its own.
std::string cudaText(const fs::path& path)
{
    auto request = requestFor(path);
    const std::string_view first = request.source->lineText(1);
    request.target = std::string(first.substr(first.find_last_of(' ') + 1));
    request.stages = static_cast<unsigned>(driver::StageWanted::kCuda);
    const auto snapshot = driver::compile(request);
    DiagnosticSink seen;
    std::string text = renderAll(*snapshot, seen);
    if (!snapshot->gpuProgram)
        return text;
    const gpu::GpuProgram& program = *snapshot->gpuProgram;
    const std::size_t start = program.launches.empty() ? 0 : program.text.find("// " + program.launches.front().entry + ":");
    return text + program.text.substr(start == std::string::npos ? 0 : start);
}

std::string diagnostics(const fs::path& path)
{
    auto request = requestFor(path);
    const auto survey = driver::compile(request);
    DiagnosticSink seen;
    std::string text = renderAll(*survey, seen);
    if (!survey->program)
        return text;
    for (const auto& kernel : survey->program->kernels())
        for (const auto& instance : kernel.instances) {
            request.previous = survey;
            request.kernel.kernel = kernel.name;
            request.kernel.instance = instance.name;
            request.stages = static_cast<unsigned>(driver::StageWanted::kTrace) | static_cast<unsigned>(driver::StageWanted::kCheck);
            text += renderAll(*driver::compile(request), seen);
        }
    return text;
}

struct Category {
    const char* folder;
    const char* extension;
    std::string (*produce)(const fs::path&);
};
constexpr Category kCategories[] = {
    {"ast", ".ast", syntaxTree}, {"ir", ".ir", tileIr}, {"passes", ".after", afterPass}, {"cuda", ".cu", cudaText}, {"fail", ".expected", diagnostics}};

class GoldenTest : public testing::Test {
public:
    GoldenTest(fs::path input, const Category& category) : input_(std::move(input)), category_(category) {}

    void TestBody() override
    {
        const fs::path expectation = fs::path(input_).replace_extension(category_.extension);
        const std::string got = category_.produce(input_);
        ASSERT_FALSE(got.empty()) << "nothing came out of " << input_;
        if (updating) {
            std::ofstream(expectation, std::ios::binary) << got;
            return;
        }
        ASSERT_TRUE(fs::exists(expectation)) << "no expectation; run golden_test --update and review";
        EXPECT_EQ(got, readFile(expectation));
    }

private:
    fs::path input_;
    const Category& category_;
};

void registerTests()
{
    const fs::path root = fs::path(TW_SOURCE_DIR) / "tests/golden";
    for (const Category& category : kCategories) {
        if (!fs::exists(root / category.folder))
            continue;  // git keeps no empty folder: a category may have no input yet
        std::vector<fs::path> inputs;
        for (const auto& entry : fs::recursive_directory_iterator(root / category.folder))
            if (entry.path().extension() == ".py")
                inputs.push_back(entry.path());
        std::sort(inputs.begin(), inputs.end());
        for (const fs::path& input : inputs)
            testing::RegisterTest(category.folder, fs::relative(input, root / category.folder).string().c_str(), nullptr, nullptr,
                                  __FILE__, __LINE__, [input, &category]() -> testing::Test* { return new GoldenTest(input, category); });
    }
}

}  // namespace

int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    updating = argc > 1 && std::string_view(argv[1]) == "--update";
    registerTests();
    return RUN_ALL_TESTS();
}

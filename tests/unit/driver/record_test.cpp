// Stage records in kernels: the code is the same but for them, values do not change, and the tables say what the kernel does.
#include "codegen/driver/record.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "core/interp/interpreter.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/ir/visit.h"
#include "core/sim/sim.h"
#include "core/staging/program.h"

namespace tw::driver {
namespace {

std::shared_ptr<const CompileSnapshot> compiled(const std::string& file, const staging::Bindings& params = {})
{
    std::ifstream in(std::filesystem::path(TW_SOURCE_DIR) / file);
    std::ostringstream text;
    text << in.rdbuf();
    CompileRequest request;
    request.source = std::make_shared<SourceText>("kernel.py", text.str());
    request.target = "sm_90a";
    request.stages = static_cast<unsigned>(StageWanted::kCuda);
    request.kernel.params = params;
    const auto snapshot = compile(request);
    for (const Diagnostic& d : snapshot->diagnostics)
        EXPECT_NE(d.severity, Severity::kError) << file << ": " << d.message;
    return snapshot;
}

RecordedProgram recorded(const CompileSnapshot& snapshot, const passes::RecordOptions& options = {})
{
    DiagnosticSink sink;
    auto out = recordProgram(snapshot, options, sink);
    EXPECT_TRUE(out) << (sink.all().empty() ? "" : sink.all().front().message);
    return out ? *out : RecordedProgram{};
}

// The lines of each kernel that are code, without what records add in front of it.
std::vector<std::vector<std::string>> code(const gpu::GpuProgram& program)
{
    std::vector<std::vector<std::string>> kernels;
    std::istringstream in(program.text.substr(program.text.find("// " + program.launches.front().entry + ":")));
    for (std::string line; std::getline(in, line);) {
        const std::string parameter = ", unsigned* __restrict__ stage_records";
        if (const std::size_t at = line.find(parameter); at != std::string::npos)
            line.erase(at, parameter.size());
        line.erase(0, line.find_first_not_of(' '));
        const bool isOurs = line.starts_with("tw_record") || line.starts_with("unsigned recorder") || line.starts_with("const int record_slot") ||
                            line.find("thread_number = ") != std::string::npos;
        if (line.starts_with("extern \"C\" __global__")) {
            kernels.emplace_back();
            line = line.substr(line.find('('));  // the bounds may differ
        }
        if (!kernels.empty() && !line.empty() && !isOurs && line[0] != '#' && !line.starts_with("//"))
            kernels.back().push_back(line);
    }
    return kernels;
}

// One arm with records and one without, each the code of the plain kernel.
void expectBothArms(const std::vector<std::string>& plain, const std::vector<std::string>& with, const char* file)
{
    const auto found = std::ranges::find(with, "if (record_slot >= 0) {");
    ASSERT_NE(found, with.end()) << file;
    const auto at = found - with.begin();
    const std::vector<std::string> body(plain.begin() + at, plain.end() - 1);
    const auto n = static_cast<std::ptrdiff_t>(body.size());
    ASSERT_EQ(static_cast<std::ptrdiff_t>(with.size()), at + 2 * n + 4) << file;
    EXPECT_TRUE(std::equal(plain.begin(), plain.begin() + at, with.begin())) << file;
    EXPECT_EQ(std::vector<std::string>(found + 1, found + 1 + n), body) << file;
    EXPECT_EQ(*(found + 1 + n), "} else {") << file;
    EXPECT_EQ(std::vector<std::string>(found + 2 + n, found + 2 + 2 * n), body) << file;
}

int timesIn(const std::string& text, const std::string& what)
{
    int n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++n;
    return n;
}

const gpu::RecordedEvent* eventOf(const gpu::StageRecords& table, const std::string& kind, int depth)
{
    const auto found = std::ranges::find_if(table.events, [&](const auto& e) { return e.kind == kind && e.depth == depth; });
    return found == table.events.end() ? nullptr : &*found;
}

const char* const kFiles[] = {"samples/04_gemm.py", "samples/07_softmax.py", "samples/09_attention.py", "samples/18_two_launches.py",
                              "tests/corpus/programs/501_ws_gemm_ring.py"};

TEST(RecordProgram, TheCodeIsTheSameButForTheRecords)
{
    for (const char* file : kFiles) {
        const auto snapshot = compiled(file);
        ASSERT_TRUE(snapshot->gpuProgram) << file;
        const std::string before = snapshot->gpuProgram->text;
        const RecordedProgram with = recorded(*snapshot);
        ASSERT_TRUE(with.program) << file;
        EXPECT_EQ(before.find("tw_record"), std::string::npos) << file;
        EXPECT_EQ(snapshot->gpuProgram->text, before) << file;
        const auto plain = code(*snapshot->gpuProgram), marked = code(*with.program);
        ASSERT_EQ(plain.size(), marked.size()) << file;
        for (std::size_t i = 0; i < plain.size(); ++i)
            expectBothArms(plain[i], marked[i], file);
        EXPECT_EQ(with.records.size(), with.program->launches.size()) << file;
        for (const gpu::StageRecords& table : with.records) {
            const gpu::Workspace& workspace = with.program->workspaces.at(static_cast<std::size_t>(table.workspace));
            EXPECT_EQ(*ir::asInt(workspace.shape.at(0)), table.spread * static_cast<std::int64_t>(table.roles.size()) * (16 + 2 * table.capacity));
        }
        EXPECT_TRUE(ir::verify(*with.function).empty()) << file;
    }
}

TEST(RecordProgram, APipelineHasItsStages)
{
    const auto snapshot = compiled("samples/04_gemm.py");
    const RecordedProgram with = recorded(*snapshot);
    ASSERT_EQ(with.records.size(), 1U);
    const gpu::StageRecords& table = with.records[0];
    ASSERT_EQ(table.roles.size(), 1U);
    EXPECT_EQ(table.roles[0].name, "block");
    EXPECT_EQ(table.roles[0].leader, 0);
    // Once an iteration: the wait, two copies, the product. The copies of the first iterations are those stages, too.
    for (const char* kind : {"wait", "issue", "tensor"})
        ASSERT_TRUE(eventOf(table, kind, 1)) << kind << "\n" << ir::print(*with.function).text;
    EXPECT_EQ(std::ranges::count_if(table.events, [](const auto& e) { return e.kind == "issue"; }), 2);
    EXPECT_EQ(std::ranges::count_if(table.events, [](const auto& e) { return e.kind == "tensor"; }), 1);
    EXPECT_TRUE(eventOf(table, "epilogue", 0));
    // The events lead to the source.
    const std::string_view product = snapshot->source->slice(eventOf(table, "tensor", 1)->source);
    EXPECT_TRUE(product.starts_with("T.gemm(")) << product;
    EXPECT_EQ(timesIn(with.program->text, "tw_record_finish(recorder, "), 1);
}

TEST(RecordProgram, EveryRoleRecords)
{
    const RecordedProgram with = recorded(*compiled("tests/corpus/programs/501_ws_gemm_ring.py"));
    ASSERT_EQ(with.records.size(), 1U);
    const gpu::StageRecords& table = with.records[0];
    std::vector<std::string> names;
    for (const gpu::RecordedRole& role : table.roles)
        names.push_back(role.name);
    EXPECT_TRUE(std::ranges::count(names, "producer") == 1) << ir::print(*with.function).text;
    EXPECT_GE(std::ranges::count_if(names, [](const std::string& n) { return n.starts_with("consumer"); }), 1);
    EXPECT_EQ(table.roles.back().leader, 256);
    EXPECT_EQ(std::ranges::count_if(table.events, [](const auto& e) { return e.kind == "wait" && e.depth == 1; }), 2) << "each role waits once an iteration";
}

TEST(RecordProgram, ChosenBlocksAreInTheText)
{
    const RecordedProgram with = recorded(*compiled("samples/04_gemm.py"), {{3, 7}, 4, 100, {}});
    EXPECT_NE(with.program->text.find("tw_record_block() == 3 ? 0 : tw_record_block() == 7 ? 1 : -1"), std::string::npos);
    EXPECT_EQ(*ir::asInt(with.program->workspaces.at(0).shape.at(0)), 2 * (16 + 200));
    EXPECT_EQ(with.records.at(0).blocks, (std::vector<std::int64_t>{3, 7}));
}

// Not in steps of a power of two, which would meet the same place of every row of a grid, and not at its end.
TEST(RecordProgram, BlocksAreSpreadOverTheGrid)
{
    using passes::spreadBlocks;
    EXPECT_EQ(spreadBlocks(4, 1024), (std::vector<std::int64_t>{170, 341, 511, 682}));
    EXPECT_EQ(spreadBlocks(4, 4), (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(spreadBlocks(4, 1), (std::vector<std::int64_t>{0}));
    EXPECT_EQ(spreadBlocks(1, 100), (std::vector<std::int64_t>{33}));
    EXPECT_TRUE(spreadBlocks(4, 0).empty());
    // The device's own text of the formula.
    const RecordedProgram with = recorded(*compiled("samples/04_gemm.py"));
    EXPECT_NE(with.program->text.find("block == last * (i + 1) / (count + 2)"), std::string::npos);
}

TEST(RecordProgram, RunsGiveTheSameValues)
{
    const std::pair<const char*, staging::Bindings> programs[] = {
        {"samples/09_attention.py", {{"batch", "1"}, {"heads", "2"}, {"seq", "130"}}},
        {"tests/corpus/programs/501_ws_gemm_ring.py", {{"M", "128"}, {"N", "128"}, {"K", "256"}}}};
    for (const auto& [file, params] : programs) {
        const auto snapshot = compiled(file, params);
        const RecordedProgram with = recorded(*snapshot);
        const ir::Function& plain = *snapshot->passes.back().after;
        interp::Arguments first;
        for (const ir::Param& param : plain.params) {
            const auto& buffer = std::get<ir::Buffer>(param.value);
            std::vector<std::int64_t> shape;
            for (const ir::Expr& e : buffer->shape)
                shape.push_back(*ir::asInt(e));
            interp::Tensor tensor = interp::makeTensor(buffer->dtype, shape);
            for (std::int64_t k = 0; k < tensor.elementCount(); ++k)
                tensor.setFloat(k, static_cast<double>((k * 7 + 3) % 5 - 2));
            first.tensors.emplace(param.name(), std::move(tensor));
        }
        interp::Arguments second = first;
        DiagnosticSink sink;
        const interp::RunResult ran = interp::run(plain, first, {}, sink);
        const sim::SimResult simulated = sim::simulate(*with.function, second, {}, sink);
        EXPECT_TRUE(ran.ok && simulated.ok) << file << ": " << (sink.all().empty() ? "" : sink.all().front().message);
        for (const auto& [name, tensor] : first.tensors)
            EXPECT_EQ(tensor.bytes, second.tensors.at(name).bytes) << file << ", " << name;
    }
}

// Records are operations of the IR: they print, and read back.
TEST(RecordProgram, RecordedCodeReadsBack)
{
    for (const char* file : kFiles) {
        const RecordedProgram with = recorded(*compiled(file));
        const std::string text = ir::print(*with.function).text;
        EXPECT_NE(text.find("tw.op(\"stage_record\", 1)"), std::string::npos) << file;
        DiagnosticSink sink;
        const auto again = staging::readFunction(text, sink);
        ASSERT_TRUE(again) << file << ": " << (sink.all().empty() ? "" : sink.all().front().message);
        EXPECT_TRUE(ir::equal(*with.function, *again)) << file;
    }
}

TEST(RecordProgram, NvrtcCompilesIt)
{
    if (const auto version = nvrtc::nvrtcVersion(); !version)
        GTEST_SKIP() << version.error();
    for (const char* file : {kFiles[2], kFiles[4]}) {
        const auto snapshot = compiled(file);
        const RecordedProgram with = recorded(*snapshot);
        DiagnosticSink sink;
        const auto out = nvrtc::compile(*with.program, snapshot->target, &snapshot->program->sources(), sink, {});
        ASSERT_TRUE(out) << file << ": " << out.error().message << "\n" << out.error().log;
        for (const nvrtc::KernelResources& r : out->resources)
            EXPECT_EQ(r.spillStores, 0) << file;
        EXPECT_TRUE(sink.all().empty()) << file << ": " << sink.all().front().message;
    }
}

TEST(RecordProgram, ACpuHasNoTimeline)
{
    std::ifstream in(std::filesystem::path(TW_SOURCE_DIR) / "samples/04_gemm.py");
    std::ostringstream text;
    text << in.rdbuf();
    CompileRequest request;
    request.source = std::make_shared<SourceText>("kernel.py", text.str());
    request.target = "cpu";
    request.stages = static_cast<unsigned>(StageWanted::kPasses);
    DiagnosticSink sink;
    EXPECT_FALSE(recordProgram(*compile(request), {}, sink));
    ASSERT_EQ(sink.all().size(), 1U);
    EXPECT_TRUE(sink.all()[0].message.starts_with("not supported: "));
}

}  // namespace
}  // namespace tw::driver

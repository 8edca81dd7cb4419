#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "profiler/protocol/messages.h"

namespace tw::protocol {
namespace {

template <class T>
T roundTrip(const T& message, std::uint64_t id = 7)
{
    FrameReader reader;
    reader.feed(serialize(encode({id, message})));
    const auto frame = reader.next();
    EXPECT_TRUE(frame.has_value());
    auto envelope = decode(*frame);
    EXPECT_TRUE(envelope.has_value()) << envelope.error();
    EXPECT_EQ(envelope->id, id);
    return std::get<T>(envelope->message);
}

TEST(Messages, ProfilesCarryTheirCapture)
{
    ProfileRequest request;
    request.job.text = "x = 1\n";
    request.metrics = {"headline", "memory"};
    request.timeline = true;
    request.blocks = {0, 17};
    request.coldL2 = false;
    const ProfileRequest asked = roundTrip(request);
    EXPECT_EQ(asked.metrics, request.metrics);
    EXPECT_TRUE(asked.timeline);
    EXPECT_FALSE(asked.stalls);
    EXPECT_EQ(asked.blocks, request.blocks);
    EXPECT_FALSE(asked.coldL2);

    ProfileResult result;
    EXPECT_FALSE(roundTrip(result).capture);
    result.capture = capture::Capture{};
    result.capture->files = {{"a.py", "\xff"}};
    result.capture->kernel = "gemm";
    const ProfileResult got = roundTrip(result);
    ASSERT_TRUE(got.capture);
    EXPECT_EQ(got.capture->kernel, "gemm");
}

TEST(Messages, RunResultCarriesTheSimulation)
{
    RunResult result;
    EXPECT_FALSE(roundTrip(result).simulation);
    sim::Report report;
    report.findings.push_back({sim::FindingKind::kMissingFence, "s", 16, 4, {{0, 3, 5}, 2, "thread 5 of block (0, 0, 0)", "writes"},
                               {{0, 8, 9}, 3, "the bulk store of thread 0", "reads"}, 12});
    report.sites.push_back({{0, 10, 20}, 4, "A", true, false, 7, 1024, 32, 8, 0, 0, 4});
    report.sites.push_back({{0, 30, 40}, 5, "C", false, true, 3, 96, 0, 0, 12, 3, 1});
    report.branches.push_back({{0, 50, 60}, 9, 2});
    report.traffic = {1, 2, 3, 4, 5, 6, 7, 8};
    report.unknown = {"why"};
    result.simulation = report;
    const auto got = roundTrip(result).simulation;
    ASSERT_TRUE(got);
    ASSERT_EQ(got->findings.size(), 1U);
    EXPECT_EQ(got->findings[0].kind, sim::FindingKind::kMissingFence);
    EXPECT_EQ(got->findings[0].earlier.who, "thread 5 of block (0, 0, 0)");
    EXPECT_EQ(got->findings[0].later.where, (SourceRange{0, 8, 9}));
    EXPECT_EQ(got->findings[0].count, 12);
    ASSERT_EQ(got->sites.size(), 2U);
    EXPECT_EQ(got->sites[0].ways, 4);
    EXPECT_EQ(got->sites[0].wavefronts, 32);
    EXPECT_EQ(got->sites[1].efficiency(), 0.25);
    EXPECT_EQ(got->branches.at(0).divergent, 2);
    EXPECT_EQ(got->traffic.uniqueWritten, 8);
    EXPECT_EQ(got->traffic.sectorsRead, 5);
    EXPECT_EQ(got->unknown, report.unknown);
}

TEST(Messages, RunRequestKeepsEveryByte)
{
    RunRequest request;
    request.job = {"a b.py", std::string("x = '\0\xff'", 8), {{"pkg/helpers", "y = 1\n"}}, {"mm", "call:12", {{"M", "64"}}, {{"n", "3"}}, {}}, "sm_80"};
    request.device = "interp";
    request.inputs = {{"A", {std::string("\x93NUMPY\0", 7), {}}}, {"alpha", {{}, "0.5"}}};
    request.seed = 0xfedcba9876543210ULL;
    request.repeat = 3;
    request.wantOutputs = true;
    const RunRequest got = roundTrip(request);
    EXPECT_EQ(got.job.text, request.job.text);
    EXPECT_EQ(got.job.siblings, request.job.siblings);
    EXPECT_EQ(got.job.kernel.kernel, "mm");
    EXPECT_EQ(got.job.kernel.instance, "call:12");
    EXPECT_EQ(got.job.kernel.params, request.job.kernel.params);
    EXPECT_EQ(got.job.kernel.dims, request.job.kernel.dims);
    EXPECT_EQ(got.job.target, "sm_80");
    EXPECT_EQ(got.inputs.at("A").npy, request.inputs.at("A").npy);
    EXPECT_EQ(got.inputs.at("alpha").literal, "0.5");
    EXPECT_EQ(got.seed, request.seed);
    EXPECT_EQ(got.repeat, 3);
    EXPECT_TRUE(got.wantOutputs);
}

TEST(Messages, KeepsCudaTextAndCode)
{
    const CudaCompileRequest request = roundTrip(CudaCompileRequest{"k", std::string("a\0b", 3), "sm_80", true});
    EXPECT_EQ(request.text, std::string("a\0b", 3));
    EXPECT_EQ(request.target, "sm_80");
    EXPECT_TRUE(request.fastMath);
    CudaCompileResult result;
    result.cubin = std::string("\x7f" "ELF\0", 5);
    result.head.runnerEnds = true;
    const CudaCompileResult got = roundTrip(result);
    EXPECT_EQ(got.cubin, result.cubin);
    EXPECT_TRUE(got.head.runnerEnds);
}

TEST(Messages, KeepsWhatAMachineHas)
{
    MachineResult machine;
    machine.checks = {{"nvrtc", "missing", "not here", "install it"}};
    machine.devices = {"cpu", "cuda:0"};
    const MachineResult got = roundTrip(machine);
    ASSERT_EQ(got.checks.size(), 1U);
    EXPECT_EQ(got.checks[0].remedy, "install it");
    EXPECT_EQ(got.devices, machine.devices);
    EXPECT_TRUE(std::holds_alternative<MachineRequest>(decode(encode({1, MachineRequest()}))->message));
}

TEST(Messages, KeepsWhatMayBeCounted)
{
    const MetricsRequest request = roundTrip(MetricsRequest{"cuda:1", "dram read", "sm_80", 7});
    EXPECT_EQ(request.device, "cuda:1");
    EXPECT_EQ(request.words, "dram read");
    EXPECT_EQ(request.target, "sm_80");
    EXPECT_EQ(request.limit, 7);
    MetricsResult result;
    result.chip = "GA100";
    result.library = "CUPTI 13.0";
    result.metrics = {{"dram_read_bytes", "bytes", "read from memory", "headline memory", "dram__bytes_read.sum", 1}};
    result.found = 12;
    const MetricsResult got = roundTrip(result);
    EXPECT_EQ(got.chip, "GA100");
    EXPECT_EQ(got.library, "CUPTI 13.0");
    EXPECT_EQ(got.found, 12);
    ASSERT_EQ(got.metrics.size(), 1U);
    EXPECT_EQ(got.metrics[0].sets, "headline memory");
    EXPECT_EQ(got.metrics[0].counter, "dram__bytes_read.sum");
    EXPECT_EQ(got.metrics[0].passes, 1);
}

TEST(Messages, RunResultKeepsDiagnosticsAndTensors)
{
    RunResult result;
    result.head.outcome = Outcome::kProgramWrong;
    result.head.diagnostics = {{Code::kRace, Severity::kWarning, {0, 5, 9}, "two threads", {{{1, 2, 3}, "here"}}, {{{0, 5, 6}, "x"}}, "mm"}};
    result.log = "3\n";
    result.samplesUs = {1.5, 2.5};
    Output output{"C", "float32", {1, 2}, -1.0, 2.0, 0.5, 1, 0, std::nullopt};
    output.data = interp::Tensor{ir::kFloat32, {1, 2}, {0, 0, 128, 63, 0, 0, 0, 64}};
    result.outputs = {output};
    const RunResult got = roundTrip(result);
    EXPECT_EQ(got.head.outcome, Outcome::kProgramWrong);
    EXPECT_EQ(got.head.diagnostics, result.head.diagnostics);
    EXPECT_EQ(got.log, "3\n");
    EXPECT_EQ(got.samplesUs, result.samplesUs);
    ASSERT_EQ(got.outputs.size(), 1U);
    EXPECT_EQ(got.outputs[0].shape, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(got.outputs[0].nan, 1);
    ASSERT_TRUE(got.outputs[0].data.has_value());
    EXPECT_EQ(got.outputs[0].data->bytes, output.data->bytes);
}

TEST(Messages, VerifyResultKeepsNanAndInfinity)
{
    VerifyResult result;
    Comparison c{"C", std::numeric_limits<double>::infinity(), 0.25, 1, 4, 2, std::vector<std::int64_t>{0, 3}, 1.0, std::nan("")};
    result.outputs = {c};
    const VerifyResult got = roundTrip(result);
    ASSERT_EQ(got.outputs.size(), 1U);
    EXPECT_TRUE(std::isinf(got.outputs[0].maxAbs));
    EXPECT_EQ(got.outputs[0].firstWrong, c.firstWrong);
    EXPECT_TRUE(std::isnan(got.outputs[0].got));
    EXPECT_EQ(got.outputs[0].orderDependent, 2);
}

TEST(Messages, CompileResultKeepsLineMap)
{
    CompileResult result;
    result.assembly = driver::TargetCode{"asm", "ret\n", {{1, {0, 10, 20}, 4}}};
    result.object = std::string("\x7f" "ELF\0", 5);
    const CompileResult got = roundTrip(result);
    ASSERT_TRUE(got.assembly.has_value());
    EXPECT_EQ(got.assembly->text, "ret\n");
    ASSERT_EQ(got.assembly->lines.size(), 1U);
    EXPECT_EQ(got.assembly->lines[0].source, (SourceRange{0, 10, 20}));
    EXPECT_EQ(got.assembly->lines[0].op, 4U);
    EXPECT_EQ(got.object, result.object);
    EXPECT_FALSE(got.llvmIr.has_value());
}

TEST(Messages, MalformedOnesAreRefused)
{
    for (const char* header : {"", "{", "[]", "{\"id\":1}", "{\"id\":1,\"type\":\"sing\"}",
                               "{\"id\":1,\"type\":\"run\"}", "{\"id\":1,\"type\":\"runResult\",\"head\":3}",
                               "{\"id\":1,\"type\":\"compile\",\"job\":{\"fileName\":\"\",\"text\":9,\"siblings\":{},\"kernel\":\"\"}}"})
        EXPECT_FALSE(decode({header, {}}).has_value()) << header;
}

}  // namespace
}  // namespace tw::protocol

#include "tests/gui/sample_capture.h"

namespace tw::gui {
namespace {

using capture::Origin;

SourceRange rangeOf(const std::string& text)
{
    const auto at = kSample.find(text);
    return {0, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + text.size())};
}

capture::Timeline makeTimeline(Origin origin, double stretch)
{
    capture::Timeline t;
    t.origin = origin;
    t.clockMHz = 1000;
    t.tracks = {{"producer", 0, 0, 3, 0}, {"consumer 1", 0, 0, 3, 4}};
    for (int i = 0; i < 3; ++i) {
        const double at = 100.0 * i * stretch;
        t.spans.push_back({0, "issue", 1, i, i % 2, at, at + 40 * stretch});
    }
    for (int i = 0; i < 3; ++i) {
        const double at = 100.0 * i * stretch;
        t.spans.push_back({1, "wait", 1, i, i % 2, at, at + 50 * stretch});
        t.spans.push_back({1, "tensor", 2, i, i % 2, at + 50 * stretch, at + 100 * stretch});
    }
    t.spans.push_back({1, "epilogue", 2, -1, -1, 300 * stretch, 350 * stretch});
    return t;
}

std::vector<capture::Metric> makeMetrics()
{
    using namespace capture::metric;
    return {{kDuration, 100, "us", -1, Origin::kMeasured, 10, 0.02},
            {kTensorPipe, 40, "%", 0, Origin::kMeasured, 1, 0},
            {kDramRead, 1e6, "bytes", 0, Origin::kMeasured, 1, 0},
            {kDramWrite, 5e5, "bytes", 0, Origin::kMeasured, 1, 0},
            {kDramBandwidth, 15, "%", 0, Origin::kMeasured, 1, 0},
            {kL2Bandwidth, 20, "%", 0, Origin::kMeasured, 1, 0},
            {kIssueSlots, 33, "%", 0, Origin::kMeasured, 1, 0},
            {kOccupancy, 50, "%", 0, Origin::kModelled, 1, 0},
            {kRegisters, 64, "count", 0, Origin::kModelled, 1, 0},
            {kSharedConflicts, 4096, "count", 0, Origin::kSimulated, 1, 0},
            {kL2Read, 4e6, "bytes", 0, Origin::kMeasured, 1, 0},
            {kL2Write, 5e5, "bytes", 0, Origin::kMeasured, 1, 0},
            {kSharedRead, 8e6, "bytes", 0, Origin::kSimulated, 1, 0},
            {kSharedWrite, 4e6, "bytes", 0, Origin::kSimulated, 1, 0},
            {kFlops, 2e9, "flop", 0, Origin::kModelled, 1, 0},
            {"sm__inst_executed.sum", 123456, "count", 0, Origin::kMeasured, 1, 0}};
}

void addProgram(capture::Capture& c)
{
    c.tilewright = "0.1.0";
    c.created = "2026-11-30T01:02:03Z";
    c.files = {{"sample.py", kSample}};
    c.kernel = "add";
    const auto snapshot = compileSample();
    c.instance = snapshot->instance.name;
    c.target = snapshot->target.name;
    c.params = snapshot->instance.params;
    c.environment.device = "cuda:0";
    c.environment.gpu = "NVIDIA H200";
    c.environment.smClockMHz = 1980;
    c.launches = {{"add_kernel", {2, 8, 1}, {128, 1, 1}, {}, 0, 16384, 64, 4, 0.5, "registers", "DRAM", 0}};
    c.cuda = {"cuda", "extern \"C\" __global__ void add_kernel()\n{\n}\n", {{1, rangeOf("with T.Kernel"), 1}}};
    c.tileIr = "@T.prim_func\ndef main():\n    pass\n";
    c.threadIr = c.tileIr;
}

}  // namespace

capture::Capture makeSampleCapture()
{
    capture::Capture c;
    addProgram(c);
    c.samplesUs = {98, 99, 100, 101, 102};
    c.metrics = makeMetrics();
    c.operations = {{1, "copy A → A_shared", rangeOf("A[by * block_M + i"), 11, Origin::kMeasured, 0.6, 600, {{"dram", 1e6}, {"l2", 4e6}, {"shared", 4e6}},
                     {{"long scoreboard", 0.5}, {"barrier", 0.25}, {"selected", 0.25}}, 0},
                    {2, "gemm", rangeOf("C[by * block_M + i"), 11, Origin::kMeasured, 0.4, 400, {{"shared", 8e6}},
                     {{"wait", 0.7}, {"selected", 0.3}}, 2e9}};
    c.lines = {{"source", 9, 1, 0.6, {{"long scoreboard", 0.5}}, Origin::kMeasured}, {"source", 11, 2, 0.4, {}, Origin::kMeasured},
               {"cuda", 1, 1, 1.0, {}, Origin::kMeasured}};
    c.series = {{"tensor pipe", "%", 0, Origin::kMeasured, {0, 2000, 4000, 6000}, {0, 40, 60, 20}},
                {"DRAM read", "bytes/s", 0, Origin::kMeasured, {0, 2000, 4000, 6000}, {0, 1e9, 2e9, 1e9}}};
    c.timelines = {makeTimeline(Origin::kModelled, 1), makeTimeline(Origin::kMeasured, 1.5)};
    c.timelines.back().plainUs = 100;
    c.timelines.back().recordedUs = 102;
    c.roofline.ceilings = {{"DRAM", 4e12, true, Origin::kMeasured}, {"L2", 1.2e13, true, Origin::kModelled}, {"tensor fp16", 9e14, false, Origin::kModelled},
                           {"fp32", 6e13, false, Origin::kModelled}};
    c.roofline.points = {{"add, DRAM", 2e9, 1.5e6, 1e-4, "DRAM", "tensor fp16", Origin::kMeasured}, {"add, L2", 2e9, 4.5e6, 1e-4, "L2", "tensor fp16", Origin::kMeasured}};
    const auto block = rangeOf("block_N=64");
    c.findings = {{"consumer-waits", 38, "%", "tensor pipe 40 %: consumers wait 38 % of the time at line 11 for the copy of A; 4 stages fit in shared memory",
                   rangeOf("A[by * block_M + i"), 11, 1, 1.2, Origin::kMeasured,
                   {"block_N 64 → 128", {{{0, block.begin + 8, block.end}, "128"}}, 1.2}},
                  {"bank-conflicts", 4096, "count", "4,096 passes over shared memory are repeated because of bank conflicts", rangeOf("C[by * block_M + i"), 11, 2, 1.05,
                   Origin::kSimulated, {}}};
    c.absences = {{"temperature", "the driver gives none on this machine"}};
    return c;
}

capture::Capture makeSlowerCapture()
{
    auto c = makeSampleCapture();
    c.params["block_N"] = "32";
    c.metrics.front().value = 125;
    for (auto& us : c.samplesUs)
        us *= 1.25;
    return c;
}

}  // namespace tw::gui

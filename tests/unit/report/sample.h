// A capture with something for every picture.
#pragma once

#include "profiler/capture/capture.h"

namespace tw::report::test {

inline capture::Capture fullCapture()
{
    using namespace capture;
    Capture c;
    c.tilewright = "0.1.0";
    c.created = "2026-11-30T01:02:03Z";
    c.files = {{"gemm.py", "import tilelang\n\n\nfor k in T.Pipelined(64):\n    T.copy(A, A_shared)\n    T.gemm(A_shared, B_shared, C_local)\n"}};
    c.kernel = "matmul";
    c.instance = "default";
    c.target = "sm_90a";
    c.params = {{"block_M", "128"}};
    c.environment.device = "cuda:0";
    c.environment.gpu = "NVIDIA H200";
    Launch launch;
    launch.entry = "matmul_kernel";
    launch.grid = {32, 32, 1};
    launch.block = {256, 1, 1};
    launch.dynamicSharedBytes = 98304;
    launch.registers = 168;
    launch.blocksPerSm = 1;
    launch.occupancy = 0.125;
    launch.limiter = "shared memory";
    c.launches = {launch};
    c.samplesUs = {210, 212, 211, 215};
    c.metrics.push_back({.name = metric::kDuration, .value = 211, .unit = "us", .launch = -1, .samples = 4, .spread = 0.01});
    c.metrics.push_back({.name = metric::kTensorPipe, .value = 78.5, .unit = "%", .launch = 0});
    c.metrics.push_back({.name = metric::kDramBandwidth, .value = 21, .unit = "%", .launch = 0, .origin = Origin::kModelled});
    c.metrics.push_back({.name = metric::kFlops, .value = 137.4e9, .unit = "count", .launch = -1, .origin = Origin::kModelled});
    Operation gemm, copy;
    gemm.name = "gemm A_shared B_shared → C_local";
    gemm.line = 6;
    gemm.timeShare = 0.7;
    gemm.samples = 700;
    gemm.stalls = {{"math pipe", 0.6}, {"barrier", 0.4}};
    copy.name = "copy A → A_shared";
    copy.line = 5;
    copy.timeShare = 0.3;
    copy.samples = 300;
    copy.bytes = {{"dram", 67e6}, {"l2", 134e6}};
    copy.stalls = {{"long scoreboard", 1}};
    c.operations = {gemm, copy};
    c.lines.push_back({.text = "source", .line = 6, .share = 0.7, .stalls = {}});
    c.lines.push_back({.text = "source", .line = 5, .share = 0.3, .stalls = {}});
    c.series.push_back({.name = "tensor pipe", .unit = "%", .timeNs = {0, 2000, 4000}, .values = {10, 80, 60}});
    Timeline timeline;
    timeline.tracks = {{.role = "producer"}, {.role = "consumer"}};
    for (int i = 0; i < 4; ++i) {
        timeline.spans.push_back({.track = 0, .event = "issue", .iteration = i, .stage = i % 2, .startNs = 100.0 * i, .endNs = 100.0 * i + 40});
    }
    for (int i = 0; i < 4; ++i)
        timeline.spans.push_back({.track = 1, .event = "tensor", .iteration = i, .startNs = 100.0 * i + 50, .endNs = 100.0 * i + 140});
    c.timelines = {timeline};
    c.roofline.ceilings = {{.name = "DRAM", .perSecond = 4e12, .isBandwidth = true}, {.name = "tensor fp16", .perSecond = 8e14, .isBandwidth = false}};
    c.roofline.points.push_back({.name = "matmul", .flops = 1e12, .bytes = 1e9, .seconds = 2e-3, .bandwidth = "DRAM", .compute = "tensor fp16"});
    Finding finding;
    finding.code = "consumer-waits";
    finding.reason = "consumers wait 38 % of the time";
    finding.line = 5;
    finding.gain = 1.2;
    c.findings = {finding};
    c.absences = {{"PM sampling", "this driver is too old"}};
    return c;
}

}  // namespace tw::report::test

// A capture with some of every part, and what a file holds.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "profiler/capture/capture.h"

namespace tw::store::test {

inline capture::Capture sampleCapture(double durationUs = 12.5)
{
    using namespace capture;
    Capture c;
    c.tilewright = "0.1.0";
    c.created = "2026-11-30T01:02:03Z";
    c.files = {{"/home/me/kernels/gemm.py", "import tilelang\nx = 1\n"}};
    c.kernel = "matmul";
    c.instance = "default";
    c.target = "sm_90a";
    c.params = {{"block_M", "128"}, {"dtype", "'float16'"}};
    c.environment.device = "cuda:0";
    c.environment.gpu = "NVIDIA H200";
    Launch launch;
    launch.entry = "matmul_kernel";
    launch.grid = {32, 32, 1};
    launch.block = {256, 1, 1};
    launch.registers = 168;
    c.launches.push_back(launch);
    c.samplesUs = {durationUs - 0.1, durationUs, durationUs + 0.1};
    c.metrics.push_back({.name = metric::kDuration, .value = durationUs, .unit = "us", .launch = -1, .samples = 3, .spread = 0.01});
    c.metrics.push_back({.name = metric::kTensorPipe, .value = 61.5, .unit = "%", .launch = 0, .samples = 3, .spread = 0});
    c.timelines.push_back({.tracks = {{.role = "producer"}}, .spans = {{.track = 0, .event = "issue", .endNs = 40}}});
    c.notes = "first try";
    c.tags = {"nightly", "fp16"};
    return c;
}

inline std::string bytesOf(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void putBytes(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace tw::store::test

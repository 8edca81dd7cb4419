#include "profiler/cuda/nvml.h"

#include <cstring>

#include <gtest/gtest.h>

namespace tw::cuda {
namespace {

api::NvmlFunctions functions()
{
    api::NvmlFunctions f;
    f.init = [] { return 0; };
    f.shutdown = [] { return 0; };
    f.errorText = [](int) { return "library's words"; };
    f.driverVersion = [](char* text, unsigned) { return std::strcpy(text, "580.1"), 0; };
    f.deviceByPciBusId = [](const char* id, api::NvmlFunctions::Device*) { return std::string(id) == "0000:01:00.0" ? 0 : 6; };
    f.clock = [](api::NvmlFunctions::Device, int which, unsigned* mhz) { return *mhz = which == 1 ? 1410U : 3201U, 0; };
    f.power = [](api::NvmlFunctions::Device, unsigned* milliwatts) { return *milliwatts = 698500, 0; };
    f.throttling = [](api::NvmlFunctions::Device, unsigned long long* reasons) { return *reasons = 0x4 | 0x20, 0; };
    return f;
}

TEST(Nvml, ReadsWhatTheLibrarySays)
{
    const auto nvml = Nvml::adopt(functions(), "0000:01:00.0");
    ASSERT_TRUE(nvml) << nvml.error();
    EXPECT_EQ((*nvml)->driverVersion(), "580.1");
    const GpuState state = (*nvml)->read();
    EXPECT_EQ(state.smClockMHz, 1410);
    EXPECT_EQ(state.memoryClockMHz, 3201);
    EXPECT_DOUBLE_EQ(state.powerW, 698.5);
    EXPECT_EQ(state.temperatureC, 0);  // no such function in this library
    EXPECT_EQ(state.throttling, (std::vector<std::string>{"power cap", "thermal slowdown"}));
}

TEST(Nvml, SaysWhatIsWrong)
{
    const auto unknown = Nvml::adopt(functions(), "0000:02:00.0");
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().find("0000:02:00.0: library's words"), std::string::npos) << unknown.error();
    EXPECT_FALSE(Nvml::adopt({}, "x"));
}

TEST(Nvml, BeingIdleIsNoThrottling) { EXPECT_TRUE(throttleReasons(0x1).empty()); }

}  // namespace
}  // namespace tw::cuda

#include <gtest/gtest.h>

#include "profiler/device/cuda_target.h"
#include "profiler/device/device.h"
#include "profiler/device/machine.h"

namespace tw::device {
namespace {

TEST(Remote, NamesCommandAndDevice)
{
    EXPECT_TRUE(isRemote("ssh:host"));
    EXPECT_FALSE(isRemote("cuda:0"));
    const RemoteDevice ssh = parseRemote("ssh:user@host/cuda:1");
    EXPECT_EQ(ssh.device, "cuda:1");
    EXPECT_EQ(ssh.command.at(ssh.command.size() - 3), "user@host");
    EXPECT_EQ(ssh.command.back(), "serve");
    EXPECT_EQ(parseRemote("ssh:host").device, "cpu");
    const RemoteDevice command = parseRemote("cmd:srun -G1 /opt/bin/tilec serve/cuda:0");
    EXPECT_EQ(command.device, "cuda:0");
    EXPECT_EQ(command.command.back(), "exec srun -G1 /opt/bin/tilec serve");
    const RemoteDevice plain = parseRemote("cmd:/opt/bin/tilec serve");
    EXPECT_EQ(plain.device, "cpu");
    EXPECT_EQ(plain.command.back(), "exec /opt/bin/tilec serve");
}

TEST(CudaTarget, RunsWhereItsCodeRuns)
{
    EXPECT_EQ(targetFor(9, 0), "sm_90a");
    EXPECT_EQ(targetFor(8, 0), "sm_80");
    EXPECT_EQ(targetFor(8, 7), "sm_86");
    EXPECT_EQ(targetFor(7, 5), "sm_75");
    EXPECT_FALSE(targetFor(12, 0));
    EXPECT_FALSE(targetFor(10, 3));  // sm_100a is for 10.0 alone
    EXPECT_TRUE(runsOn("sm_80", 8, 9));
    EXPECT_FALSE(runsOn("sm_80", 9, 0));
    EXPECT_FALSE(runsOn("sm_89", 8, 6));
    EXPECT_FALSE(runsOn("gfx942", 9, 0));
}

TEST(Machine, SaysWhatIsHereAndWhatHelps)
{
    const protocol::MachineResult machine = describeMachine();
    std::set<std::string> names;
    for (const protocol::Check& c : machine.checks) {
        names.insert(c.name);
        EXPECT_FALSE(c.detail.empty()) << c.name;
        EXPECT_EQ(c.state == "ok", c.remedy.empty()) << c.name;
    }
    for (const char* name : {"nvidia driver", "nvrtc", "disassembler", "cupti", "cubin cache"})
        EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace tw::device

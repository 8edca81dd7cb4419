#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "profiler/device/cuda_compile.h"
#include "profiler/device/cuda_target.h"
#include "profiler/device/device.h"
#include "profiler/device/machine.h"
#include "tests/temporary_folder.h"

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

TEST(Remote, SshAsksByItsAskpassOrNotAtAll)
{
    const auto has = [](const std::string& option) {
        const std::vector<std::string> command = parseRemote("ssh:host").command;
        return std::find(command.begin(), command.end(), option) != command.end();
    };
    ::unsetenv("DISPLAY");
    ::unsetenv("SSH_ASKPASS");
    EXPECT_TRUE(has("BatchMode=yes"));
    ::setenv("SSH_ASKPASS", "/usr/bin/ksshaskpass", 1);
    EXPECT_FALSE(has("BatchMode=yes"));
    ::unsetenv("SSH_ASKPASS");
    EXPECT_TRUE(has("ServerAliveInterval=10"));  // a host that hangs is noticed
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

TEST(CudaCompile, CompilesOnceWhereThereIsNvrtc)
{
    const tw::test::TemporaryFolder folder;
    ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    const protocol::CudaCompileRequest request{"k", "extern \"C\" __global__ void k(float* x) { *x = 1; }", "sm_90a", false};
    const protocol::CudaCompileResult first = compileHere(request);
    if (first.head.outcome == protocol::Outcome::kCannot) {
        ASSERT_FALSE(first.head.diagnostics.empty());
        GTEST_SKIP() << first.head.diagnostics[0].message;
    }
    ASSERT_EQ(first.head.outcome, protocol::Outcome::kFine) << first.log;
    EXPECT_TRUE(first.cubin.starts_with("\x7f" "ELF"));
    const protocol::CudaCompileResult second = compileHere(request);
    EXPECT_EQ(second.cubin, first.cubin);
    EXPECT_TRUE(second.log.empty());  // no compiler ran
    const protocol::CudaCompileResult wrong = compileHere({"k", "this is no CUDA", "sm_90a", false});
    EXPECT_EQ(wrong.head.outcome, protocol::Outcome::kProgramWrong);
    EXPECT_FALSE(wrong.log.empty());
}

TEST(CudaCompile, AsksTheClientWhereThereIsNone)
{
    int asked = 0;
    const protocol::CudaCompiler client = [&](const protocol::CudaCompileRequest&) {
        ++asked;
        protocol::CudaCompileResult result;
        result.cubin = "from the client";
        return result;
    };
    const protocol::CudaCompileRequest request{"k", "extern \"C\" __global__ void k() {}", "sm_90a", false};
    const protocol::CudaCompileResult result = compileAnywhere(request, client);
    EXPECT_EQ(result.head.outcome, protocol::Outcome::kFine);
    EXPECT_EQ(asked, result.cubin == "from the client" ? 1 : 0);
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
    for (const char* name : {"processor", "nvidia driver", "nvrtc", "disassembler", "cupti", "cubin cache"})
        EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace tw::device

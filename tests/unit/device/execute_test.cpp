// Whole requests on the interpreter and on this machine's processor.
#include <gtest/gtest.h>

#include "profiler/device/execute.h"
#include "profiler/device/machine.h"

namespace tw::device {
namespace {

constexpr const char* kScale = R"(import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[1])
def scale(n, factor=3.0):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as b:
            for i in T.Parallel(64):
                Y[b * 64 + i] = X[b * 64 + i] * factor
    return main
)";

protocol::RunRequest request(const char* device)
{
    protocol::RunRequest r;
    r.job = {"scale.py", kScale, {}, {"scale", "", {{"n", "100"}}, {}, {}}, std::nullopt};
    r.device = device;
    r.inputs["X"].literal = "2";
    r.wantOutputs = true;
    return r;
}

TEST(Execute, RunsOnEveryDevice)
{
    for (const char* device : {"interp", "cpu", "sim"}) {
        const protocol::RunResult result = execute(request(device));
        ASSERT_EQ(result.head.outcome, protocol::Outcome::kFine) << (result.head.diagnostics.empty() ? "" : result.head.diagnostics[0].message);
        ASSERT_EQ(result.outputs.size(), 1U);
        EXPECT_EQ(result.outputs[0].name, "Y");
        EXPECT_EQ(result.outputs[0].shape, std::vector<std::int64_t>{100});
        EXPECT_EQ(result.outputs[0].min, 6.0);
        EXPECT_EQ(result.outputs[0].max, 6.0);
        EXPECT_EQ(result.head.target, "sm_90a");
    }
}

TEST(Execute, OnlyTheSimulatorCounts)
{
    EXPECT_FALSE(execute(request("cpu")).simulation);
    protocol::RunRequest r = request("sim");
    r.repeat = 3;  // counts of one run
    const protocol::RunResult result = execute(r);
    ASSERT_TRUE(result.simulation);
    EXPECT_EQ(result.simulation->traffic.globalRead, 400);
    EXPECT_EQ(result.simulation->traffic.globalWritten, 400);
}

TEST(Execute, TheSimulatorPlaysNvidiaGpusOnly)
{
    protocol::RunRequest r = request("sim");
    r.job.target = "cpu";
    const protocol::RunResult result = execute(r);
    EXPECT_EQ(result.head.outcome, protocol::Outcome::kCannot);
    ASSERT_FALSE(result.head.diagnostics.empty());
    EXPECT_TRUE(result.head.diagnostics.back().message.starts_with("not supported: the simulator runs code for NVIDIA GPUs, and cpu is none"));
}

TEST(Execute, NamesWhatIsMissing)
{
    protocol::RunRequest r = request("interp");
    r.job.kernel.params.clear();
    const protocol::RunResult result = execute(r);
    EXPECT_EQ(result.head.outcome, protocol::Outcome::kUsage);
    ASSERT_FALSE(result.head.diagnostics.empty());
    EXPECT_EQ(result.head.diagnostics.back().message, "scale needs --param n");
}

TEST(Execute, RefusesTensorsThatTheMachineCannotHold)
{
    for (const char* device : {"interp", "cpu", "sim"}) {
        protocol::RunRequest r = request(device);
        r.job.kernel.params["n"] = std::to_string(static_cast<std::int64_t>(memoryOfMachine() / 8) + 1024);  // X and Y of 4 bytes each
        const protocol::RunResult result = execute(r);
        EXPECT_EQ(result.head.outcome, protocol::Outcome::kCannot);
        ASSERT_FALSE(result.head.diagnostics.empty());
        EXPECT_TRUE(result.head.diagnostics.back().message.starts_with("not supported: tensors of ")) << result.head.diagnostics.back().message;
    }
}

TEST(Execute, RefusesDevicesThatAreNotHere)
{
    protocol::RunRequest simulated = request("sim");
    simulated.job.target = "cpu";
    const protocol::RunResult sim = execute(simulated);
    EXPECT_EQ(sim.head.outcome, protocol::Outcome::kCannot);
    EXPECT_TRUE(sim.head.diagnostics.at(0).message.starts_with("not supported: "));
    EXPECT_EQ(execute(request("cuda:0")).head.outcome, protocol::Outcome::kCannot);
    EXPECT_EQ(execute(request("gpu")).head.outcome, protocol::Outcome::kUsage);
}

TEST(Execute, VerifiesAgainstTheInterpreter)
{
    protocol::VerifyRequest v;
    v.job = request("cpu").job;
    v.inputSets = 2;
    const protocol::VerifyResult result = execute(v);
    ASSERT_EQ(result.head.outcome, protocol::Outcome::kFine) << (result.head.diagnostics.empty() ? "" : result.head.diagnostics[0].message);
    ASSERT_EQ(result.outputs.size(), 1U);
    EXPECT_EQ(result.outputs[0].wrong, 0);
    EXPECT_EQ(result.outputs[0].total, 200);
    v.device = "interp";
    EXPECT_EQ(execute(v).head.outcome, protocol::Outcome::kUsage);
}

constexpr const char* kStrided = R"(import tilelang.language as T

@T.prim_func
def main(X: T.ptr, Y: T.ptr):
    A = T.make_tensor(X, (3, 5), T.float16, strides=(8, 1))
    B = T.make_tensor(Y, (3, 5), T.float32, strides=(1, 3))
    with T.Kernel(1, threads=32):
        for i, j in T.Parallel(3, 5):
            B[i, j] = A[i, j] + T.float32(i * 10 + j)
)";

TEST(Execute, OutputsAreInLogicalOrderWhateverTheStrides)
{
    for (const char* device : {"interp", "cpu", "sim"}) {
        protocol::RunRequest r;
        r.job = {"strided.py", kStrided, {}, {}, std::nullopt};
        r.device = device;
        r.inputs["X"].literal = "1";
        r.wantOutputs = true;
        const protocol::RunResult result = execute(r);
        ASSERT_EQ(result.head.outcome, protocol::Outcome::kFine) << (result.head.diagnostics.empty() ? "" : result.head.diagnostics[0].message);
        ASSERT_EQ(result.outputs.size(), 1U);
        ASSERT_EQ(result.outputs[0].shape, (std::vector<std::int64_t>{3, 5}));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 5; ++j)
                EXPECT_EQ(result.outputs[0].data->floatAt(i * 5 + j), 1 + i * 10 + j) << device << " " << i << " " << j;
    }
    protocol::VerifyRequest v;
    v.job = {"strided.py", kStrided, {}, {}, std::nullopt};
    const protocol::VerifyResult result = execute(v);
    EXPECT_EQ(result.head.outcome, protocol::Outcome::kFine);
    ASSERT_EQ(result.outputs.size(), 1U);
    EXPECT_EQ(result.outputs[0].total, 15);
}

TEST(Execute, StopsBeforeItBegins)
{
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(execute(request("interp"), {}, stop.get_token()).head.cancelled);
}

}  // namespace
}  // namespace tw::device

// GPU programs on a driver that the test plays: what the host does around the kernels.
#include <cstring>

#include <gtest/gtest.h>

#include "profiler/device/cuda_ceilings.h"
#include "profiler/device/host_values.h"
#include "tests/unit/cuda/fake_driver.h"
#include "tests/unit/device/axpy.h"
#include "tests/unit/device/functions.h"

namespace tw::device {
namespace {

using gpu::ArgumentKind;

TEST(HostValues, EvaluatesExtentsAndScalars)
{
    interp::Arguments arguments;
    arguments.dims["n"] = 100;
    arguments.scalars["k"] = std::int64_t{3};
    arguments.scalars["alpha"] = 2.5;
    const HostValues values(arguments);
    EXPECT_EQ(values.value(ir::ceilDiv(test::symbol("n"), ir::intImm(64))), 2);
    EXPECT_EQ(values.value(ir::mul(test::symbol("n"), test::symbol("k"))), 300);
    EXPECT_FALSE(values.value(test::symbol("alpha")));
    EXPECT_FALSE(values.value(test::symbol("unknown")));
}

TEST(StridedLayout, PacksAndUnpacks)
{
    const StridedLayout columns(ir::kInt8, {2, 3}, {1, 4});  // column-major with a gap
    EXPECT_FALSE(columns.isContiguous());
    EXPECT_EQ(columns.bytes(), 10);
    const std::vector<std::uint8_t> rows = {1, 2, 3, 4, 5, 6};
    const std::vector<std::uint8_t> packed = columns.pack(rows);
    EXPECT_EQ(packed, (std::vector<std::uint8_t>{1, 4, 0, 0, 2, 5, 0, 0, 3, 6}));
    std::vector<std::uint8_t> back(6);
    columns.unpack(packed, back);
    EXPECT_EQ(back, rows);
    EXPECT_TRUE(StridedLayout(ir::kFloat16, {2, 3}, {3, 1}).isContiguous());
    EXPECT_EQ(StridedLayout(ir::kFloat16, {0, 3}, {}).bytes(), 0);
}

TEST_F(CudaExecutableTest, RunsAndGivesTheAnswer)
{
    interp::Arguments values = arguments(100);
    ASSERT_TRUE(run(values)) << message();
    EXPECT_EQ(values.tensors["Y"].floatAt(10), 15.0);
    EXPECT_EQ(values.tensors["X"].floatAt(10), 10.0);
    ASSERT_EQ(fake_.launches.size(), 1U);
    EXPECT_EQ(fake_.launches[0].gridX, 2U);
    EXPECT_EQ(fake_.launches[0].blockX, 64U);
    EXPECT_EQ(report_.samplesUs, std::vector<double>{250});
    EXPECT_EQ(report_.clock, "device events");
    EXPECT_FALSE(report_.deviceIsLost);
    EXPECT_EQ(fake_.live, 0);
}

TEST_F(CudaExecutableTest, RepeatsFromTheSameInputs)
{
    interp::Arguments values = arguments(100);
    ASSERT_TRUE(run(values, 5)) << message();
    EXPECT_EQ(values.tensors["Y"].floatAt(10), 15.0);
    EXPECT_EQ(report_.samplesUs.size(), 5U);
    EXPECT_EQ(counted_, 1);  // the workspace is zeroed before every launch
}

TEST_F(CudaExecutableTest, NoticesStoresOutside)
{
    overrun_ = 3;
    interp::Arguments values = arguments(100);
    EXPECT_FALSE(run(values));
    EXPECT_EQ(message(), "the kernel stores outside Y: 12 bytes changed, the nearest 0 bytes behind its end");
    EXPECT_EQ(diagnostics_.all()[0].code, Code::kOutOfBounds);
    EXPECT_EQ(diagnostics_.all()[0].range.begin, 10U);
    EXPECT_FALSE(report_.deviceIsLost);
}

TEST_F(CudaExecutableTest, TellsThatAFaultEndsTheRunner)
{
    fake_.kernels["axpy_kernel"] = [this](void**) { fake_.failure = cuda::api::kIllegalAddress; };
    interp::Arguments values = arguments(100);
    EXPECT_FALSE(run(values));
    EXPECT_NE(message().find("memory that is not its own"), std::string::npos) << message();
    EXPECT_TRUE(report_.deviceIsLost);
}

TEST_F(CudaExecutableTest, ChecksTheHostsAssertions)
{
    interp::Arguments values = arguments(0);
    EXPECT_FALSE(run(values));
    EXPECT_EQ(message(), "an assertion on the arguments does not hold: n must be positive");
    EXPECT_TRUE(fake_.launches.empty());
}

TEST_F(CudaExecutableTest, LaunchesWhatTheConditionAllows)
{
    program_.launches[0].condition = ir::less(test::symbol("n"), ir::intImm(50));
    interp::Arguments values = arguments(100);
    ASSERT_TRUE(run(values)) << message();
    EXPECT_TRUE(fake_.launches.empty());
    EXPECT_EQ(values.tensors["Y"].floatAt(10), 10.0);
}

TEST_F(CudaExecutableTest, GivesWhatTheKernelPrints)
{
    program_.prints = true;
    printed_ = "hello\n";
    interp::Arguments values = arguments(4);
    ASSERT_TRUE(run(values, 3)) << message();
    EXPECT_EQ(report_.log, "hello\n");
}

TEST_F(CudaExecutableTest, MakesTensorMaps)
{
    // X as 25 rows of 4 floats: the box is reversed for the driver, whose first axis is the fastest.
    program_.tensorMaps = {{false, 0, ir::kFloat32, {ir::intImm(25), ir::intImm(4)}, {ir::intImm(4), ir::intImm(1)}, {5, 4}, {1, 1}, 0}};
    program_.launches[0].arguments.push_back({ArgumentKind::kTensorMap, 0, "X_map", ir::kHandle});
    cuda::api::TensorMap seen{};
    fake_.kernels["axpy_kernel"] = [&](void** p) { std::memcpy(&seen, p[5], sizeof seen); };
    interp::Arguments values = arguments(100);
    ASSERT_TRUE(run(values)) << message();
    EXPECT_EQ(seen.words[0], 7U);  // float32
    EXPECT_EQ(seen.words[1], 2U);  // rank
    EXPECT_EQ(seen.words[2], 4U);  // extent of the fastest axis
}

TEST(CopyCeiling, CountsBytesReadAndWritten)
{
    const cuda::FakeDriver fake;  // whose events are 250 µs apart
    const auto ceiling = measureCopyCeiling(cuda::FakeDriver::context(), 1 << 20);
    ASSERT_TRUE(ceiling);
    EXPECT_NEAR(ceiling->perSecond, 2.0 * (1 << 20) / 250e-6, 1);
    EXPECT_EQ(ceiling->origin, capture::Origin::kMeasured);
}

}  // namespace
}  // namespace tw::device

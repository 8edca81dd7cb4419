// GPU programs on a driver that the test plays: what the host does around the kernels.
#include <cstring>

#include <gtest/gtest.h>

#include "core/ir/build.h"
#include "profiler/device/cuda_ceilings.h"
#include "profiler/device/cuda_executable.h"
#include "profiler/device/host_values.h"
#include "tests/unit/cuda/fake_driver.h"
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

// Y[i] += X[i] * alpha for i < n, in blocks of 64, with one workspace that counts blocks.
class CudaExecutableTest : public testing::Test {
protected:
    void SetUp() override
    {
        const ir::Var n = test::symbol("n");
        const ir::Buffer x = test::tensor("X", ir::kFloat32, {n}), y = test::tensor("Y", ir::kFloat32, {n});
        const ir::Var alpha = std::make_shared<const ir::VarNode>(ir::kFloat32, "alpha");
        auto function = std::make_shared<ir::Function>();
        function->name = "axpy";
        function->params = {{x}, {y}, {alpha}};
        function->symbols = {n};
        function->body = test::loop(ir::intImm(0), n, [&](const ir::Var& i) {
            return test::store(y, i, ir::binary(ir::BinaryOp::kAdd, test::load(y, i), ir::binary(ir::BinaryOp::kMul, test::load(x, i), alpha)));
        });
        function_ = function;
        program_.language = "cuda";
        gpu::KernelLaunch launch;
        launch.entry = "axpy_kernel";
        launch.grid = {ir::ceilDiv(n, ir::intImm(64))};
        launch.block = {64, 1, 1};
        launch.arguments = {{ArgumentKind::kTensor, 0, "X", ir::kHandle}, {ArgumentKind::kTensor, 1, "Y", ir::kHandle},
                            {ArgumentKind::kScalar, 2, "alpha", ir::kFloat32}, {ArgumentKind::kSymbol, 0, "n", ir::kInt32},
                            {ArgumentKind::kWorkspace, 0, "count", ir::kHandle}};
        launch.range = {0, 10, 20};
        program_.launches = {launch};
        program_.workspaces = {{"count", ir::kInt32, {ir::intImm(1)}, true}};
        program_.asserts = {{ir::less(ir::intImm(0), n), "n must be positive", {}}};
        fake_.kernels["axpy_kernel"] = [this](void** p) { axpy(p); };
    }

    void axpy(void** p)
    {
        const auto* x = *static_cast<const float**>(p[0]);
        auto* y = *static_cast<float**>(p[1]);
        const float alpha = *static_cast<float*>(p[2]);
        const int n = *static_cast<int*>(p[3]);
        counted_ = ++**static_cast<int**>(p[4]);
        for (int i = 0; i < n + overrun_; ++i)
            y[i] = i < n ? y[i] + x[i] * alpha : 0;
        std::fputs(printed_, stdout);
    }

    interp::Arguments arguments(std::int64_t n) const
    {
        interp::Arguments out;
        out.dims["n"] = n;
        out.scalars["alpha"] = 0.5;
        for (const char* name : {"X", "Y"}) {
            interp::Tensor& t = out.tensors[name] = interp::makeTensor(ir::kFloat32, {n});
            for (std::int64_t i = 0; i < n; ++i)
                t.setFloat(i, static_cast<double>(i));
        }
        return out;
    }

    bool run(interp::Arguments& values, int repeat = 1)
    {
        context_ = cuda::FakeDriver::context();
        auto loaded = loadKernels(context_, function_, std::make_shared<const gpu::GpuProgram>(program_), "image");
        EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
        return loaded && makeExecutable(std::move(*loaded))->run(values, repeat, report_, diagnostics_, {}, {});
    }
    std::string message() const { return diagnostics_.all().empty() ? "" : diagnostics_.all()[0].message; }

    cuda::FakeDriver fake_;
    std::shared_ptr<const ir::Function> function_;
    gpu::GpuProgram program_;
    std::shared_ptr<cuda::Context> context_;
    RunReport report_;
    DiagnosticSink diagnostics_;
    int overrun_ = 0, counted_ = 0;
    const char* printed_ = "";
};

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

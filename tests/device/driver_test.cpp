#include <numeric>

#include "profiler/cuda/output_capture.h"
#include "profiler/cuda/tensor_map.h"
#include "tests/device/gpu.h"

namespace tw::cuda {
namespace {

std::vector<std::uint32_t> counting(std::size_t count, std::uint32_t start = 0)
{
    std::vector<std::uint32_t> out(count);
    std::iota(out.begin(), out.end(), start);
    return out;
}

TEST_F(GpuTest, DescribesItself)
{
    const DeviceInfo& d = context_->device();
    EXPECT_FALSE(d.name.empty());
    EXPECT_GT(d.multiprocessors, 0);
    EXPECT_GT(d.l2Bytes, 1 << 20);
    EXPECT_GE(d.sharedBytesPerBlock, 48 << 10);
    EXPECT_GT(d.memoryBytes, std::int64_t{1} << 30);
    std::printf("%s, compute capability %d.%d, %d multiprocessors, %lld bytes of L2, %lld bytes of shared memory a block\n", d.name.c_str(),
                d.major, d.minor, d.multiprocessors, static_cast<long long>(d.l2Bytes), static_cast<long long>(d.sharedBytesPerBlock));
}

TEST_F(GpuTest, AddsVectors)
{
    const std::uint32_t n = 100003;
    const auto a = numbers(counting(n)), b = numbers(counting(n, 7)), out = allocate(n * 4);
    ParameterList parameters;
    parameters.add(out->address());
    parameters.add(a->address());
    parameters.add(b->address());
    parameters.add(n);
    ASSERT_TRUE(launch(*context_, find("add"), {{(n + 255) / 256, 1, 1}, {256, 1, 1}}, parameters));
    ASSERT_TRUE(context_->synchronize("adding"));
    const auto sums = download(*out);
    for (std::uint32_t i = 0; i < n; ++i)
        ASSERT_EQ(sums[i], 2 * i + 7) << i;
    EXPECT_FALSE(out->brokenGuard().value());
    const FunctionInfo info = module_->describe(find("add"));
    EXPECT_GT(info.registers, 0);
    EXPECT_EQ(info.localBytes, 0);
    EXPECT_GT(residentBlocks(*context_, find("add"), 256, 0), 0);
}

TEST_F(GpuTest, NoticesAStoreBehindTheEnd)
{
    const std::uint32_t n = 1000;
    const auto a = numbers(counting(n + 4)), out = allocate(n * 4);
    ParameterList parameters;
    parameters.add(out->address());
    parameters.add(a->address());
    parameters.add(a->address());
    parameters.add(n + 4);
    ASSERT_TRUE(launch(*context_, find("add"), {{4, 1, 1}, {256, 1, 1}}, parameters));
    const auto broken = out->brokenGuard().value();
    ASSERT_TRUE(broken);
    EXPECT_FALSE(broken->isBefore);
    EXPECT_EQ(broken->distance, 0);
    EXPECT_FALSE(context_->isLost());
}

TEST_F(GpuTest, GivesAllSharedMemoryAndClusters)
{
    const auto out = allocate(8);
    ParameterList parameters;
    parameters.add(out->address());
    const std::int64_t most = context_->device().sharedBytesPerBlock;
    for (const std::int64_t cluster : {1, 4, 8, 16}) {
        const std::int64_t shared = cluster == 16 ? 1024 : most;
        const auto done = launch(*context_, find("shape"), {{32, 1, 1}, {32, 1, 1}, {cluster, 1, 1}, shared, false}, parameters);
        ASSERT_TRUE(done) << done.error().message;
        ASSERT_TRUE(context_->synchronize("running"));
        EXPECT_EQ(download(*out), (std::vector<std::uint32_t>{static_cast<std::uint32_t>(shared), static_cast<std::uint32_t>(cluster)}));
    }
    const auto cooperative = launch(*context_, find("shape"), {{32, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0, true}, parameters);
    EXPECT_TRUE(cooperative) << cooperative.error().message;
    const auto tooMany = launch(*context_, find("shape"), {{1 << 20, 1, 1}, {1024, 1, 1}, {1, 1, 1}, 0, true}, parameters);
    ASSERT_FALSE(tooMany);
    EXPECT_EQ(tooMany.error().kind, FailureKind::kBadLaunch);
    EXPECT_FALSE(context_->isLost());
}

TEST_F(GpuTest, CopiesBoxesByTensorMap)
{
    // 50 rows of 36 numbers in rows of 40; a box that hangs over the edge reads zeros there.
    const std::uint32_t columns = 36, rows = 50, pitch = 40;
    const auto in = numbers(counting(rows * pitch, 1)), out = allocate(256);
    const TensorMapSpec spec{TensorMapType::kU32, in->address(), {columns, rows}, {pitch * 4}, {8, 8}, {}, TensorMapSwizzle::kNone,
                             TensorMapPromotion::k128};
    const auto map = encodeTensorMap(context_->driver(), spec);
    ASSERT_TRUE(map) << map.error().message;
    for (const auto& [x, y] : {std::pair<std::uint32_t, std::uint32_t>{8, 3}, {32, 44}}) {
        ParameterList parameters;
        parameters.add(out->address());
        parameters.add(*map);
        parameters.add(x);
        parameters.add(y);
        ASSERT_TRUE(launch(*context_, find("box"), {{1, 1, 1}, {32, 1, 1}}, parameters));
        const auto done = context_->synchronize("copying");
        ASSERT_TRUE(done) << done.error().message;
        const auto got = download(*out);
        for (std::uint32_t r = 0; r < 8; ++r)
            for (std::uint32_t c = 0; c < 8; ++c)
                EXPECT_EQ(got[r * 8 + c], x + c < columns && y + r < rows ? (y + r) * pitch + x + c + 1 : 0) << r << ", " << c;
    }
}

TEST_F(GpuTest, CapturesWhatKernelsPrint)
{
    OutputCapture capture;
    ParameterList parameters;
    parameters.add(0U);
    ASSERT_TRUE(launch(*context_, find("print"), {{3, 1, 1}, {1, 1, 1}}, parameters));
    ASSERT_TRUE(context_->synchronize("printing"));
    const std::string text = capture.take();
    EXPECT_EQ(text.size(), 24U) << text;
    for (const char* line : {"block 0\n", "block 1\n", "block 2\n"})
        EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST_F(GpuTest, RefusesCodeOfAnotherMachine)
{
    const auto module = Module::load(context_, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { wrong; }\n");
    ASSERT_FALSE(module);
    EXPECT_EQ(module.error().kind, FailureKind::kBadCode);
    EXPECT_NE(module.error().message.find("ptxas"), std::string::npos) << module.error().message;
    EXPECT_FALSE(Module::load(context_, "no code at all"));
    EXPECT_FALSE(context_->isLost());
}

}  // namespace
}  // namespace tw::cuda

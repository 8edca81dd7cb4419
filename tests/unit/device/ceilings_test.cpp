// What a GPU itself reaches, with a driver that the test plays; and which kernel would show it.
#include "profiler/device/cuda_ceilings.h"

#include <gtest/gtest.h>

#include "profiler/device/product_kernel.h"
#include "tests/temporary_folder.h"
#include "tests/unit/cuda/fake_driver.h"

namespace tw::device {
namespace {

target::Target targetOf(const char* name) { return *target::parse(name); }

TEST(ProductKernel, CountsItsOperations)
{
    const auto hopper = productKernel(targetOf("sm_90a"), ir::kFloat16);
    ASSERT_TRUE(hopper);
    EXPECT_EQ(hopper->operations, 2.0 * 4 * (2 * 64 * 256 * 16));  // two warp groups, four steps of m64n256k16
    EXPECT_EQ(hopper->sharedBytes, 2 * 64 * 128 + 256 * 128);
    EXPECT_NE(hopper->text.find("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16"), std::string::npos);
    const auto bytes = productKernel(targetOf("sm_90a"), ir::kInt8);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->operations, 2 * hopper->operations);  // half as wide, twice as deep
    const auto ampere = productKernel(targetOf("sm_80"), ir::kBFloat16);
    ASSERT_TRUE(ampere);
    EXPECT_EQ(ampere->operations, 16.0 * 8 * (2 * 16 * 8 * 16));  // sixteen warps, eight products in flight
    EXPECT_NE(ampere->text.find("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"), std::string::npos);
}

TEST(ProductKernel, IsAbsentWhereTheTargetHasNone)
{
    const ir::DType fp8{ir::Scalar::kFloat8E4M3FN};
    EXPECT_FALSE(productKernel(targetOf("sm_80"), fp8));
    EXPECT_TRUE(productKernel(targetOf("sm_89"), fp8));
    EXPECT_FALSE(productKernel(targetOf("sm_70"), ir::kFloat16));
    EXPECT_FALSE(productKernel(targetOf("sm_100a"), ir::kFloat16));
    EXPECT_FALSE(productKernel(targetOf("sm_90a"), ir::kFloat64));
    EXPECT_FALSE(productKernel(targetOf("gfx942"), ir::kFloat16));
}

class CeilingsTest : public testing::Test {
protected:
    std::vector<capture::Ceiling> measure() { return ceilingsOfGpu(cuda::FakeDriver::context(), {ir::kFloat64}, {}, absences_, cuda::CubinCache(folder_.path())); }

    const cuda::FakeDriver fake_;  // whose events are 250 µs apart
    const tw::test::TemporaryFolder folder_;
    std::map<std::string, std::string> absences_;
};

TEST_F(CeilingsTest, AreKeptForTheDevice)
{
    const auto first = measure();
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].name, "DRAM");
    EXPECT_EQ(first[0].samples, 5);
    EXPECT_NEAR(first[0].perSecond, 2.0 * (1 << 29) / 250e-6, 1);
    const auto second = measure();
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].perSecond, first[0].perSecond);
    EXPECT_EQ(second[0].samples, 5);
    EXPECT_TRUE(second[0].isBandwidth);
    EXPECT_EQ(second[0].origin, capture::Origin::kMeasured);
    EXPECT_EQ(folder_.count(), 1);
}

TEST_F(CeilingsTest, SayWhatWasNotMeasured)
{
    (void)measure();
    EXPECT_NE(absences_["measured ceilings"].find("float64"), std::string::npos);
}

}  // namespace
}  // namespace tw::device

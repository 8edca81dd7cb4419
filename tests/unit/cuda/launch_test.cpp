#include <gtest/gtest.h>

#include "profiler/cuda/launch.h"
#include "profiler/cuda/tensor_map.h"
#include "tests/unit/cuda/fake_driver.h"

namespace tw::cuda {
namespace {

class LaunchTest : public testing::Test {
protected:
    void SetUp() override
    {
        fake_.kernels["k"] = [this](void** parameters) {
            number_ = *static_cast<int*>(parameters[0]);
            factor_ = *static_cast<double*>(parameters[1]);
        };
        context_ = FakeDriver::context();
        module_ = std::move(*Module::load(context_, "image"));
        function_ = *module_->find("k");
        parameters_.add(7);
        parameters_.add(2.5);
    }
    Result<void> launchShape(const LaunchShape& shape) { return launch(*context_, function_, shape, parameters_); }
    std::string refusal(const LaunchShape& shape)
    {
        const auto done = launchShape(shape);
        EXPECT_FALSE(done);
        EXPECT_TRUE(fake_.launches.empty());
        return done ? "" : done.error().message;
    }

    FakeDriver fake_;
    std::shared_ptr<Context> context_;
    std::unique_ptr<Module> module_;
    api::Function function_ = nullptr;
    ParameterList parameters_;
    int number_ = 0;
    double factor_ = 0;
};

TEST_F(LaunchTest, PassesShapeAndParameters)
{
    ASSERT_TRUE(launchShape({{4, 5, 6}, {32, 2, 1}, {1, 1, 1}, 1000, false}));
    ASSERT_EQ(fake_.launches.size(), 1U);
    const api::LaunchConfig& config = fake_.launches[0];
    EXPECT_EQ(config.gridX * 100 + config.gridY * 10 + config.gridZ, 456U);
    EXPECT_EQ(config.blockX * 10 + config.blockY, 322U);
    EXPECT_EQ(config.sharedBytes, 1000U);
    EXPECT_EQ(config.attributeCount, 0U);
    EXPECT_EQ(number_, 7);
    EXPECT_EQ(factor_, 2.5);
    EXPECT_TRUE(fake_.functionAttributes.empty());
}

TEST_F(LaunchTest, AsksForWhatIsNotFree)
{
    ASSERT_TRUE(launchShape({{32, 1, 1}, {128, 1, 1}, {16, 1, 1}, 200000, true}));
    EXPECT_EQ(fake_.functionAttributes.at(api::kFunctionMaxDynamicShared), 200000);
    EXPECT_EQ(fake_.functionAttributes.at(api::kFunctionNonPortableCluster), 1);
    ASSERT_EQ(fake_.attributes.size(), 2U);
    EXPECT_EQ(fake_.attributes[0].id, api::kLaunchCluster);
    EXPECT_EQ(fake_.attributes[0].value.cluster.x, 16U);
    EXPECT_EQ(fake_.attributes[1].id, api::kLaunchCooperative);
    EXPECT_EQ(fake_.attributes[1].value.cooperative, 1);
}

TEST_F(LaunchTest, RefusesInNumbers)
{
    EXPECT_EQ(refusal({{1, 70000, 1}}), "a grid of 1 × 70000 × 1 blocks; axis y may have 65535");
    EXPECT_EQ(refusal({{1, 1, 1}, {1024, 2, 1}}), "2048 threads a block; the GPU has at most 1024");
    EXPECT_EQ(refusal({{1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 300000}), "300000 bytes of shared memory a block; the GPU has at most 232448");
    EXPECT_EQ(refusal({{5, 1, 1}, {32, 1, 1}, {2, 1, 1}}), "the grid's 5 blocks along x are no multiple of the cluster's 2");
}

TEST_F(LaunchTest, LaunchesNothingForAnEmptyGrid)
{
    EXPECT_TRUE(launchShape({{0, 1, 1}, {32, 1, 1}}));
    EXPECT_TRUE(fake_.launches.empty());
}

TEST_F(LaunchTest, TellsBadLaunchesFromFaults)
{
    fake_.launchResult = api::kOutOfResources;
    const auto bad = launchShape({});
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().kind, FailureKind::kBadLaunch);
    EXPECT_FALSE(context_->isLost());
    fake_.launchResult = api::kLaunchFailed;
    EXPECT_FALSE(launchShape({}));
    EXPECT_TRUE(context_->isLost());
}

TensorMapSpec goodMap() { return {TensorMapType::kF16, 4096, {64, 100}, {128}, {64, 32}, {}, TensorMapSwizzle::k128, TensorMapPromotion::k128}; }

TEST_F(LaunchTest, EncodesTensorMaps)
{
    const auto map = encodeTensorMap(context_->driver(), goodMap());
    ASSERT_TRUE(map);
    EXPECT_EQ(map->words[0], static_cast<std::uint64_t>(TensorMapType::kF16));
    EXPECT_EQ(map->words[1], 2U);
    EXPECT_EQ(map->words[2], 64U);
    EXPECT_EQ(map->words[3], 3U);
    parameters_.add(*map);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(parameters_.pointers()[2]) % 128, 0U);
}

TEST_F(LaunchTest, NamesTheBrokenRuleOfATensorMap)
{
    const auto broken = [&](auto&& change) {
        TensorMapSpec spec = goodMap();
        change(spec);
        const auto map = encodeTensorMap(context_->driver(), spec);
        return map ? std::string() : map.error().message;
    };
    EXPECT_EQ(broken([](TensorMapSpec& s) { s.address = 4104; }), "a tensor map starts at an address aligned to 16 bytes");
    EXPECT_EQ(broken([](TensorMapSpec& s) { s.strides = {100}; }),
              "a tensor map has strides that are multiples of 16 bytes below 2^40; axis 1 has 100");
    EXPECT_EQ(broken([](TensorMapSpec& s) { s.box = {64, 300}; }),
              "a tensor map copies 1 to 256 elements along an axis; axis 1 of the box has 300");
    EXPECT_EQ(broken([](TensorMapSpec& s) { s.swizzle = TensorMapSwizzle::k64; }),
              "a tensor map with a 64-byte swizzle copies rows of at most 64 bytes, not 128");
    EXPECT_EQ(broken([](TensorMapSpec& s) { s.extents = {64, 100, 3}; }), "a tensor map of 3 axes needs 3 box extents and 2 strides");
}

}  // namespace
}  // namespace tw::cuda

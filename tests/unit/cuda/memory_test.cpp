#include <cstring>

#include <gtest/gtest.h>

#include "profiler/cuda/memory.h"
#include "tests/unit/cuda/fake_driver.h"

namespace tw::cuda {
namespace {

std::vector<std::uint8_t> numbers(std::size_t count)
{
    std::vector<std::uint8_t> out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = static_cast<std::uint8_t>(i);
    return out;
}

TEST(Memory, KeepsBytesAndGivesThemBack)
{
    FakeDriver fake;
    const auto context = FakeDriver::context();
    {
        const auto a = Memory::allocate(context, 1001);
        const auto b = Memory::allocate(context, 1001);
        ASSERT_TRUE(a && b);
        EXPECT_EQ((*a)->address() % 256, 0U);
        ASSERT_TRUE((*a)->upload(numbers(1001)));
        ASSERT_TRUE((*b)->copyFrom(**a));
        std::vector<std::uint8_t> back(1001);
        ASSERT_TRUE((*b)->download(back));
        EXPECT_EQ(back, numbers(1001));
        ASSERT_TRUE((*b)->fill(3));
        EXPECT_FALSE((*b)->brokenGuard().value());
        EXPECT_EQ(fake.live, 2);
    }
    EXPECT_EQ(fake.live, 0);
}

TEST(Memory, NoticesStoresOnEitherSide)
{
    FakeDriver fake;
    const auto context = FakeDriver::context();
    const auto memory = Memory::allocate(context, 100);
    ASSERT_TRUE(memory);
    auto* bytes = reinterpret_cast<std::uint8_t*>((*memory)->address());
    std::memset(bytes, 0, 100);
    EXPECT_FALSE((*memory)->brokenGuard().value());
    bytes[108] = 1;
    bytes[109] = 2;
    const auto behind = (*memory)->brokenGuard().value();
    ASSERT_TRUE(behind);
    EXPECT_FALSE(behind->isBefore);
    EXPECT_EQ(behind->distance, 8);
    EXPECT_EQ(behind->bytes, 2);
    bytes[-1] = 0;
    const auto before = (*memory)->brokenGuard().value();
    ASSERT_TRUE(before);
    EXPECT_TRUE(before->isBefore);
    EXPECT_EQ(before->distance, 0);
}

TEST(Memory, ExplainsWhatDoesNotFit)
{
    FakeDriver fake;
    const auto memory = Memory::allocate(FakeDriver::context(), std::int64_t{2} << 30);
    ASSERT_FALSE(memory);
    EXPECT_EQ(memory.error().kind, FailureKind::kOutOfMemory);
    const auto empty = Memory::allocate(FakeDriver::context(), 0);
    ASSERT_TRUE(empty);
    EXPECT_TRUE((*empty)->upload({}));
    EXPECT_FALSE((*empty)->brokenGuard().value());
}

}  // namespace
}  // namespace tw::cuda

// Opening the driver, and what is said when that fails.
#include <gtest/gtest.h>

#include "profiler/cuda/output_capture.h"
#include "tests/unit/cuda/fake_driver.h"

namespace tw::cuda {
namespace {

TEST(Driver, DescribesGpus)
{
    FakeDriver fake;
    const auto driver = Driver::adopt(FakeDriver::functions());
    ASSERT_TRUE(driver);
    EXPECT_EQ((*driver)->version(), 13000);
    const auto device = (*driver)->describe(0);
    ASSERT_TRUE(device);
    EXPECT_EQ(device->name, "Fake GPU");
    EXPECT_EQ(device->major * 10 + device->minor, 90);
    EXPECT_EQ(device->sharedBytesPerBlock, 232448);
    EXPECT_TRUE(device->hasClusters);
    const auto second = (*driver)->describe(1);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, FailureKind::kNoDevice);
    EXPECT_EQ(second.error().message, "there is no cuda:1; this machine has cuda:0 to cuda:0");
}

TEST(Driver, SaysWhatHelps)
{
    FakeDriver fake;
    const std::pair<int, FailureKind> cases[] = {{api::kNoDevice, FailureKind::kNoDevice},
                                                 {api::kStubLibrary, FailureKind::kNoDriver},
                                                 {api::kDriverMismatch, FailureKind::kNoDriver},
                                                 {api::kOperatingSystem, FailureKind::kPermission}};
    for (const auto& [result, kind] : cases) {
        fake.initResult = result;
        const auto driver = Driver::adopt(FakeDriver::functions());
        ASSERT_FALSE(driver);
        EXPECT_EQ(driver.error().kind, kind) << result;
        EXPECT_FALSE(driver.error().remedy.empty()) << result;
    }
    const auto old = Driver::adopt({});
    ASSERT_FALSE(old);
    EXPECT_EQ(old.error().kind, FailureKind::kNoDriver);
}

TEST(Driver, OpensOrExplains)
{
    const auto driver = Driver::open();
    if (!driver) {
        EXPECT_FALSE(driver.error().message.empty());
        EXPECT_FALSE(driver.error().remedy.empty());
    }
}

TEST(Context, KnowsWhenItIsLost)
{
    FakeDriver fake;
    const auto context = FakeDriver::context();
    EXPECT_FALSE(context->check(api::kOutOfMemory, "allocating"));
    EXPECT_FALSE(context->isLost());
    const auto fault = context->check(api::kIllegalAddress, "running the kernel");
    ASSERT_FALSE(fault);
    EXPECT_TRUE(context->isLost());
    EXPECT_EQ(fault.error().kind, FailureKind::kFault);
    EXPECT_EQ(fault.error().message,
              "running the kernel: the kernel accessed memory that is not its own (CUDA_ERROR_ILLEGAL_ADDRESS (700))");
}

TEST(Module, GivesTheDriversLog)
{
    FakeDriver fake;
    fake.kernels["k"] = [](void**) {};
    const auto context = FakeDriver::context();
    const auto bad = Module::load(context, "bad");
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().kind, FailureKind::kBadCode);
    EXPECT_NE(bad.error().message.find("line 1: no such instruction"), std::string::npos);
    const auto module = Module::load(context, "good");
    ASSERT_TRUE(module);
    EXPECT_FALSE((*module)->find("other"));
    const auto function = (*module)->find("k");
    ASSERT_TRUE(function);
    EXPECT_EQ((*module)->describe(*function).registers, 40);
}

TEST(OutputCapture, TakesWhatIsPrinted)
{
    OutputCapture capture;
    std::printf("x = %d\n", 7);
    EXPECT_EQ(capture.take(), "x = 7\n");
    std::printf("(not captured)\n");
    EXPECT_EQ(capture.take(), "x = 7\n");
}

}  // namespace
}  // namespace tw::cuda

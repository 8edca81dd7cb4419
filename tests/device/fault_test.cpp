// Faults. Each test breaks a context of its own process: a death test that starts anew.
#include <thread>

#include "profiler/cuda/output_capture.h"
#include "profiler/cuda/timing.h"
#include "tests/device/gpu.h"

namespace tw::cuda {
namespace {

class GpuFaultTest : public GpuTest {
protected:
    void SetUp() override
    {
        testing::GTEST_FLAG(death_test_style) = "threadsafe";
        GpuTest::SetUp();
    }

    // What happens in the other process: prints what the tests look for.
    [[noreturn]] void report(const char* entry, std::uint32_t parameter)
    {
        const auto memory = allocate(16);
        ParameterList parameters;
        parameters.add(parameter);
        std::string printed;
        {
            OutputCapture capture;
            (void)launch(*context_, find(entry), {}, parameters);
            const auto done = waitFor(*context_, "running the kernel", {});
            printed = capture.take();
            if (!done)
                std::fprintf(stderr, "%s; ", done.error().message.c_str());
        }
        const auto after = memory->upload(std::vector<std::uint8_t>(16));
        std::fprintf(stderr, "lost %d, copies %d, printed [%s]", context_->isLost(), after.has_value(), printed.c_str());
        std::exit(9);
    }
};

TEST_F(GpuFaultTest, AWildStoreLosesTheContext)
{
    EXPECT_EXIT(report("fault", 0), testing::ExitedWithCode(9), "accessed memory that is not its own.*lost 1, copies 0");
}

TEST_F(GpuFaultTest, ATrapLosesTheContext)
{
    EXPECT_EXIT(report("print", 1), testing::ExitedWithCode(9), "running the kernel: .*lost 1, copies 0");
}

TEST_F(GpuFaultTest, ARunningKernelEndsWithItsProcess)
{
    const auto spins = [&] {
        ParameterList none;
        if (!launch(*context_, find("spin"), {}, none))
            std::exit(1);
        std::stop_source stop;
        const std::jthread timer([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            stop.request_stop();
        });
        const auto done = waitFor(*context_, "running the kernel", stop.get_token());
        std::fprintf(stderr, "stopped %d", done.has_value() && !*done);
        std::fflush(stderr);
        ::_exit(9);
    };
    EXPECT_EXIT(spins(), testing::ExitedWithCode(9), "stopped 1");
}

TEST_F(GpuFaultTest, OthersGoOn)
{
    const auto memory = numbers({1, 2, 3});
    EXPECT_EXIT(report("fault", 0), testing::ExitedWithCode(9), "lost 1");
    EXPECT_EQ(download(*memory), (std::vector<std::uint32_t>{1, 2, 3}));
}

}  // namespace
}  // namespace tw::cuda

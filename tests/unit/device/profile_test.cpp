// Profiling with a driver and a CUPTI that the test plays: whatever fails costs its own part and nothing else.
#include "profiler/device/cuda_profile.h"

#include <dlfcn.h>

#include "core/target/target.h"
#include "tests/unit/cupti/fake_cupti.h"
#include "tests/unit/device/axpy.h"

namespace tw::device {
namespace {

class CudaProfileTest : public CudaExecutableTest {
protected:
    void SetUp() override
    {
        CudaExecutableTest::SetUp();
        library_ = cupti::Library::openFile(TW_FAKE_CUPTI).value();
        void* handle = ::dlopen(TW_FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD);
        ASSERT_NE(handle, nullptr);
        cupti_ = reinterpret_cast<cupti::FakeCupti>(::dlsym(handle, "fakeCupti"))();
        *cupti_ = {};
        cupti_->value = [](const std::string& counter, std::size_t index) { return counter.starts_with("TPC") ? 50.0 : 1000.0 + static_cast<double>(index); };
        cupti_->pmSamples = 4;
        cupti_->reasonNames = {"smsp__pcsamp_warps_issue_stalled_wait"};
        cupti_->pcs = {{0, {{0, 60000}}}};
        cupti_->sassMetrics = {"smsp__sass_inst_executed"};
        cupti_->sass = {{0, 1, 7}};
    }

    std::optional<CudaProfile> profile(const CudaProfileOptions& options)
    {
        context_ = cuda::FakeDriver::context();
        const auto kernels = loadKernels(context_, function_, std::make_shared<const gpu::GpuProgram>(program_), "image");
        EXPECT_TRUE(kernels);
        values_ = arguments(100);
        cupti_->sassConfigs = 0;  // another process
        return profileKernels(*kernels, target::defaultTarget(), {}, values_, options, [&] { return library_; }, diagnostics_, {}, {});
    }
    // Times and the answer of one run, whatever became of the counters.
    void expectTimes(const std::optional<CudaProfile>& profile)
    {
        ASSERT_TRUE(profile) << message();
        EXPECT_FALSE(diagnostics_.hasErrors());
        EXPECT_EQ(profile->samplesUs, (std::vector<double>{250, 250, 250}));
        EXPECT_EQ(profile->metrics.front().name, "duration_us");
        EXPECT_EQ(profile->metrics.front().launch, -1);
        EXPECT_EQ(values_.tensors["Y"].floatAt(10), 15.0);
        ASSERT_EQ(profile->launches.size(), 1U);
        EXPECT_EQ(profile->launches[0].grid, (std::vector<std::int64_t>{2, 1, 1}));
        EXPECT_EQ(profile->launches[0].registers, 40);
    }
    static bool has(const CudaProfile& profile, const std::string& metric)
    {
        return std::any_of(profile.metrics.begin(), profile.metrics.end(), [&](const capture::Metric& m) { return m.name == metric; });
    }

    cupti::Result<std::shared_ptr<const cupti::Library>> library_;
    cupti::FakeState* cupti_ = nullptr;
    interp::Arguments values_;
    const CudaProfileOptions everything_{{}, true, true, true, 3, true};
};

TEST_F(CudaProfileTest, MeasuresEverything)
{
    const auto found = profile(everything_);
    expectTimes(found);
    EXPECT_TRUE(has(*found, "dram_read_bytes"));
    EXPECT_TRUE(has(*found, "pc_samples"));
    ASSERT_EQ(found->series.size(), 2U);
    EXPECT_EQ(found->environment.cupti, "13.0.1");
    EXPECT_EQ(found->environment.gpu, "Fake GPU");
    for (const char* part : {"counters", "stalls", "series"})
        EXPECT_FALSE(found->absences.contains(part)) << part << ": " << found->absences.at(part);
    EXPECT_TRUE(has(*found, "instructions_placed_pct"));
    EXPECT_TRUE(found->isSpent);
    EXPECT_FALSE(found->absences.contains("instruction counts"));
    EXPECT_TRUE(found->absences.contains("instruction counts, threads"));  // the played chip counts executions only
    EXPECT_TRUE(found->absences.contains("occupancy_pct"));  // the played chip has three counters
    EXPECT_TRUE(found->absences.contains("clocks"));         // and no NVML
}

TEST_F(CudaProfileTest, AFailureCostsItsPartOnly)
{
    const std::map<std::string, std::string> parts = {{"rangeEnable", "counters"}, {"pmEnable", "series"}, {"pcEnable", "stalls"},
                                                      {"sassConfig", "instruction counts"}};
    for (const auto& [step, lost] : parts) {
        cupti_->results = {{step, cupti::api::kInsufficientPrivileges}};
        const auto found = profile(everything_);
        expectTimes(found);
        for (const auto& [other, part] : parts)
            EXPECT_EQ(found->absences.contains(part), part == lost) << step << " and " << part;
        EXPECT_NE(found->absences.at(lost).find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos) << found->absences.at(lost);
    }
}

TEST_F(CudaProfileTest, WithoutCuptiThereAreTimes)
{
    for (const char* path : {"/nowhere/libcupti.so.13", TW_FAKE_OLD_CUPTI}) {
        library_ = cupti::Library::openFile(path);
        const auto found = profile(everything_);
        expectTimes(found);
        for (const char* part : {"counters", "stalls", "series"})
            EXPECT_NE(found->absences.at(part).find("nvidia-cuda-cupti"), std::string::npos) << part;
    }
}

TEST_F(CudaProfileTest, AnUnknownMetricIsNamed)
{
    const auto found = profile({{"dram_read", "dram_read_bytes"}, false, false, false, 3});
    expectTimes(found);
    EXPECT_NE(found->absences.at("dram_read").find("no metric dram_read"), std::string::npos) << found->absences.at("dram_read");
    EXPECT_TRUE(has(*found, "dram_read_bytes"));
    EXPECT_FALSE(found->absences.contains("stalls"));  // nobody asked
}

}  // namespace
}  // namespace tw::device

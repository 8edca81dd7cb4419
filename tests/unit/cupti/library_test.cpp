#include "profiler/cupti/library.h"

#include "tests/unit/cupti/fake_library.h"

namespace tw::cupti {
namespace {

TEST(Library, AMissingOneSaysWhatToInstall)
{
    const auto opened = Library::openFile("/nowhere/libcupti.so.13");
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, FailureKind::kMissing);
    EXPECT_NE(opened.error().message.find("/nowhere/libcupti.so.13"), std::string::npos) << opened.error().message;
    EXPECT_NE(opened.error().remedy.find("nvidia-cuda-cupti"), std::string::npos);
}

TEST(Library, AnOldOneSaysWhatItLacks)
{
    const auto opened = Library::openFile(TW_FAKE_OLD_CUPTI);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, FailureKind::kTooOld);
    EXPECT_NE(opened.error().message.find("too old: it says 130001 and lacks cuptiRangeProfilerEnable"), std::string::npos) << opened.error().message;
    EXPECT_NE(opened.error().remedy.find("12.8"), std::string::npos);
}

TEST_F(FakeCuptiTest, KnowsItsVersionAndChips)
{
    EXPECT_EQ(library_->versionText(), "13.0.1");
    EXPECT_EQ(library_->chips(), (std::vector<std::string>{"GH100"}));
    EXPECT_EQ(chipOf(*library_, 0).value(), "GH100");
}

TEST_F(FakeCuptiTest, SaysWhyAGpuHasNoCounters)
{
    struct Case {
        const char* unsupported;
        FailureKind kind;
        const char* words;
    };
    for (const Case& c : {Case{"virtualGpu", FailureKind::kPermission, "virtual GPU"}, Case{"confidential", FailureKind::kUnsupported, "confidential computing"},
                          Case{"architecture", FailureKind::kUnsupported, "too old"}}) {
        fake_->unsupported = c.unsupported;
        const auto started = startProfiling(*library_, 0, Interface::kRanges);
        ASSERT_FALSE(started) << c.unsupported;
        EXPECT_EQ(started.error().kind, c.kind) << c.unsupported;
        EXPECT_NE(started.error().message.find(c.words), std::string::npos) << started.error().message;
    }
    fake_->unsupported.clear();
    EXPECT_TRUE(startProfiling(*library_, 0, Interface::kRanges));
}

TEST_F(FakeCuptiTest, ADriverThatDoesNotFitIsNamed)
{
    fake_->results["initialize"] = api::kNotCompatible;
    const auto started = startProfiling(*library_, 0, Interface::kRanges);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().kind, FailureKind::kTooOld);
    EXPECT_NE(started.error().remedy.find("driver's CUDA version"), std::string::npos);
}

}  // namespace
}  // namespace tw::cupti

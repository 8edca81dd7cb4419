#include "profiler/cupti/failure.h"

#include <gtest/gtest.h>

#include "profiler/cupti/cupti_api.h"

namespace tw::cupti {
namespace {

TEST(Failure, PermissionNamesTheExactRemedy)
{
    const Failure f = explain(api::kInsufficientPrivileges, "switching the counters on", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES");
    EXPECT_EQ(f.kind, FailureKind::kPermission);
    EXPECT_EQ(f.message, "switching the counters on: this user may not read the GPU's counters (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35))");
    for (const char* part : {"CAP_SYS_ADMIN", "--cap-add SYS_ADMIN", "NVreg_RestrictProfilingToAdminUsers=0", "/etc/modprobe.d/"})
        EXPECT_NE(f.remedy.find(part), std::string::npos) << part;
    EXPECT_EQ(f.text(), f.message + "; " + f.remedy);
}

TEST(Failure, EveryRefusalHasItsKind)
{
    const std::map<int, FailureKind> kinds = {{api::kHardwareBusy, FailureKind::kBusy},
                                              {api::kMultipleSubscribers, FailureKind::kBusy},
                                              {api::kVirtualized, FailureKind::kUnsupported},
                                              {api::kVirtualizedPrivileges, FailureKind::kPermission},
                                              {api::kConfidential, FailureKind::kUnsupported},
                                              {api::kMig, FailureKind::kUnsupported},
                                              {api::kInvalidChip, FailureKind::kTooOld},
                                              {api::kNotCompatible, FailureKind::kTooOld},
                                              {api::kInvalidMetricName, FailureKind::kBadMetric},
                                              {api::kUnknown, FailureKind::kOther}};
    for (const auto& [result, kind] : kinds) {
        const Failure f = explain(result, "counting", "");
        EXPECT_EQ(f.kind, kind) << result;
        EXPECT_NE(f.message.find(std::to_string(result)), std::string::npos) << f.message;
    }
    EXPECT_NE(explain(api::kHardwareBusy, "counting", "").remedy.find("ncu"), std::string::npos);
}

TEST(Failure, ReadsTheKernelModulesParameters)
{
    EXPECT_EQ(counterAccess("ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 1\nVendor: 0\n"), CounterAccess::kAdministrators);
    EXPECT_EQ(counterAccess("ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 0\n"), CounterAccess::kEverybody);
    EXPECT_EQ(counterAccess("ModifyDeviceFiles: 1\n"), CounterAccess::kUnknown);
    EXPECT_EQ(counterAccess(""), CounterAccess::kUnknown);
}

TEST(Failure, ReadsCapabilities)
{
    EXPECT_TRUE(isPrivileged("Name:\tx\nCapEff:\t000001ffffffffff\n"));
    EXPECT_TRUE(isPrivileged("CapEff:\t0000000000200000\n"));  // CAP_SYS_ADMIN alone
    EXPECT_FALSE(isPrivileged("CapEff:\t00000000a80425fb\n"));  // what a container has by default
    EXPECT_FALSE(isPrivileged(""));
}

}  // namespace
}  // namespace tw::cupti

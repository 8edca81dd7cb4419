// What went wrong with counters, in words, and what helps. A failed counter never loses a run: the caller notes it as absent.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace tw::cupti {

enum class FailureKind {
    kMissing,      // no CUPTI on this machine
    kTooOld,       // a CUPTI without the functions, or one that does not fit the driver
    kPermission,   // this user may not read counters
    kUnsupported,  // this GPU, as it is set up, has none to read (virtual, confidential, partitioned, too old)
    kBusy,         // somebody else reads them
    kBadMetric,    // no such metric on this chip
    kOther
};

struct Failure {
    FailureKind kind = FailureKind::kOther;
    int result = 0;       // CUPTI's number; 0 if it never got that far
    std::string message;  // lower-case start, no full stop
    std::string remedy;   // what helps; may be empty
    // Both, as one line of a profile's absences.
    [[nodiscard]] std::string text() const { return remedy.empty() ? message : message + "; " + remedy; }
};

template <class T>
using Result = tl::expected<T, Failure>;

// `what`: what was tried, as in "reading the counters". `name`: CUPTI's own name for the result.
[[nodiscard]] Failure explain(int result, const std::string& what, const std::string& name);

// What the kernel module says of counters: the text of /proc/driver/nvidia/params. Empty text: nothing is known.
enum class CounterAccess { kUnknown, kEverybody, kAdministrators };
[[nodiscard]] CounterAccess counterAccess(const std::string& moduleParameters);
// Whether this process may what administrators may: CAP_SYS_ADMIN among its effective capabilities.
// `status`: the text of /proc/self/status.
[[nodiscard]] bool isPrivileged(const std::string& status);
// How an ordinary user gets to read counters.
[[nodiscard]] const std::string& permissionRemedy();

}  // namespace tw::cupti

// What went wrong with a GPU, in words, and what helps.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace tw::cuda {

enum class FailureKind {
    kNoDriver,      // no driver, a stub, or one that does not match its kernel module
    kNoDevice,      // no such GPU
    kPermission,    // the GPU is there and may not be used, or somebody holds it
    kOutOfMemory,
    kBadCode,       // the driver does not take the machine code
    kBadLaunch,     // grid, block, cluster or shared memory that the GPU cannot launch; nothing ran
    kFault,         // the kernel broke: the context is lost, and with it this process's use of the GPU
    kOther
};

struct Failure {
    FailureKind kind = FailureKind::kOther;
    int result = 0;       // the driver's number; 0 if it never got that far
    std::string message;  // lower-case start, no full stop
    std::string remedy;   // what helps; may be empty
};

template <class T>
using Result = tl::expected<T, Failure>;

// Whether a result of the driver leaves the context unusable for good.
[[nodiscard]] bool isSticky(int result);

// `what`: what was tried, as in "copying to the GPU". `name` and `text`: the driver's own words for the result.
[[nodiscard]] Failure explain(int result, const std::string& what, const std::string& name, const std::string& text);

}  // namespace tw::cuda

// NVRTC's functions, found at run time. Private to codegen/nvrtc.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace tw::nvrtc {

// As nvrtc.h of CUDA 12 and 13 declares them; a result of 0 is success.
struct Library {
    using Program = void*;
    int (*version)(int* major, int* minor) = nullptr;
    int (*numSupportedArchs)(int* count) = nullptr;
    int (*supportedArchs)(int* archs) = nullptr;
    int (*createProgram)(Program* program, const char* source, const char* name, int headers, const char* const* texts, const char* const* names) = nullptr;
    int (*destroyProgram)(Program* program) = nullptr;
    int (*compileProgram)(Program program, int count, const char* const* options) = nullptr;
    int (*ptxSize)(Program program, std::size_t* size) = nullptr;
    int (*ptx)(Program program, char* to) = nullptr;
    int (*cubinSize)(Program program, std::size_t* size) = nullptr;
    int (*cubin)(Program program, char* to) = nullptr;
    int (*logSize)(Program program, std::size_t* size) = nullptr;
    int (*log)(Program program, char* to) = nullptr;
    const char* (*errorString)(int result) = nullptr;
    // Absent before CUDA 12.8: then a compile ends when it ends.
    int (*setFlowCallback)(Program program, int (*callback)(void*, void*), void* payload) = nullptr;
};

// Opened on the first call, once a process; the error says what to install.
[[nodiscard]] const tl::expected<Library, std::string>& library();

}  // namespace tw::nvrtc

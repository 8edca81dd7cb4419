// TW_CHECK: assumptions of ours that must hold whatever the user wrote.
//
// A broken assumption throws InternalError, the only exception type this project throws. The compile door and the run
// queue catch it, name the pass that was running, report one diagnostic, and the program lives on.
#pragma once

#include <stdexcept>
#include <string>

namespace tw {

class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn]] void failCheck(const char* file, int line, const char* condition, const std::string& message);

}  // namespace tw

#define TW_CHECK(condition, message)                                        \
    do {                                                                    \
        if (!(condition)) [[unlikely]]                                      \
            ::tw::failCheck(__FILE__, __LINE__, #condition, (message));     \
    } while (false)

#define TW_UNREACHABLE(message) ::tw::failCheck(__FILE__, __LINE__, "unreachable", (message))

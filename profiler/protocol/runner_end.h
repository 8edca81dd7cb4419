// How a runner's process ended, in one sentence that says what would help.
#pragma once

#include <string>
#include <vector>

namespace tw::protocol {

struct RunnerEnd {
    int status = 0;          // as waitpid gives it
    bool hasGreeted = false; // it spoke the protocol; before that it was the launcher's to fail
    std::string said;        // the end of its standard error; may be empty
};

// `command`: what was started; where it is ssh, the sentence is about the host. No full stop.
[[nodiscard]] std::string describeEnd(const std::vector<std::string>& command, const RunnerEnd& end);

// The last lines of `text` that say something, as one line of at most `limit` bytes, of valid UTF-8 where `text` is.
[[nodiscard]] std::string lastWords(const std::string& text, std::size_t lines, std::size_t limit = 400);

}  // namespace tw::protocol

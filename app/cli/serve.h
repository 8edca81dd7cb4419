// The runner: answers requests on standard input until it closes.
#pragma once

namespace tw::cli {

// Requests are answered one after another; cancellations are heard at any time. Gives the exit code.
[[nodiscard]] int serve();

}  // namespace tw::cli

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <thread>

#include "app/cli/verbs.h"

namespace {

// Work that was asked to stop and has not after this long will not.
constexpr std::chrono::seconds kGrace{2};

// Turns SIGINT and SIGTERM into a stop request. The signals are blocked in every thread (the caller did that) and waited
// for in one. A second signal, or work that does not heed the first, ends the process.
void listen(const std::stop_token& end, std::stop_source& cancel)
{
    using Clock = std::chrono::steady_clock;
    int first = 0;
    Clock::time_point since;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    while (!end.stop_requested()) {
        const timespec pause{0, 20'000'000};
        const int signal = sigtimedwait(&signals, nullptr, &pause);
        if (first != 0 && (signal > 0 || Clock::now() - since > kGrace))
            _exit(128 + first);
        if (signal > 0) {
            first = signal;
            since = Clock::now();
            cancel.request_stop();
        }
    }
}

}  // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments.front() == "serve")
        return tw::cli::runCommand(arguments, {});
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::stop_source cancel;
    const std::jthread listener([&cancel](const std::stop_token& end) { listen(end, cancel); });
    return tw::cli::runCommand(arguments, cancel.get_token());
}

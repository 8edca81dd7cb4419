#include <csignal>
#include <ctime>
#include <thread>

#include "app/cli/verbs.h"

namespace {

// Turns SIGINT and SIGTERM into a stop request. The signals are blocked in every thread (the caller did that) and waited
// for in one.
void listen(const std::stop_token& end, std::stop_source& cancel)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    while (!end.stop_requested()) {
        const timespec pause{0, 20'000'000};
        if (sigtimedwait(&signals, nullptr, &pause) > 0)
            cancel.request_stop();
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

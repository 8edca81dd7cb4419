#include "profiler/protocol/runner_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include "profiler/protocol/runner_end.h"

extern char** environ;

namespace tw::protocol {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kKeptWords = 8192;

void closeFd(int& fd)
{
    if (fd >= 0)
        ::close(fd);
    fd = -1;
}

// Our environment. The child has no terminal: ssh is told so where it could ask otherwise.
struct Environment {
    std::vector<char*> entries;
    std::string askpass = "SSH_ASKPASS_REQUIRE=force";

    Environment()
    {
        for (char** e = environ; *e; ++e)
            entries.push_back(*e);
        const char* program = std::getenv("SSH_ASKPASS");
        if (program && *program && !std::getenv("SSH_ASKPASS_REQUIRE"))
            entries.push_back(askpass.data());
        entries.push_back(nullptr);
    }
};

// Starts `command` with the three descriptors, in a session of its own. The error, or 0.
int spawn(const std::vector<std::string>& command, const std::array<int, 3>& descriptors, pid_t& pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3; ++i)
        posix_spawn_file_actions_adddup2(&actions, descriptors[static_cast<std::size_t>(i)], i);
    std::vector<char*> arguments;
    for (const std::string& a : command)
        arguments.push_back(const_cast<char*>(a.c_str()));
    arguments.push_back(nullptr);
    // The parent may wait for signals in one thread with all of them blocked; the child starts with a clean mask.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    Environment environment;
    const int error = ::posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environment.entries.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// To standard error, without a signal where nobody reads it.
void passOn(std::string_view text)
{
    sigset_t pipe, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    while (!text.empty()) {
        const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            const timespec now{};
            if (errno == EPIPE)
                sigtimedwait(&pipe, nullptr, &now);
            break;
        }
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

RunnerProcess::~RunnerProcess()
{
    if (pid_ > 0)
        end();
    closeFd(in_);
    closeFd(out_);
    closeFd(err_);
}

std::string RunnerProcess::start(const std::vector<std::string>& command)
{
    command_ = command;
    int input[2], output[2] = {-1, -1}, errors[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) != 0)
        return fmt::format("cannot start a runner: {}", std::strerror(errno));
    const bool hasPipes = ::pipe2(output, O_CLOEXEC) == 0 && ::pipe2(errors, O_CLOEXEC) == 0;
    const int error = hasPipes ? spawn(command, {input[1], output[1], errors[1]}, pid_) : errno;
    closeFd(input[1]);
    closeFd(output[1]);
    closeFd(errors[1]);
    in_ = input[0];
    out_ = output[0];
    err_ = errors[0];
    if (error == 0) {
        ::fcntl(err_, F_SETFL, O_NONBLOCK);
        return {};
    }
    pid_ = 0;
    return hasPipes ? fmt::format("cannot start the runner {}: {}", command[0], std::strerror(error))
                    : fmt::format("cannot start a runner: {}", std::strerror(error));
}

void RunnerProcess::queue(const Frame& frame)
{
    outgoing_.erase(0, sent_);
    sent_ = 0;
    outgoing_ += serialize(frame);
}

void RunnerProcess::sendQueued()
{
    const ssize_t n = ::send(in_, outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0)
        sent_ += static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
        closeFd(in_);  // the child listens no more; what it said before is still to be read
    if (in_ < 0 || sent_ == outgoing_.size()) {
        outgoing_.clear();
        sent_ = 0;
    }
}

bool RunnerProcess::receive()
{
    char buffer[1 << 16];
    const ssize_t n = ::read(out_, buffer, sizeof buffer);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    reader_.feed({buffer, static_cast<std::size_t>(n)});
    return true;
}

void RunnerProcess::receiveErrors()
{
    char buffer[4096];
    while (err_ >= 0) {
        const ssize_t n = ::read(err_, buffer, sizeof buffer);
        if (n > 0)
            say({buffer, static_cast<std::size_t>(n)});
        else if (n == 0 || (errno != EINTR && errno != EAGAIN))
            closeFd(err_);
        else if (errno == EAGAIN)
            return;
    }
}

void RunnerProcess::say(std::string_view text)
{
    if (hasGreeted_)
        passOn(text);
    said_ += text;
    if (said_.size() > kKeptWords)
        said_.erase(0, said_.size() - kKeptWords);
}

void RunnerProcess::greeted()
{
    if (!hasGreeted_)
        passOn(said_);
    hasGreeted_ = true;
    said_.clear();
}

bool RunnerProcess::pump(milliseconds limit)
{
    pollfd descriptors[] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {outgoing_.empty() ? -1 : in_, POLLOUT, 0}};
    if (::poll(descriptors, 3, static_cast<int>(limit.count())) <= 0)
        return true;
    if (descriptors[2].revents != 0)
        sendQueued();
    // Where a greeting and words wait, the greeting comes first: words that it makes old would be lost, and with them why a line was cut.
    if (descriptors[0].revents != 0)
        return receive();
    receiveErrors();
    return true;
}

bool RunnerProcess::endsWithin(milliseconds limit, int& status)
{
    for (const auto deadline = Clock::now() + limit;; std::this_thread::sleep_for(milliseconds(2))) {
        receiveErrors();
        const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
        if (ended == pid_ || (ended < 0 && errno != EINTR)) {
            receiveErrors();
            pid_ = 0;
            return true;
        }
        if (Clock::now() >= deadline)
            return false;
    }
}

// Politely first, so that a launcher can end what it started elsewhere.
int RunnerProcess::end()
{
    closeFd(in_);
    int status = 0;
    ::kill(-pid_, SIGTERM);
    if (endsWithin(milliseconds(200), status))
        return status;
    ::kill(-pid_, SIGKILL);
    while (!endsWithin(milliseconds(1000), status)) {
    }
    return status;
}

bool RunnerProcess::hasEnded()
{
    int status = 0;
    return pid_ <= 0 || endsWithin(milliseconds(0), status);
}

std::string RunnerProcess::epitaph()
{
    closeFd(in_);
    int status = 0;
    if (endsWithin(milliseconds(500), status))
        return describeEnd(command_, {status, hasGreeted_, said_});
    end();
    return "the runner closed its output and was ended";
}

}  // namespace tw::protocol

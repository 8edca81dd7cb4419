#include "profiler/protocol/client.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include "core/support/check.h"

extern char** environ;

namespace tw::protocol {
namespace {

using Clock = std::chrono::steady_clock;

void closeFd(int& fd)
{
    if (fd >= 0)
        ::close(fd);
    fd = -1;
}

std::string describeEnd(int status)
{
    if (WIFSIGNALED(status))
        return fmt::format("the runner ended with signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    return fmt::format("the runner ended with exit status {}", WEXITSTATUS(status));
}

}  // namespace

std::vector<std::string> localRunnerCommand()
{
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    return {(self.parent_path() / "tilec").string(), "serve"};
}

// The child and the two ends of its pipes. Its standard input is a socket, so that writing to a dead one is an error and
// no signal.
struct Client::Process {
    pid_t pid = 0;
    int in = -1;   // we write
    int out = -1;  // we read
    FrameReader reader;

    ~Process()
    {
        closeFd(in);
        closeFd(out);
        if (pid > 0) {
            ::kill(pid, SIGKILL);
            reap();
        }
    }

    // Empty on success, else the reason.
    std::string start(const std::vector<std::string>& command)
    {
        int input[2], output[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) != 0)
            return fmt::format("cannot start a runner: {}", std::strerror(errno));
        if (::pipe2(output, O_CLOEXEC) != 0) {
            ::close(input[0]);
            ::close(input[1]);
            return fmt::format("cannot start a runner: {}", std::strerror(errno));
        }
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, input[1], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
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
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        const int error = ::posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        ::close(input[1]);
        ::close(output[1]);
        in = input[0];
        out = output[0];
        if (error == 0)
            return {};
        pid = 0;
        return fmt::format("cannot start the runner {}: {}", command[0], std::strerror(error));
    }

    bool send(const Frame& frame) const
    {
        const std::string bytes = serialize(frame);
        for (std::size_t sent = 0; sent < bytes.size();) {
            const ssize_t n = ::send(in, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (n < 0 && errno != EINTR)
                return false;
            sent += n > 0 ? static_cast<std::size_t>(n) : 0;
        }
        return true;
    }

    // Waits for bytes until `deadline`. False at the end of the stream.
    bool receive(Clock::time_point deadline)
    {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd descriptor{out, POLLIN, 0};
        const int ready = ::poll(&descriptor, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
        if (ready <= 0)
            return ready == 0 || errno == EINTR;
        char buffer[1 << 16];
        const ssize_t n = ::read(out, buffer, sizeof buffer);
        if (n <= 0)
            return n < 0 && errno == EINTR;
        reader.feed({buffer, static_cast<std::size_t>(n)});
        return true;
    }

    int reap()
    {
        int status = 0;
        while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        pid = 0;
        return status;
    }

    // Why nothing more will come. Ends the process if it still runs.
    std::string epitaph()
    {
        closeFd(in);
        for (int i = 0; i < 100; ++i) {
            int status = 0;
            if (::waitpid(pid, &status, WNOHANG) == pid) {
                pid = 0;
                return describeEnd(status);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        ::kill(pid, SIGKILL);
        reap();
        return "the runner closed its output and was ended";
    }
};

Client::Client(std::vector<std::string> command, std::chrono::milliseconds grace) : command_(std::move(command)), grace_(grace) {}

Client::~Client() = default;

int Client::processId() const
{
    const std::lock_guard lock(oneCall_);
    return process_ ? process_->pid : 0;
}

namespace {

template <class Result>
Result lost(Code code, std::string reason)
{
    Result result;
    result.head.outcome = Outcome::kCannot;
    result.head.diagnostics.push_back({code, Severity::kError, {}, std::move(reason), {}, {}, {}});
    return result;
}

template <class Result>
Result cancelledResult()
{
    Result result;
    result.head.cancelled = true;
    result.head.outcome = Outcome::kCannot;
    return result;
}

}  // namespace

template <class Result>
Result Client::ask(Message request, const ProgressCallback& progress, std::stop_token stop)
{
    const std::lock_guard lock(oneCall_);
    if (stop.stop_requested())
        return cancelledResult<Result>();
    if (!process_) {
        process_ = std::make_unique<Process>();
        if (const std::string reason = process_->start(command_); !reason.empty()) {
            process_.reset();
            return lost<Result>(Code::kRunnerLost, reason);
        }
    }
    const std::uint64_t id = ++lastId_;
    const bool isSent = process_->send(encode({id, std::move(request)}));
    std::optional<Clock::time_point> killAt;
    const auto end = [&](std::string reason) {
        process_.reset();
        return lost<Result>(Code::kRunnerLost, std::move(reason));
    };
    while (isSent) {
        if (stop.stop_requested() && !killAt) {
            killAt = Clock::now() + grace_;
            process_->send(encode({id, Cancel{}}));
        }
        if (killAt && Clock::now() >= *killAt) {
            process_.reset();
            return cancelledResult<Result>();
        }
        while (const std::optional<Frame> frame = process_->reader.next()) {
            auto envelope = decode(*frame);
            if (!envelope)
                return end(envelope.error());
            if (const auto* hello = std::get_if<Hello>(&envelope->message); hello && hello->protocol != kProtocolVersion)
                return end(fmt::format("the runner speaks protocol {}, this program {}; install the same version on both sides",
                                       hello->protocol, kProtocolVersion));
            if (envelope->id != id)
                continue;
            if (auto* result = std::get_if<Result>(&envelope->message)) {
                Result answer = std::move(*result);
                if (answer.head.runnerEnds)
                    process_.reset();
                return answer;
            }
            if (const auto* asked = std::get_if<CudaCompileRequest>(&envelope->message))
                process_->send(encode({id, compiler_ ? compiler_(*asked) : lost<CudaCompileResult>(Code::kNotSupported, "the client has no compiler")}));
            if (const auto* report = std::get_if<Progress>(&envelope->message); report && progress)
                progress(*report);
            if (const auto* failure = std::get_if<Failure>(&envelope->message))
                return end(fmt::format("the runner refused the request: {}", failure->message));
        }
        if (process_->reader.failed())
            return end(fmt::format("the runner answered with something else: {}", process_->reader.error()));
        if (!process_->receive(Clock::now() + std::chrono::milliseconds(20)))
            break;
    }
    std::string reason = process_->epitaph();
    return stop.stop_requested() ? (process_.reset(), cancelledResult<Result>()) : end(std::move(reason));
}

RunResult Client::run(const RunRequest& request, const ProgressCallback& progress, std::stop_token stop)
{
    return ask<RunResult>(request, progress, std::move(stop));
}

VerifyResult Client::verify(const VerifyRequest& request, const ProgressCallback& progress, std::stop_token stop)
{
    return ask<VerifyResult>(request, progress, std::move(stop));
}

ProfileResult Client::profile(const ProfileRequest& request, const ProgressCallback& progress, std::stop_token stop)
{
    return ask<ProfileResult>(request, progress, std::move(stop));
}

CompileResult Client::compile(const CompileRequest& request, const ProgressCallback& progress, std::stop_token stop)
{
    return ask<CompileResult>(request, progress, std::move(stop));
}

CudaCompileResult Client::compileCuda(const CudaCompileRequest& request, std::stop_token stop)
{
    return ask<CudaCompileResult>(request, {}, std::move(stop));
}

MachineResult Client::machine(std::stop_token stop) { return ask<MachineResult>(MachineRequest{}, {}, std::move(stop)); }

}  // namespace tw::protocol

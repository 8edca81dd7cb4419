#include "app/cli/serve.h"

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "app/cli/report.h"
#include "app/cli/version.h"
#include "profiler/device/cuda_compile.h"
#include "profiler/device/device.h"
#include "profiler/device/execute.h"
#include "profiler/device/execute_profile.h"
#include "profiler/device/machine.h"
#include "profiler/device/metric_list.h"
#include "profiler/protocol/messages.h"

namespace tw::cli {
namespace {

class Server {
public:
    explicit Server(int output) : output_(output) {}

    int run()
    {
        send({0, protocol::Hello{protocol::kProtocolVersion, kVersion, device::localDevices()}});
        const std::jthread worker([this](const std::stop_token& stop) { work(stop); });
        protocol::FrameReader reader;
        std::string buffer(1 << 16, '\0');
        for (;;) {
            const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                break;
            reader.feed({buffer.data(), static_cast<std::size_t>(n)});
            while (const auto frame = reader.next())
                take(*frame);
            if (reader.failed()) {
                send({0, protocol::Failure{reader.error()}});
                break;
            }
        }
        // Nobody listens any more. A kernel that is still running cannot be waited for: the process ends.
        std::unique_lock lock(mutex_);
        ended_ = true;
        current_.request_stop();
        changed_.notify_all();
        changed_.wait_for(lock, std::chrono::milliseconds(500), [&] { return !busy_; });
        ::_exit(0);
    }

private:
    void take(const protocol::Frame& frame)
    {
        auto envelope = protocol::decode(frame);
        if (!envelope) {
            send({0, protocol::Failure{envelope.error()}});
            return;
        }
        const std::lock_guard lock(mutex_);
        if (auto* answer = std::get_if<protocol::CudaCompileResult>(&envelope->message)) {
            clientsAnswer_ = std::move(*answer);
            changed_.notify_all();
            return;
        }
        if (std::holds_alternative<protocol::Cancel>(envelope->message)) {
            if (envelope->id == currentId_)
                current_.request_stop();
            else
                cancelled_.push_back(envelope->id);
            return;
        }
        queue_.push_back(std::move(*envelope));
        changed_.notify_all();
    }

    void work(const std::stop_token& stop)
    {
        while (!stop.stop_requested()) {
            protocol::Envelope request;
            std::stop_token cancel;
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [&] { return ended_ || !queue_.empty(); });
                if (ended_)
                    return;
                request = std::move(queue_.front());
                queue_.pop_front();
                currentId_ = request.id;
                current_ = std::stop_source();
                if (std::find(cancelled_.begin(), cancelled_.end(), request.id) != cancelled_.end())
                    current_.request_stop();
                cancelled_.clear();
                cancel = current_.get_token();
                busy_ = true;
            }
            const protocol::Message result = answer(request, cancel);
            send({request.id, result});
            if (std::visit(endsRunner, result))
                ::_exit(0);  // only the end of the process gives the device back
            const std::lock_guard lock(mutex_);
            busy_ = false;
            currentId_ = 0;
            changed_.notify_all();
        }
    }

    static constexpr auto endsRunner = [](const auto& message) {
        if constexpr (requires { message.head; })
            return message.head.runnerEnds;
        else
            return false;
    };

    // The client compiles for a runner that cannot.
    protocol::CudaCompileResult askClient(std::uint64_t id, const protocol::CudaCompileRequest& request)
    {
        {
            const std::lock_guard lock(mutex_);
            clientsAnswer_.reset();
        }
        send({id, request});
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ended_ || clientsAnswer_; });
        protocol::CudaCompileResult none;
        none.head.outcome = protocol::Outcome::kCannot;
        return clientsAnswer_ ? std::move(*clientsAnswer_) : none;
    }

    protocol::Message answer(const protocol::Envelope& request, const std::stop_token& stop)
    {
        const auto compiler = [&](const protocol::CudaCompileRequest& r) { return askClient(request.id, r); };
        const auto progress = [&](const protocol::Progress& p) { send({request.id, p}); };
        if (const auto* run = std::get_if<protocol::RunRequest>(&request.message))
            return device::execute(*run, progress, stop, compiler);
        if (const auto* verify = std::get_if<protocol::VerifyRequest>(&request.message))
            return device::execute(*verify, progress, stop, compiler);
        if (const auto* profile = std::get_if<protocol::ProfileRequest>(&request.message)) {
            protocol::ProfileResult result = device::execute(*profile, progress, stop, compiler);
            if (result.capture)
                result.capture->tilewright = kVersion;
            return result;
        }
        if (const auto* compile = std::get_if<protocol::CompileRequest>(&request.message))
            return device::execute(*compile, progress, stop);
        if (const auto* cuda = std::get_if<protocol::CudaCompileRequest>(&request.message))
            return device::compileHere(*cuda, stop);
        if (const auto* metrics = std::get_if<protocol::MetricsRequest>(&request.message))
            return device::listMetrics(*metrics);
        if (std::holds_alternative<protocol::MachineRequest>(request.message))
            return device::describeMachine();
        return protocol::Failure{"this message is no request"};
    }

    void send(const protocol::Envelope& envelope)
    {
        const std::string bytes = protocol::serialize(protocol::encode(envelope));
        const std::lock_guard lock(writing_);
        writeAll(output_, bytes);
    }

    int output_;
    std::mutex writing_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<protocol::Envelope> queue_;
    std::vector<std::uint64_t> cancelled_;
    std::optional<protocol::CudaCompileResult> clientsAnswer_;
    std::stop_source current_;
    std::uint64_t currentId_ = 0;
    bool busy_ = false, ended_ = false;
};

}  // namespace

int serve()
{
    // The terminal's interrupt is the client's business, which then cancels or closes the pipe.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    // Whatever prints to standard output from inside a kernel must not end up between two frames.
    const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    return Server(output).run();
}

}  // namespace tw::cli

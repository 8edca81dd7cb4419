#include "profiler/protocol/client.h"

#include <filesystem>

#include <fmt/core.h>

#include "profiler/protocol/runner_process.h"

namespace tw::protocol {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

std::vector<std::string> localRunnerCommand()
{
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    return {(self.parent_path() / "tilec").string(), "serve"};
}

Client::Client(std::vector<std::string> command, std::chrono::milliseconds grace) : command_(std::move(command)), grace_(grace) {}

Client::~Client() = default;

int Client::processId() const
{
    const std::lock_guard lock(oneCall_);
    return process_ ? process_->id() : 0;
}

void Client::forgetEnded()
{
    if (const std::unique_lock lock(oneCall_, std::try_to_lock); lock && process_ && process_->hasEnded())
        process_.reset();
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

std::string differentVersion(const Hello& hello)
{
    return fmt::format("the runner{} speaks protocol {}, this program protocol {}: install the same version of Tilewright on both sides",
                       hello.version.empty() ? "" : fmt::format(" (tilec {})", hello.version), hello.protocol, kProtocolVersion);
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

namespace {

// Requests, which only a client sends.
constexpr auto isForRunners = []<class M>(const M&) {
    return std::is_same_v<M, RunRequest> || std::is_same_v<M, VerifyRequest> || std::is_same_v<M, ProfileRequest> || std::is_same_v<M, CompileRequest> ||
           std::is_same_v<M, MachineRequest> || std::is_same_v<M, MetricsRequest>;
};

}  // namespace

template <class Result>
Result Client::ask(Message request, const ProgressCallback& progress, std::stop_token stop)
{
    const std::lock_guard lock(oneCall_);
    if (stop.stop_requested())
        return cancelledResult<Result>();
    const auto end = [&](std::string reason) {
        process_.reset();
        return stop.stop_requested() ? cancelledResult<Result>() : lost<Result>(Code::kRunnerLost, std::move(reason));
    };
    if (process_ && process_->hasEnded())  // while nothing was asked: this request loses nothing
        process_.reset();
    if (!process_) {
        process_ = std::make_unique<RunnerProcess>();
        if (std::string reason = process_->start(command_); !reason.empty())
            return end(std::move(reason));
        if (progress)
            progress({"start", 0});
    }
    const std::uint64_t id = ++lastId_;
    process_->queue(encode({id, std::move(request)}));
    std::optional<Clock::time_point> killAt;
    do {
        if (stop.stop_requested() && !killAt) {
            killAt = Clock::now() + grace_;
            process_->queue(encode({id, Cancel{}}));
        }
        if (killAt && Clock::now() >= *killAt)
            return end({});
        while (const std::optional<Frame> frame = process_->reader().next()) {
            auto envelope = decode(*frame);
            if (!envelope)
                return end(envelope.error());
            if (const auto* hello = std::get_if<Hello>(&envelope->message)) {
                if (hello->protocol != kProtocolVersion)
                    return end(differentVersion(*hello));
                process_->greeted();
            }
            if (std::visit(isForRunners, envelope->message))  // such as our own words, sent back
                return end("the runner answered with something else: it asks instead of answering");
            if (const auto* failure = std::get_if<Failure>(&envelope->message))
                return end(fmt::format("the runner refused the request: {}", failure->message));
            if (envelope->id != id)
                continue;
            if (auto* result = std::get_if<Result>(&envelope->message)) {
                Result answer = std::move(*result);
                if (answer.head.runnerEnds)
                    process_.reset();
                return answer;
            }
            if (const auto* asked = std::get_if<CudaCompileRequest>(&envelope->message))
                process_->queue(encode({id, compiler_ ? compiler_(*asked) : lost<CudaCompileResult>(Code::kNotSupported, "the client has no compiler")}));
            if (const auto* report = std::get_if<Progress>(&envelope->message); report && progress)
                progress(*report);
        }
        if (process_->reader().failed())
            return end(fmt::format("the runner answered with something else: {}{}", process_->reader().error(),
                                   process_->hasGreeted() ? "" : "; if a shell's start-up file prints that, it must not"));
    } while (process_->pump(std::chrono::milliseconds(20)));
    return end(process_->epitaph());
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
MetricsResult Client::metrics(const MetricsRequest& request, std::stop_token stop) { return ask<MetricsResult>(request, {}, std::move(stop)); }

}  // namespace tw::protocol

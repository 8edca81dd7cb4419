// The client's end: starts a runner, asks it, notices its death.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/protocol/messages.h"

namespace tw::protocol {

class RunnerProcess;

using ProgressCallback = std::function<void(const Progress&)>;

// The command of the runner beside the running executable: {".../tilec", "serve"}.
[[nodiscard]] std::vector<std::string> localRunnerCommand();

// One runner process. It is started by the first request, and again by the next request after it ended. Calls block; one at
// a time is served (others wait), from any thread. A stop request is passed on as a cancellation; a runner that does not
// answer within `grace` is killed. Whatever happens, every call returns a result: a runner that ended before it answered
// gives a diagnostic of code kRunnerLost ("the runner ended with signal 9 (Killed) …"; runner_end.h has the sentences). A
// runner that lost its device answers, and then ends. Progress begins with the phase "start" where a runner is started.
class Client {
public:
    explicit Client(std::vector<std::string> command, std::chrono::milliseconds grace = std::chrono::milliseconds(1000));
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    [[nodiscard]] RunResult run(const RunRequest& request, const ProgressCallback& progress = {}, std::stop_token stop = {});
    [[nodiscard]] VerifyResult verify(const VerifyRequest& request, const ProgressCallback& progress = {},
                                      std::stop_token stop = {});
    [[nodiscard]] ProfileResult profile(const ProfileRequest& request, const ProgressCallback& progress = {}, std::stop_token stop = {});
    [[nodiscard]] CompileResult compile(const CompileRequest& request, const ProgressCallback& progress = {},
                                        std::stop_token stop = {});

    [[nodiscard]] CudaCompileResult compileCuda(const CudaCompileRequest& request, std::stop_token stop = {});
    [[nodiscard]] MachineResult machine(std::stop_token stop = {});
    [[nodiscard]] MetricsResult metrics(const MetricsRequest& request, std::stop_token stop = {});

    // For runners that cannot compile CUDA; called from the thread that waits for the runner. Without one, a runner that asks is told that this client cannot.
    void setCudaCompiler(CudaCompiler compiler) { compiler_ = std::move(compiler); }

    [[nodiscard]] int processId() const;  // 0 when none is running
    // Lets the system forget a runner that ended while nothing was asked. Never waits: nothing happens while a call goes on.
    void forgetEnded();

private:
    template <class Result>
    Result ask(Message request, const ProgressCallback& progress, std::stop_token stop);

    std::vector<std::string> command_;
    std::chrono::milliseconds grace_;
    std::unique_ptr<RunnerProcess> process_;
    CudaCompiler compiler_;
    std::uint64_t lastId_ = 0;
    mutable std::mutex oneCall_;
};

}  // namespace tw::protocol

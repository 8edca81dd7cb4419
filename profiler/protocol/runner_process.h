// A runner as a child process: its start, the bytes both ways, its end.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "profiler/protocol/frame.h"

namespace tw::protocol {

// The child has a session of its own: no terminal to ask on, and no interrupt from its keyboard, which is the parent's to pass
// on. What wants a password uses the program that SSH_ASKPASS names. Its standard error goes on to ours once it is known to be
// a runner. Use from one thread.
class RunnerProcess {
public:
    RunnerProcess() = default;
    ~RunnerProcess();  // ends the child and what it started
    RunnerProcess(const RunnerProcess&) = delete;
    RunnerProcess& operator=(const RunnerProcess&) = delete;

    // Empty on success, else the reason.
    [[nodiscard]] std::string start(const std::vector<std::string>& command);
    [[nodiscard]] pid_t id() const { return pid_; }

    void queue(const Frame& frame);
    // Waits up to `limit` for anything to move, and moves it. False once the child has closed its output.
    [[nodiscard]] bool pump(std::chrono::milliseconds limit);
    [[nodiscard]] FrameReader& reader() { return reader_; }

    void greeted();  // the child speaks the protocol
    [[nodiscard]] bool hasGreeted() const { return hasGreeted_; }

    [[nodiscard]] bool hasEnded();  // by itself; asked between two requests, and does not wait
    // Why nothing more will come. Ends the child if it still runs.
    [[nodiscard]] std::string epitaph();

private:
    void sendQueued();
    [[nodiscard]] bool receive();
    void receiveErrors();
    void say(std::string_view text);
    [[nodiscard]] bool endsWithin(std::chrono::milliseconds limit, int& status);
    int end();  // the status

    std::vector<std::string> command_;
    pid_t pid_ = 0;
    int in_ = -1;   // we write; a socket, so that writing to a dead child is an error and no signal
    int out_ = -1;  // we read
    int err_ = -1;  // we read, without waiting
    std::string outgoing_;
    std::size_t sent_ = 0;
    FrameReader reader_;
    bool hasGreeted_ = false;
    std::string said_;  // the end of what came on err_
};

}  // namespace tw::protocol

// The runner processes that one session talks to: this machine's, and the one of the last device elsewhere.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QTimer>

#include "profiler/protocol/client.h"

namespace tw::gui {

// A runner that is started another way than this machine's, and what the device is called there.
struct RunnerPlace {
    std::vector<std::string> command;
    std::string device;
};
// Empty for a device of this machine.
using RunnerFinder = std::function<std::optional<RunnerPlace>(const std::string& device)>;

class Runners {
public:
    explicit Runners(std::vector<std::string> localCommand);

    void setFinder(RunnerFinder finder) { find_ = std::move(finder); }
    // The runner of a device, which is then named as that runner knows it. GUI thread.
    [[nodiscard]] std::shared_ptr<protocol::Client> runnerFor(std::string& device);
    [[nodiscard]] const protocol::Client& local() const { return *local_; }

private:
    RunnerFinder find_;
    std::string remoteDevice_;  // whose runner `remote_` is
    std::shared_ptr<protocol::Client> local_, remote_;
    QTimer ended_;  // a runner that was killed while idle does not stay in the list of processes
};

}  // namespace tw::gui

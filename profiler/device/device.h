// A device: something that runs a compiled kernel on host tensors.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "codegen/driver/compile.h"
#include "core/interp/tensor.h"

namespace tw::device {

// A kernel that is ready to run on one device.
class Executable {
public:
    virtual ~Executable() = default;
    // Runs once; the written tensors of `arguments` hold the answer. False with a diagnostic on any failure, or when
    // stopped (then without one). `log` gets T.print's text. `progress`: 0 … 1, from this thread, may be empty.
    virtual bool run(interp::Arguments& arguments, std::string& log, DiagnosticSink& diagnostics,
                     const std::function<void(double)>& progress, std::stop_token stop) = 0;
};

class Device {
public:
    virtual ~Device() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    // What a snapshot must hold for `load`, as bits of driver::StageWanted.
    [[nodiscard]] virtual unsigned stages() const = 0;
    // Null with a diagnostic; one that starts "not supported: " if a valid program is beyond this device.
    [[nodiscard]] virtual std::unique_ptr<Executable> load(const driver::CompileSnapshot& snapshot, DiagnosticSink& diagnostics) = 0;
};

// Devices of this process, by the spelling of --device: "interp", "cpu".
[[nodiscard]] std::vector<std::string> localDevices();
// Fails with a sentence that starts "not supported: " for a device that this machine or program does not have, and with
// another one for a name that is no device at all.
[[nodiscard]] tl::expected<std::unique_ptr<Device>, std::string> openDevice(const std::string& name);

// "ssh:HOST[/DEVICE]" and "cmd:COMMAND": another way to start the runner, and the device to ask it for.
struct RemoteDevice {
    std::vector<std::string> command;
    std::string device;
};
[[nodiscard]] bool isRemote(const std::string& name);
[[nodiscard]] RemoteDevice parseRemote(const std::string& name);

}  // namespace tw::device

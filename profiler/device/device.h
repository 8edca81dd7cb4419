// A device: something that runs a compiled kernel on host tensors.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "codegen/driver/compile.h"
#include "core/interp/tensor.h"
#include "core/sim/sim.h"
#include "profiler/protocol/messages.h"

namespace tw::device {

// What a run says beside its answer.
struct RunReport {
    std::string log;                // T.print's text, of the first run
    std::vector<double> samplesUs;  // microseconds, one a run
    std::string clock = "host";     // what measured them; "device events" leave out copies and the time to launch
    std::optional<sim::Report> simulation;  // of the simulator: what it counted and found in its last run
    bool deviceIsLost = false;      // a fault, or a kernel that cannot be stopped: this process must end to use the device again
};

// A kernel that is ready to run on one device.
class Executable {
public:
    virtual ~Executable() = default;
    // Runs `repeat` ≥ 1 times, each from what `arguments` holds now; then its written tensors hold the answer of the last run.
    // False with a diagnostic on any failure, or when stopped (then without one). `progress`: 0 … 1, from this thread, may be
    // empty.
    virtual bool run(interp::Arguments& arguments, int repeat, RunReport& report, DiagnosticSink& diagnostics,
                     const std::function<void(double)>& progress, std::stop_token stop) = 0;
};

// The repetitions of a device whose work is done when `once` returns, measured with the host's clock.
using RunOnce = std::function<bool(interp::Arguments& arguments, std::string& log)>;
[[nodiscard]] bool repeatOnHost(interp::Arguments& arguments, int repeat, RunReport& report, const RunOnce& once);

class Device {
public:
    virtual ~Device() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    // What a snapshot must hold for `load`, as bits of driver::StageWanted.
    [[nodiscard]] virtual unsigned stages() const = 0;
    // The target that kernels are compiled for where the user names none; empty: the file's own.
    [[nodiscard]] virtual std::optional<std::string> target() const { return std::nullopt; }
    // Null with a diagnostic; one that starts "not supported: " if a valid program is beyond this device.
    [[nodiscard]] virtual std::unique_ptr<Executable> load(const driver::CompileSnapshot& snapshot, DiagnosticSink& diagnostics) = 0;
};

// Devices that need no driver, by the spelling of --device: "interp", "cpu", "sim".
[[nodiscard]] std::vector<std::string> localDevices();
// Fails with a sentence that starts "not supported: " for a device that this machine or program does not have, and with
// another one for a name that is no device at all. `compiler`: for devices that need CUDA text compiled where this machine has
// no NVRTC; may be empty.
[[nodiscard]] tl::expected<std::unique_ptr<Device>, std::string> openDevice(const std::string& name, const protocol::CudaCompiler& compiler = {});

// "ssh:HOST[/DEVICE]" and "cmd:COMMAND[/DEVICE]": another way to start the runner, and the device to ask it for, "cpu" where
// none is named. A command may have slashes of its own: only "/cpu", "/interp", "/sim" or "/cuda:N" at its end is a device.
struct RemoteDevice {
    std::vector<std::string> command;
    std::string device;
};
[[nodiscard]] bool isRemote(const std::string& name);
[[nodiscard]] RemoteDevice parseRemote(const std::string& name);

}  // namespace tw::device

#include "profiler/device/machine.h"

#include <fstream>
#include <thread>

#include <unistd.h>

#include <fmt/ranges.h>

#include "codegen/nvrtc/nvrtc.h"
#include "profiler/cuda/cubin_cache.h"
#include "profiler/cuda/driver.h"
#include "profiler/device/device.h"
#include "profiler/device/machine_counters.h"

namespace tw::device {
namespace {

using protocol::Check;

Check processor()
{
    std::string name = "unknown processor";
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (const std::size_t colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
            name = line.substr(colon + 2);
    return {"processor", "ok", fmt::format("{}, {} threads", name, std::thread::hardware_concurrency()), ""};
}

// A part of NVIDIA's toolkit: what it is and where, or why it is not here.
Check tool(const char* name, const char* what, const tl::expected<std::string, std::string>& found)
{
    return found ? Check{name, "ok", fmt::format("{} {}", what, *found), ""}
                 : Check{name, "missing", fmt::format("{}: {}", what, found.error()),
                         "install the CUDA toolkit 12 or newer here; kernels also run where it is missing if the client has it"};
}

Check gpu(const cuda::Driver& driver, int ordinal)
{
    const std::string name = fmt::format("device cuda:{}", ordinal);
    const auto d = driver.describe(ordinal);
    if (!d)
        return {name, "missing", d.error().message, d.error().remedy};
    return {name, "ok",
            fmt::format("{}, compute capability {}.{}, {} multiprocessors, {:.1f} GiB, {} MiB L2, {} KiB shared a block", d->name, d->major, d->minor,
                        d->multiprocessors, static_cast<double>(d->memoryBytes) / (1 << 30), d->l2Bytes >> 20, d->sharedBytesPerBlock >> 10),
            ""};
}

Check cache()
{
    const std::filesystem::path folder = cuda::CubinCache::defaultFolder();
    if (folder.empty())
        return {"cubin cache", "limited", "neither XDG_CACHE_HOME nor HOME is set: kernels are compiled anew each time", "set HOME"};
    return {"cubin cache", "ok", folder.string(), ""};
}

}  // namespace

protocol::MachineResult describeMachine()
{
    protocol::MachineResult out;
    out.devices = localDevices();
    out.checks.push_back(processor());
    const auto driver = cuda::Driver::open();
    if (driver) {
        const int version = (*driver)->version();
        out.checks.push_back({"nvidia driver", "ok", fmt::format("runs CUDA up to {}.{}; {} GPU{}", version / 1000, version % 1000 / 10,
                                                                (*driver)->deviceCount(), (*driver)->deviceCount() == 1 ? "" : "s"), ""});
        for (int i = 0; i < (*driver)->deviceCount(); ++i) {
            out.checks.push_back(gpu(**driver, i));
            out.devices.push_back(fmt::format("cuda:{}", i));
        }
    } else {
        out.checks.push_back({"nvidia driver", "missing", driver.error().message, driver.error().remedy});
        out.checks.push_back({"device cuda:N", "missing", "no GPU that this machine's driver can use", "use --device cpu, or --device ssh:HOST/cuda:0"});
    }
    out.checks.push_back(tool("nvrtc", "NVIDIA's run-time compiler", nvrtc::nvrtcVersion()));
    out.checks.push_back(tool("disassembler", "for SASS", nvrtc::disassemblerPath()));
    for (protocol::Check& check : describeCounters(driver && (*driver)->deviceCount() > 0 ? driver->get() : nullptr))
        out.checks.push_back(std::move(check));
    out.checks.push_back(cache());
    return out;
}

double memoryOfMachine() { return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)); }

}  // namespace tw::device

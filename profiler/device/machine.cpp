#include "profiler/device/machine.h"

#include <cstdlib>

#include <dlfcn.h>
#include <unistd.h>

#include <fmt/ranges.h>

#include "profiler/cuda/cubin_cache.h"
#include "profiler/cuda/driver.h"
#include "profiler/device/device.h"

namespace tw::device {
namespace {

using protocol::Check;

Check library(const char* name, const std::vector<const char*>& files, const char* what, const char* remedy)
{
    for (const char* file : files) {
        if (void* handle = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL)) {
            ::dlclose(handle);
            return {name, "ok", fmt::format("{} is here ({})", what, file), ""};
        }
    }
    return {name, "missing", fmt::format("{} is not here ({})", what, files.front()), remedy};
}

// A program on PATH or in the toolkit's usual place; empty if there is none.
std::string findProgram(const std::string& name)
{
    const char* path = std::getenv("PATH");
    std::string folders = std::string(path ? path : "") + ":/usr/local/cuda/bin";
    for (std::size_t at = 0; at <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', at), folders.size());
        const std::string candidate = folders.substr(at, end - at) + "/" + name;
        if (end > at && ::access(candidate.c_str(), X_OK) == 0)
            return candidate;
        at = end + 1;
    }
    return {};
}

Check disassembler()
{
    for (const char* name : {"nvdisasm", "cuobjdump"})
        if (const std::string found = findProgram(name); !found.empty())
            return {"disassembler", "ok", found, ""};
    return {"disassembler", "missing", "neither nvdisasm nor cuobjdump is here: SASS is not shown",
            "install the CUDA toolkit, or pip install nvidia-cuda-nvdisasm"};
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
    out.checks.push_back(library("nvrtc", {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}, "NVIDIA's run-time compiler",
                                 "install the CUDA toolkit 12 or newer, or run from a machine that has it with --device ssh:HOST/cuda:0"));
    out.checks.push_back(disassembler());
    out.checks.push_back(library("cupti", {"libcupti.so", "libcupti.so.13", "libcupti.so.12"}, "NVIDIA's profiling library",
                                 "install the CUDA toolkit 12 or newer"));
    out.checks.push_back(cache());
    return out;
}

}  // namespace tw::device

#include "profiler/cupti/library.h"

#include <dlfcn.h>

#include <fmt/core.h>

#include "codegen/nvrtc/toolkit.h"

namespace tw::cupti {
namespace {

// A pointer out of a library as a function: POSIX promises that this works.
template <class F>
void resolve(void* handle, const char* name, F*& function)
{
    function = reinterpret_cast<F*>(::dlsym(handle, name));
}

// Names of the library, the driver's own major version first: a newer CUPTI may refuse an older driver.
std::vector<std::string> candidates(int driverVersion)
{
    std::vector<std::string> names = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    if (driverVersion >= 12000 && driverVersion < 13000)
        std::swap(names[0], names[1]);
    std::vector<std::string> out = names;
    for (const char* part : {"lib64", "extras/CUPTI/lib64"})
        for (const std::string& folder : nvrtc::toolkitFolders(part))
            for (const std::string& name : names)
                out.push_back(folder + "/" + name);
    return out;
}

// The first function that a CUPTI with the range profiler has and this one has not; null if it has all.
const char* firstMissing(const api::Functions& functions)
{
#define TW_CUPTI(member, name, parameters) \
    if (!functions.member)                 \
        return name;
#include "profiler/cupti/cupti_functions.def"
#undef TW_CUPTI
    return nullptr;
}

std::string spell(int version) { return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100); }

constexpr const char* kInstall = "install the CUDA toolkit 12.8 or newer, or pip install nvidia-cuda-cupti (nvidia-cuda-cupti-cu12 for a driver of CUDA 12)";

struct Level {
    int api::DeviceSupported::*member;
    int result;  // that says the same as "unsupported"
};
constexpr Level kLevels[] = {
    {&api::DeviceSupported::architecture, api::kLegacyProfiler}, {&api::DeviceSupported::virtualGpu, api::kVirtualized},
    {&api::DeviceSupported::confidential, api::kConfidential},   {&api::DeviceSupported::mining, api::kMining},
    {&api::DeviceSupported::sli, api::kSli},                     {&api::DeviceSupported::wsl, api::kWsl},
};

int numberOf(Interface which)
{
    switch (which) {
        case Interface::kRanges: return api::kApiRanges;
        case Interface::kPcSampling: return api::kApiPcSampling;
        case Interface::kInstructions: return api::kApiSass;
        case Interface::kPmSampling: break;
    }
    return api::kApiPmSampling;
}

}  // namespace

Result<std::shared_ptr<const Library>> Library::openFile(const std::string& path)
{
    // Never closed: CUPTI hooks into the driver and does not survive being unloaded.
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char* reason = ::dlerror();
        return tl::unexpected(Failure{FailureKind::kMissing, 0, fmt::format("CUPTI is not on this machine: {}", reason ? reason : path), kInstall});
    }
    std::shared_ptr<Library> library(new Library);
    library->path_ = path;
    api::Functions& f = library->functions_;
    using namespace api;  // the table's parameter types
#define TW_CUPTI(member, name, parameters) resolve(handle, name, f.member);
#include "profiler/cupti/cupti_functions.def"
#undef TW_CUPTI
    std::uint32_t version = 0;
    if (f.version)
        f.version(&version);
    library->version_ = static_cast<int>(version);
    if (const char* missing = firstMissing(f))
        return tl::unexpected(Failure{FailureKind::kTooOld, 0,
                                      fmt::format("{} is too old: it {}lacks {}", path, version ? "says " + std::to_string(version) + " and " : "", missing),
                                      kInstall});
    return library;
}

Result<std::shared_ptr<const Library>> Library::open(int driverVersion)
{
    Failure failure{FailureKind::kMissing, 0, "CUPTI, NVIDIA's library for counters, is not on this machine", kInstall};
    for (const std::string& path : candidates(driverVersion)) {
        auto opened = openFile(path);
        if (opened)
            return opened;
        if (opened.error().kind != FailureKind::kMissing)
            failure = opened.error();  // there, but of no use: more telling than "not here"
    }
    return tl::unexpected(failure);
}

std::string Library::versionText() const
{
    // 130001 is 13.0.1; before CUDA 13 the number only counted up.
    return version_ >= 100000 ? spell(version_) : std::to_string(version_);
}

Result<void> Library::check(int result, const std::string& what) const
{
    if (result == 0)
        return {};
    const char* name = nullptr;
    if (functions_.resultName)
        functions_.resultName(result, &name);
    return tl::unexpected(explain(result, what, name ? name : ""));
}

std::vector<std::string> Library::chips() const
{
    auto params = api::make<api::SupportedChips>();
    if (functions_.supportedChips(&params) != 0)
        return {};
    return {params.names, params.names + params.count};
}

Result<void> startProfiling(const Library& library, cuda::api::Device device, Interface which)
{
    auto start = api::make<api::NoParams>();
    if (auto done = library.check(library.call().initialize(&start), "starting CUPTI"); !done)
        return done;
    auto support = api::make<api::DeviceSupported>();
    support.device = device;
    support.which = numberOf(which);
    if (auto done = library.check(library.call().deviceSupported(&support), "asking for counters"); !done)
        return done;
    if (support.isSupported == api::kSupported)
        return {};
    if (support.virtualGpu == api::kDisabled)
        return library.check(api::kVirtualizedPrivileges, "asking for counters");
    for (const Level& level : kLevels)
        if (support.*level.member == api::kUnsupported)
            return library.check(level.result, "asking for counters");
    return library.check(api::kNotSupported, "asking for counters");
}

Result<std::string> chipOf(const Library& library, int ordinal)
{
    auto params = api::make<api::ChipName>();
    params.device = static_cast<std::size_t>(ordinal);
    if (auto done = library.check(library.call().chipName(&params), "asking for the GPU's chip"); !done)
        return tl::unexpected(done.error());
    return std::string(params.name);
}

}  // namespace tw::cupti

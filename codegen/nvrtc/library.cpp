#include "codegen/nvrtc/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

namespace tw::nvrtc {

namespace {

namespace fs = std::filesystem;

// site-packages of the Python environments that a user may have installed wheels into.
std::vector<fs::path> sitePackages()
{
    std::vector<fs::path> roots;
    if (const char* environment = std::getenv("VIRTUAL_ENV"))
        roots.emplace_back(fs::path(environment) / "lib");
    if (const char* environment = std::getenv("CONDA_PREFIX"))
        roots.emplace_back(fs::path(environment) / "lib");
    if (const char* home = std::getenv("HOME"))
        roots.emplace_back(fs::path(home) / ".local/lib");
    roots.emplace_back("/usr/local/lib");
    roots.emplace_back("/usr/lib");
    std::vector<fs::path> found;
    std::error_code error;
    for (const fs::path& root : roots)
        for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error))
            if (it->path().filename().string().rfind("python3", 0) == 0)
                for (const char* name : {"site-packages", "dist-packages"})
                    if (fs::is_directory(it->path() / name / "nvidia", error))
                        found.push_back(it->path() / name / "nvidia");
    return found;
}

void* openLibrary()
{
    const char* const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    for (const char* name : names)
        if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL))
            return handle;
    for (const std::string& folder : toolkitFolders("lib64"))
        for (const char* name : names)
            if (void* handle = dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL))
                return handle;
    return nullptr;
}

template <class F>
bool load(void* handle, const char* name, F& to)
{
    to = reinterpret_cast<F>(dlsym(handle, name));
    return to != nullptr;
}

tl::expected<Library, std::string> openAll()
{
    void* handle = openLibrary();
    if (!handle)
        return tl::unexpected(std::string("NVRTC is not on this machine: install the CUDA toolkit (12.4 or newer), or pip install nvidia-cuda-nvrtc, or set CUDA_HOME"));
    Library l;
    const bool ok = load(handle, "nvrtcVersion", l.version) && load(handle, "nvrtcGetNumSupportedArchs", l.numSupportedArchs) &&
                    load(handle, "nvrtcGetSupportedArchs", l.supportedArchs) && load(handle, "nvrtcCreateProgram", l.createProgram) &&
                    load(handle, "nvrtcDestroyProgram", l.destroyProgram) && load(handle, "nvrtcCompileProgram", l.compileProgram) &&
                    load(handle, "nvrtcGetPTXSize", l.ptxSize) && load(handle, "nvrtcGetPTX", l.ptx) && load(handle, "nvrtcGetCUBINSize", l.cubinSize) &&
                    load(handle, "nvrtcGetCUBIN", l.cubin) && load(handle, "nvrtcGetProgramLogSize", l.logSize) && load(handle, "nvrtcGetProgramLog", l.log) &&
                    load(handle, "nvrtcGetErrorString", l.errorString);
    if (!ok)
        return tl::unexpected(std::string("the NVRTC on this machine lacks functions that CUDA 12 has"));
    load(handle, "nvrtcSetFlowCallback", l.setFlowCallback);
    return l;
}

}  // namespace

const tl::expected<Library, std::string>& library()
{
    static const tl::expected<Library, std::string> opened = openAll();
    return opened;
}

std::vector<std::string> toolkitFolders(const std::string& part)
{
    std::vector<std::string> folders;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* home = std::getenv(variable); home && *home)
            folders.push_back(std::string(home) + "/" + part);
    folders.push_back("/usr/local/cuda/" + part);
    // Wheels: nvidia/cu13/{lib,bin}, nvidia/cuda_nvrtc/lib, nvidia/cuda_nvdisasm/bin, …
    std::error_code error;
    for (const fs::path& root : sitePackages()) {
        std::vector<std::string> found;
        for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error))
            if (const fs::path folder = it->path() / (part == "lib64" ? "lib" : part); fs::is_directory(folder, error))
                found.push_back(folder.string());
        std::sort(found.begin(), found.end(), std::greater<>());  // newer toolkits first
        folders.insert(folders.end(), found.begin(), found.end());
    }
    return folders;
}

}  // namespace tw::nvrtc

#include "codegen/nvrtc/library.h"

#include <dlfcn.h>

#include "codegen/nvrtc/toolkit.h"

namespace tw::nvrtc {

namespace {

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

}  // namespace tw::nvrtc

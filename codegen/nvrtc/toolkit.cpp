#include "codegen/nvrtc/toolkit.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

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

}  // namespace

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

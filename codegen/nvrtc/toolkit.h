// Where a CUDA toolkit, or a part of one, may be installed.
#pragma once

#include <string>
#include <vector>

namespace tw::nvrtc {

// Directories that may hold parts of a CUDA toolkit: CUDA_HOME, CUDA_PATH, /usr/local/cuda, PyPI's wheels, in this order. `part` is
// "lib64", "bin", "include" or "extras/CUPTI/lib64".
[[nodiscard]] std::vector<std::string> toolkitFolders(const std::string& part);

}  // namespace tw::nvrtc

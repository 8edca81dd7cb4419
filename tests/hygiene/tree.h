// The source tree as the hygiene tests see it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tw::hygiene {

namespace fs = std::filesystem;

inline std::string read(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct SourceFile {
    std::string path;  // from the root
    std::string text;
};

// C++ files below the given folders, in order.
inline std::vector<SourceFile> sources(const std::vector<std::string>& folders)
{
    std::vector<SourceFile> out;
    const fs::path root = TW_SOURCE_DIR;
    for (const std::string& folder : folders) {
        if (!fs::exists(root / folder))
            continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string extension = entry.path().extension().string();
            if (entry.is_regular_file() && (extension == ".h" || extension == ".cpp" || extension == ".def"))
                out.push_back({fs::relative(entry.path(), root).string(), read(entry.path())});
        }
    }
    std::sort(out.begin(), out.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    return out;
}

// "core/staging/trace/x.h" -> "core/staging".
inline std::string folderOf(const std::string& path)
{
    const std::size_t first = path.find('/');
    const std::size_t second = first == std::string::npos ? first : path.find('/', first + 1);
    return path.substr(0, second == std::string::npos ? first : second);
}

}  // namespace tw::hygiene

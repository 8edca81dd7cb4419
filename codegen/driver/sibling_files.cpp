#include "codegen/driver/sibling_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace tw::driver {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLevels = 8;  // that packages are nested

std::optional<std::string> textOf(const fs::path& path)
{
    std::error_code error;
    if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kLargestSibling || error)
        return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    if (!in.is_open())
        return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
}

bool isPackage(const fs::path& folder)
{
    std::error_code error;
    return fs::is_regular_file(folder / "__init__.py", error);
}

fs::path absoluteOf(const std::string& folder)
{
    std::error_code error;
    const fs::path absolute = fs::absolute(folder, error);
    fs::path normal = (error ? fs::path(folder) : absolute).lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();  // "a/b/" ends with an empty name
}

}  // namespace

std::optional<std::string> readSiblingFile(const std::string& folder, const std::string& path)
{
    const fs::path relative(path);
    if (path.empty() || relative.is_absolute())
        return std::nullopt;
    fs::path base = absoluteOf(folder);
    auto part = relative.begin();
    bool isInside = true;  // of packages all the way
    for (; part != relative.end() && *part == ".."; ++part) {
        isInside = isInside && isPackage(base);
        base = base.parent_path();
    }
    if (!isInside && !isPackage(base))  // folders between packages may lack the file
        return std::nullopt;
    fs::path rest;
    for (; part != relative.end(); ++part) {
        if (*part == "..")
            return std::nullopt;
        rest /= *part;
    }
    rest += ".py";
    if (auto text = textOf(base / rest))
        return text;
    // The package that the file itself lies in, by its full name.
    if (*relative.begin() == "..")
        return std::nullopt;
    fs::path around = base;
    for (int level = 0; level < kMostLevels && around.has_relative_path(); ++level, around = around.parent_path())
        if (around.filename() == *relative.begin() && isPackage(around))
            return textOf(around.parent_path() / rest);
    return std::nullopt;
}

}  // namespace tw::driver

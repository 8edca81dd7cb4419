#include "codegen/driver/sibling_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace tw::driver {
namespace {

namespace fs = std::filesystem;

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
    for (; part != relative.end() && *part == ".."; ++part) {
        if (!isPackage(base) || !base.has_parent_path())
            return std::nullopt;
        base = base.parent_path();
    }
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
    for (fs::path around = base; isPackage(around) && around.has_parent_path() && around != around.root_path(); around = around.parent_path())
        if (around.filename() == *relative.begin())
            return textOf(around.parent_path() / rest);
    return std::nullopt;
}

}  // namespace tw::driver

#include "profiler/store/twr.h"

#include <fmt/core.h>

#include "profiler/capture/json.h"
#include "profiler/store/blob.h"
#include "profiler/store/file.h"

namespace tw::store {

std::string toTwr(const capture::Capture& capture) { return std::string(kTwrMark) + pack(capture::toJson(capture)); }

tl::expected<capture::Capture, std::string> fromTwr(std::string_view bytes)
{
    if (bytes.size() < kTwrMark.size() || bytes.substr(0, 3) != kTwrMark.substr(0, 3))
        return tl::unexpected(std::string("this is no .twr file"));
    if (bytes[3] != kTwrMark[3])
        return tl::unexpected(std::string("this .twr file has another format than this program reads: another version of Tilewright wrote it"));
    if (!bytes.starts_with(kTwrMark))
        return tl::unexpected(std::string("this .twr file was changed on its way; copy it again as a binary file"));
    const auto json = unpack(bytes.substr(kTwrMark.size()));
    if (!json)
        return tl::unexpected("this .twr file is damaged: " + json.error());
    return capture::fromJson(*json);
}

tl::expected<void, std::string> writeTwr(const std::string& path, const capture::Capture& capture) { return writeWhole(path, toTwr(capture)); }

tl::expected<capture::Capture, std::string> readTwr(const std::string& path)
{
    const auto bytes = readWhole(path, kLargestCapture);
    if (!bytes)
        return tl::unexpected(bytes.error());
    auto capture = fromTwr(*bytes);
    if (!capture)
        return tl::unexpected(fmt::format("{}: {}", path, capture.error()));
    return capture;
}

}  // namespace tw::store

#include "profiler/protocol/frame.h"

#include <algorithm>
#include <fmt/core.h>

#include "core/support/check.h"

namespace tw::protocol {
namespace {

constexpr std::string_view kMagic = "TWP1";
constexpr std::size_t kFixedBytes = 12;

template <class T>
void append(std::string& out, T value)
{
    for (std::size_t i = 0; i < sizeof(T); ++i)
        out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

template <class T>
T read(std::string_view bytes)
{
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value |= static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return value;
}

}  // namespace

std::string serialize(const Frame& frame)
{
    TW_CHECK(frame.header.size() <= kMaxHeaderBytes && frame.payloads.size() <= kMaxPayloads, "the frame is too large");
    std::size_t total = kFixedBytes + frame.header.size();
    for (const std::string& p : frame.payloads)
        total += 8 + p.size();
    std::string out;
    out.reserve(total);
    out += kMagic;
    append(out, static_cast<std::uint32_t>(frame.header.size()));
    append(out, static_cast<std::uint32_t>(frame.payloads.size()));
    for (const std::string& p : frame.payloads)
        append(out, static_cast<std::uint64_t>(p.size()));
    out += frame.header;
    for (const std::string& p : frame.payloads)
        out += p;
    return out;
}

void FrameReader::feed(std::string_view bytes)
{
    if (failed())
        return;
    if (position_ > 0) {
        buffer_.erase(0, position_);
        position_ = 0;
    }
    buffer_ += bytes;
}

std::optional<Frame> FrameReader::next()
{
    const std::string_view rest = std::string_view(buffer_).substr(position_);
    if (failed() || rest.empty())
        return std::nullopt;
    if (!kMagic.starts_with(rest.substr(0, kMagic.size()))) {
        std::string begin(rest.substr(0, std::min<std::size_t>(40, rest.find('\n'))));
        std::replace_if(begin.begin(), begin.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
        error_ = fmt::format("the stream begins with \"{}\", which is no frame of the runner protocol", begin);
        return std::nullopt;
    }
    if (rest.size() < kFixedBytes)
        return std::nullopt;
    const auto headerBytes = read<std::uint32_t>(rest.substr(4));
    const auto payloads = read<std::uint32_t>(rest.substr(8));
    if (headerBytes > kMaxHeaderBytes || payloads > kMaxPayloads) {
        error_ = fmt::format("a frame announces {} header bytes and {} payloads, more than the protocol allows", headerBytes,
                             payloads);
        return std::nullopt;
    }
    std::size_t at = kFixedBytes + 8 * static_cast<std::size_t>(payloads);
    if (rest.size() < at)
        return std::nullopt;
    std::vector<std::uint64_t> sizes;
    std::uint64_t total = 0;
    for (std::uint32_t i = 0; i < payloads; ++i) {
        sizes.push_back(read<std::uint64_t>(rest.substr(kFixedBytes + 8 * static_cast<std::size_t>(i))));
        if (sizes.back() > kMaxPayloadBytes || (total += sizes.back()) > kMaxPayloadBytes) {
            error_ = "a frame announces larger payloads than the protocol allows";
            return std::nullopt;
        }
    }
    if (rest.size() - at < headerBytes + total)
        return std::nullopt;

    Frame frame;
    frame.header = rest.substr(at, headerBytes);
    at += headerBytes;
    for (const std::uint64_t size : sizes) {
        frame.payloads.emplace_back(rest.substr(at, size));
        at += size;
    }
    position_ += at;
    return frame;
}

}  // namespace tw::protocol

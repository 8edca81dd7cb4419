// The envelope of the runner protocol: one text header (JSON) and any number of binary payloads.
//
// On the wire, integers little-endian: "TWP1", u32 bytes of the header, u32 number of payloads, u64 bytes of each payload,
// the header, the payloads. Nothing stands between two frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tw::protocol {

struct Frame {
    std::string header;
    std::vector<std::string> payloads;
    bool operator==(const Frame&) const = default;
};

inline constexpr std::uint32_t kMaxHeaderBytes = 64U << 20;
inline constexpr std::uint32_t kMaxPayloads = 4096;
inline constexpr std::uint64_t kMaxPayloadBytes = 1ULL << 38;  // all payloads of one frame together

[[nodiscard]] std::string serialize(const Frame& frame);

// Takes bytes in pieces of any size and gives whole frames. Memory grows with the bytes that have arrived, never with what
// a header announces. After the first malformed byte it gives nothing more.
class FrameReader {
public:
    void feed(std::string_view bytes);
    [[nodiscard]] std::optional<Frame> next();
    [[nodiscard]] bool failed() const { return !error_.empty(); }
    [[nodiscard]] const std::string& error() const { return error_; }
    [[nodiscard]] bool isInsideFrame() const { return position_ < buffer_.size(); }

private:
    std::string buffer_;
    std::size_t position_ = 0;
    std::string error_;
};

}  // namespace tw::protocol

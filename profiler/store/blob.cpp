#include "profiler/store/blob.h"

#include <algorithm>

#include <fmt/core.h>
#include <zlib.h>

#include "core/support/check.h"

namespace tw::store {
namespace {

constexpr std::size_t kHead = 8;
// Deflate cannot shrink by more than 1032 (zlib's technical notes): a stream that promises more is not ours.
constexpr std::uint64_t kMostGain = 1032;

}  // namespace

std::string pack(std::string_view bytes)
{
    uLongf size = compressBound(bytes.size());
    std::string out(kHead + size, '\0');
    for (std::size_t i = 0; i < kHead; ++i)
        out[i] = static_cast<char>(static_cast<std::uint64_t>(bytes.size()) >> (8 * i));
    const int result = compress2(reinterpret_cast<Bytef*>(out.data()) + kHead, &size, reinterpret_cast<const Bytef*>(bytes.data()),
                                 bytes.size(), Z_DEFAULT_COMPRESSION);
    TW_CHECK(result == Z_OK, "compressing into a large enough buffer fails only without memory");
    out.resize(kHead + size);
    return out;
}

tl::expected<std::string, std::string> unpack(std::string_view packed, std::uint64_t limit)
{
    if (packed.size() <= kHead)
        return tl::unexpected(std::string("it ends in its first bytes"));
    std::uint64_t promised = 0;
    for (std::size_t i = 0; i < kHead; ++i)
        promised |= static_cast<std::uint64_t>(static_cast<unsigned char>(packed[i])) << (8 * i);
    packed.remove_prefix(kHead);
    if (promised > limit)
        return tl::unexpected(fmt::format("it claims to hold {} MiB, and {} are allowed", promised >> 20, limit >> 20));
    if (promised > (packed.size() + 1) * kMostGain)
        return tl::unexpected(std::string("it is shorter than it claims"));
    std::string out(std::max<std::size_t>(promised, 1), '\0');
    uLongf written = promised;
    uLong read = packed.size();
    const int result = uncompress2(reinterpret_cast<Bytef*>(out.data()), &written, reinterpret_cast<const Bytef*>(packed.data()), &read);
    if (result != Z_OK || written != promised || read != packed.size())
        return tl::unexpected(std::string("its bytes were cut or changed"));
    out.resize(promised);
    return out;
}

}  // namespace tw::store

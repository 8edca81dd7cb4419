#include "core/syntax/unicode.h"

#include <cstring>

namespace tw::syntax {

namespace {

bool isContinuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Length by the lead byte, or 0 for a byte that leads nothing.
std::size_t leadLength(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2)
        return 0;
    if (lead < 0xE0)
        return 2;
    if (lead < 0xF0)
        return 3;
    return lead < 0xF5 ? 4 : 0;
}

struct PointRange {
    std::uint32_t first, last;
};

// Punctuation, symbols and spaces that get into files by pasting from documents. Letters of every script may stand in a
// name; listing those would take the whole Unicode database and refuse nothing that people meet.
constexpr PointRange kNotInNames[] = {
    {0x0080, 0x00A9}, {0x00AB, 0x00B4}, {0x00B6, 0x00B6}, {0x00B8, 0x00B9}, {0x00BB, 0x00BF}, {0x00D7, 0x00D7},
    {0x00F7, 0x00F7}, {0x2000, 0x203E}, {0x2041, 0x2053}, {0x2055, 0x206F}, {0x20A0, 0x20CF}, {0x2190, 0x2BFF},
    {0x2E00, 0x2E7F}, {0x3000, 0x3004}, {0x3008, 0x3020}, {0x3030, 0x3030}, {0xD800, 0xF8FF}, {0xFE10, 0xFE32},
    {0xFEFF, 0xFEFF}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF20}, {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFF}, {0x1F000, 0x1FAFF}, {0xE0000, 0x10FFFF},
};

bool mayStandInName(std::uint32_t point)
{
    for (const PointRange& range : kNotInNames)
        if (point >= range.first && point <= range.last)
            return false;
    return true;
}

}  // namespace

std::size_t codePointLength(std::string_view text)
{
    const std::size_t length = leadLength(static_cast<unsigned char>(text[0]));
    return length == 0 || length > text.size() ? 1 : length;
}

std::uint32_t codePoint(std::string_view text)
{
    const std::size_t length = codePointLength(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    if (length == 1)
        return lead;
    std::uint32_t point = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i)
        point = point << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
    return point;
}

void appendCodePoint(std::string& out, std::uint32_t point)
{
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
        point = 0xFFFD;
    const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | (point >> shift & 0x3FU)); };
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xC0U | point >> 6U);
        tail(0);
    } else if (point < 0x10000) {
        out += static_cast<char>(0xE0U | point >> 12U);
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0U | point >> 18U);
        tail(12);
        tail(6);
        tail(0);
    }
}

std::size_t findNonText(std::string_view text)
{
    std::size_t at = 0;
    while (at < text.size()) {
        // Eight ASCII bytes without a NUL at once: nearly all of a source file.
        if (at + 8 <= text.size()) {
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + at, 8);
            const std::uint64_t hasZero = (word - 0x0101010101010101ULL) & ~word;
            if (((word | hasZero) & 0x8080808080808080ULL) == 0) {
                at += 8;
                continue;
            }
        }
        const std::size_t length = leadLength(static_cast<unsigned char>(text[at]));
        if (length == 0 || text[at] == '\0' || at + length > text.size())
            return at;
        for (std::size_t i = 1; i < length; ++i)
            if (!isContinuation(text[at + i]))
                return at;
        const std::uint32_t point = codePoint(text.substr(at, length));
        const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
        if (overlong || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
            return at;
        at += length;
    }
    return std::string_view::npos;
}

std::size_t namePrefix(std::string_view word)
{
    std::size_t at = 0;
    while (at < word.size()) {
        const std::size_t length = codePointLength(word.substr(at));
        if (length > 1 && !mayStandInName(codePoint(word.substr(at))))
            break;
        at += length;
    }
    return at;
}

}  // namespace tw::syntax

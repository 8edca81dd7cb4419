#include "core/syntax/token.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace tw::syntax {

namespace {

constexpr std::string_view kTexts[] = {
#define TW_TOKEN(name, text) text,
#include "core/syntax/tokens.def"
#undef TW_TOKEN
};
constexpr std::size_t kFirstKeyword = static_cast<std::size_t>(Tok::kFalse);
constexpr std::size_t kLongestKeyword = 8;

// Spreads the 35 keywords over 256 slots.
constexpr std::size_t slot(std::string_view word)
{
    const auto a = static_cast<unsigned char>(word[0]);
    const auto b = static_cast<unsigned char>(word[1]);
    const auto c = static_cast<unsigned char>(word.back());
    return (a * 3U + b * 29U + c * 5U + word.size() * 37U) % 256U;
}

constexpr std::array<std::uint8_t, 256> kSlots = [] {
    std::array<std::uint8_t, 256> slots{};
    for (std::size_t i = kFirstKeyword; i < std::size(kTexts); ++i) {
        // Open addressing over neighbours keeps the table right even where two words meet.
        std::size_t at = slot(kTexts[i]);
        while (slots[at] != 0)
            at = (at + 1) % slots.size();
        slots[at] = static_cast<std::uint8_t>(i);
    }
    return slots;
}();

}  // namespace

std::string_view tokenText(Tok kind)
{
    return kTexts[static_cast<std::size_t>(kind)];
}

Tok keywordOf(std::string_view word)
{
    if (word.size() < 2 || word.size() > kLongestKeyword)
        return Tok::kName;
    for (std::size_t at = slot(word); kSlots[at] != 0; at = (at + 1) % kSlots.size())
        if (kTexts[kSlots[at]] == word)
            return static_cast<Tok>(kSlots[at]);
    return Tok::kName;
}

}  // namespace tw::syntax

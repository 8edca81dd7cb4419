// What the highlighters of all languages share: one scan over the text that paints as it goes.
#pragma once

#include <array>
#include <cctype>

#include "app/gui/editor/highlight.h"

namespace tw::gui {

inline bool isNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); }
inline bool isNamePart(char c) { return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c)); }

template <std::size_t N>
bool isOneOf(const std::array<std::string_view, N>& words, std::string_view word)
{
    for (const auto candidate : words) {
        if (candidate == word)
            return true;
    }
    return false;
}

// One scan over the text. Positions only grow, so every language is linear.
struct Scanner {
    std::string_view text;
    std::vector<Style> out;
    std::size_t at = 0;

    explicit Scanner(std::string_view t) : text(t), out(t.size(), Style::kText) {}

    [[nodiscard]] bool done() const { return at >= text.size(); }
    [[nodiscard]] char peek(std::size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
    void paint(std::size_t end, Style style)
    {
        for (; at < end && at < text.size(); ++at)
            out[at] = style;
    }
    [[nodiscard]] std::size_t lineEnd() const
    {
        const auto end = text.find('\n', at);
        return end == std::string_view::npos ? text.size() : end;
    }
    [[nodiscard]] std::string_view word() const
    {
        std::size_t end = at;
        while (end < text.size() && isNamePart(text[end]))
            ++end;
        return text.substr(at, end - at);
    }
    void number()
    {
        std::size_t end = at + 1;
        while (end < text.size() && (isNamePart(text[end]) || text[end] == '.' ||
                                     ((text[end] == '+' || text[end] == '-') && (text[end - 1] == 'e' || text[end - 1] == 'E'))))
            ++end;
        paint(end, Style::kNumber);
    }
    void quoted(char quote, Style style)
    {
        std::size_t end = at + 1;
        while (end < text.size() && text[end] != quote && text[end] != '\n')
            end += text[end] == '\\' ? 2 : 1;
        paint(end < text.size() && text[end] == quote ? end + 1 : end, style);
    }
};

}  // namespace tw::gui

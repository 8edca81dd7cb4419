#include "core/staging/integer_math.h"

#include <algorithm>
#include <cmath>

namespace tw::staging {

std::optional<Integer> addIntegers(Integer a, Integer b)
{
    Integer r = 0;
    if (__builtin_add_overflow(a, b, &r))
        return std::nullopt;
    return r;
}

std::optional<Integer> subIntegers(Integer a, Integer b)
{
    Integer r = 0;
    if (__builtin_sub_overflow(a, b, &r))
        return std::nullopt;
    return r;
}

std::optional<Integer> mulIntegers(Integer a, Integer b)
{
    Integer r = 0;
    if (__builtin_mul_overflow(a, b, &r))
        return std::nullopt;
    return r;
}

std::optional<Integer> floorDivIntegers(Integer a, Integer b)
{
    if (a == kIntegerMin && b == -1)
        return std::nullopt;
    const Integer q = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

std::optional<Integer> floorModIntegers(Integer a, Integer b)
{
    if (b == -1)
        return 0;
    const Integer r = a % b;
    return (r != 0 && (r < 0) != (b < 0)) ? r + b : r;
}

std::optional<Integer> powIntegers(Integer base, Integer exponent)
{
    Integer result = 1;
    while (exponent > 0) {
        if (exponent & 1) {
            const auto r = mulIntegers(result, base);
            if (!r)
                return std::nullopt;
            result = *r;
        }
        exponent >>= 1;
        if (exponent == 0)
            break;
        const auto squared = mulIntegers(base, base);
        if (!squared)
            return std::nullopt;
        base = *squared;
    }
    return result;
}

std::optional<Integer> shiftLeft(Integer a, Integer bits)
{
    if (a == 0)
        return 0;
    if (bits > 126)
        return std::nullopt;
    return mulIntegers(a, static_cast<Integer>(1) << static_cast<int>(bits));
}

Integer shiftRight(Integer a, Integer bits)
{
    if (bits > 126)
        return a < 0 ? -1 : 0;
    return a >> static_cast<int>(bits);
}

std::optional<Integer> toInteger(double value)
{
    if (!std::isfinite(value) || std::abs(value) >= 1.7e38)
        return std::nullopt;
    return static_cast<Integer>(value);
}

std::string integerText(Integer value, int base)
{
    if (value == 0)
        return "0";
    const bool negative = value < 0;
    auto rest = negative ? ~static_cast<Unsigned128>(value) + 1 : static_cast<Unsigned128>(value);
    std::string text;
    while (rest != 0) {
        text += "0123456789abcdefghijklmnopqrstuvwxyz"[static_cast<int>(rest % static_cast<unsigned>(base))];
        rest /= static_cast<unsigned>(base);
    }
    if (negative)
        text += '-';
    std::reverse(text.begin(), text.end());
    return text;
}

namespace {

int digitValue(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

// Strips "0x", "0o", "0b" where `base` is 0 or the prefix's own, and settles the base.
void takePrefix(std::string_view& text, int& base)
{
    if (text.size() > 2 && text[0] == '0') {
        const char kind = static_cast<char>(text[1] | 0x20);
        const int prefixed = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0;
        if (prefixed != 0 && (base == 0 || base == prefixed)) {
            base = prefixed;
            text.remove_prefix(2);
        }
    }
    if (base == 0)
        base = 10;
}

}  // namespace

std::optional<Integer> parseInteger(std::string_view text, int base)
{
    const auto isSpace = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (!text.empty() && isSpace(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isSpace(text.back()))
        text.remove_suffix(1);
    const bool negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+'))
        text.remove_prefix(1);
    takePrefix(text, base);
    if (text.empty())
        return std::nullopt;
    Integer value = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '_' && i > 0 && i + 1 < text.size())
            continue;
        const int digit = digitValue(text[i]);
        if (digit >= base)
            return std::nullopt;
        const auto shifted = mulIntegers(value, base);
        const auto next = shifted ? addIntegers(*shifted, digit) : std::nullopt;
        if (!next)
            return std::nullopt;
        value = *next;
    }
    return negative ? -value : value;
}

}  // namespace tw::staging

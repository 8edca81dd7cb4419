#include "core/syntax/literals.h"

#include <charconv>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "core/syntax/token.h"
#include "core/syntax/unicode.h"

namespace tw::syntax {

namespace {

constexpr Integer kLargest = ((static_cast<Integer>(1) << 126) - 1) * 2 + 1;

int digitValue(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

char at(std::string_view text, std::size_t i)
{
    return i < text.size() ? text[i] : '\0';
}

bool isWordByte(char c)
{
    return digitValue(c) < 36 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Digits of `base` with single underscores between them, from `i`; false if an underscore is misplaced.
bool scanDigits(std::string_view text, std::size_t& i, int base)
{
    bool good = true, digit = false;
    for (;; ++i) {
        if (digitValue(at(text, i)) < base)
            digit = true;
        else if (at(text, i) == '_' && digitValue(at(text, i + 1)) < base)
            good = good && digit;
        else
            return good;
    }
}

// A keyword may follow a number at once: `1if x else 2`.
bool keywordFollows(std::string_view text, std::size_t i)
{
    std::size_t end = i;
    while (isWordByte(at(text, end)))
        ++end;
    switch (keywordOf(text.substr(i, end - i))) {
    case Tok::kAnd: case Tok::kElse: case Tok::kFor: case Tok::kIf: case Tok::kIn: case Tok::kIs: case Tok::kNot: case Tok::kOr:
        return true;
    default: return false;
    }
}

NumberSpan finish(std::string_view text, std::size_t i, std::string error)
{
    if (isWordByte(at(text, i)) && !keywordFollows(text, i)) {
        while (isWordByte(at(text, i)))
            ++i;
        if (error.empty())
            error = fmt::format("'{}' is not a number", text.substr(0, std::min<std::size_t>(i, 40)));
    }
    return {i, std::move(error)};
}

int baseOf(std::string_view text)
{
    if (at(text, 0) != '0')
        return 10;
    switch (at(text, 1) | 0x20) {
    case 'x': return 16;
    case 'o': return 8;
    case 'b': return 2;
    default: return 10;
    }
}

std::string withoutUnderscores(std::string_view text)
{
    std::string out;
    for (const char c : text)
        if (c != '_')
            out += c;
    return out;
}

double toDouble(const std::string& digits)
{
    double value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code == std::errc::result_out_of_range)  // from_chars does not say whether it is huge or tiny
        value = std::strtod(digits.c_str(), nullptr);
    return value;
}

IntLiteral toInteger(std::string_view digits, int base)
{
    IntLiteral out;
    for (const char c : digits) {
        if (c == '_')
            continue;
        const int digit = digitValue(c);
        if (digit >= base)
            break;
        if (out.value > (kLargest - digit) / base)
            return {kLargest, true};
        out.value = out.value * base + digit;
    }
    return out;
}

// Reads `digits` hexadecimal digits at `i`.
bool readHex(std::string_view body, std::size_t i, int digits, std::uint32_t& value)
{
    value = 0;
    for (int k = 0; k < digits; ++k) {
        const int digit = digitValue(at(body, i + static_cast<std::size_t>(k)));
        if (digit >= 16)
            return false;
        value = value << 4U | static_cast<std::uint32_t>(digit);
    }
    return true;
}

void appendByteOrPoint(std::string& out, std::uint32_t value, bool bytes)
{
    if (bytes)
        out += static_cast<char>(value);
    else
        appendCodePoint(out, value);
}

// The escape behind a backslash at body[i]; moves `i` behind it. False if it is malformed.
bool appendEscape(std::string& out, std::string_view body, std::size_t& i, bool bytes)
{
    const char c = at(body, i);
    const auto keep = [&] {
        out += '\\';
        return true;
    };
    const auto plain = [&](char value) {
        out += value;
        ++i;
        return true;
    };
    const auto hex = [&](int digits) {
        std::uint32_t value = 0;
        if (!readHex(body, i + 1, digits, value)) {
            keep();
            return false;
        }
        appendByteOrPoint(out, value, bytes);
        i += static_cast<std::size_t>(digits) + 1;
        return true;
    };
    switch (c) {
    case '\\': case '\'': case '"': return plain(c);
    case 'a': return plain('\a');
    case 'b': return plain('\b');
    case 'f': return plain('\f');
    case 'n': return plain('\n');
    case 'r': return plain('\r');
    case 't': return plain('\t');
    case 'v': return plain('\v');
    case '\n': ++i; return true;
    case '\r': i += at(body, i + 1) == '\n' ? 2 : 1; return true;
    case 'x': return hex(2);
    case 'u': return bytes ? keep() : hex(4);
    case 'U': return bytes ? keep() : hex(8);
    default: break;
    }
    if (c < '0' || c > '7')
        return keep();
    std::uint32_t value = 0;
    for (int k = 0; k < 3 && at(body, i) >= '0' && at(body, i) <= '7'; ++k)
        value = value * 8 + static_cast<std::uint32_t>(body[i++] - '0');
    appendByteOrPoint(out, value, bytes);
    return true;
}

}  // namespace

NumberSpan scanNumber(std::string_view text)
{
    std::size_t i = 0;
    const int base = baseOf(text);
    if (base != 10) {
        i = 2;
        const std::size_t digits = i + (at(text, i) == '_' ? 1U : 0U);
        i = digits;
        const bool good = scanDigits(text, i, base) && i > digits;
        return finish(text, i, good ? "" : fmt::format("'{}' is not a number", text.substr(0, std::max<std::size_t>(i, 2))));
    }
    bool good = scanDigits(text, i, 10), isFloat = false;
    const std::size_t whole = i;
    if (at(text, i) == '.') {
        isFloat = true;
        ++i;
        if (digitValue(at(text, i)) < 10)
            good = scanDigits(text, i, 10) && good;
    }
    if ((at(text, i) | 0x20) == 'e') {
        const std::size_t sign = at(text, i + 1) == '+' || at(text, i + 1) == '-' ? 1 : 0;
        if (digitValue(at(text, i + 1 + sign)) < 10) {
            isFloat = true;
            i += 1 + sign;
            good = scanDigits(text, i, 10) && good;
        }
    }
    if ((at(text, i) | 0x20) == 'j') {
        isFloat = true;
        ++i;
    }
    if (!good)
        return finish(text, i, fmt::format("'{}' is not a number", text.substr(0, i)));
    if (!isFloat && at(text, 0) == '0' && text.substr(0, whole).find_first_not_of("0_") != std::string_view::npos)
        return finish(text, i, "a decimal number cannot begin with 0; write 0o… for an octal number");
    return finish(text, i, "");
}

void numberValue(std::string_view text, Expr& out)
{
    const int base = baseOf(text);
    const bool imaginary = base == 10 && (text.back() | 0x20) == 'j';
    if (base != 10) {
        out.node = toInteger(text.substr(2), base);
    } else if (imaginary) {
        out.node = ImaginaryLiteral{toDouble(withoutUnderscores(text.substr(0, text.size() - 1)))};
    } else if (text.find_first_of(".eE") != std::string_view::npos) {
        out.node = FloatLiteral{toDouble(withoutUnderscores(text))};
    } else {
        out.node = toInteger(text, 10);
    }
}

StringParts splitString(std::string_view literal)
{
    StringParts parts;
    std::size_t i = 0;
    for (; i < literal.size() && literal[i] != '"' && literal[i] != '\''; ++i) {
        parts.raw = parts.raw || (literal[i] | 0x20) == 'r';
        parts.bytes = parts.bytes || (literal[i] | 0x20) == 'b';
    }
    const char quote = at(literal, i);
    const std::size_t width = at(literal, i + 1) == quote && at(literal, i + 2) == quote ? 3 : 1;
    parts.body = literal.substr(std::min(i + width, literal.size()));
    // An unclosed literal (reported by the lexer) has no quotes to take off.
    const std::string closing(width, quote);
    if (parts.body.ends_with(closing))
        parts.body.remove_suffix(width);
    return parts;
}

bool appendDecoded(std::string& out, std::string_view body, bool raw, bool bytes)
{
    bool good = true;
    for (std::size_t i = 0; i < body.size();) {
        const std::size_t stop = std::min(body.find_first_of(raw ? "\r" : "\\\r", i), body.size());
        out += body.substr(i, stop - i);
        i = stop;
        if (i == body.size())
            break;
        if (body[i] == '\r') {  // line ends read as "\n"
            i += at(body, i + 1) == '\n' ? 2 : 1;
            out += '\n';
        } else {
            ++i;
            good = appendEscape(out, body, i, bytes) && good;
        }
    }
    return good;
}

}  // namespace tw::syntax

// Format specifications of f-strings and str.format.
#include <fmt/format.h>

#include <cmath>

#include "core/staging/integer_math.h"
#include "core/staging/text.h"
#include "core/staging/work.h"

namespace tw::staging {
namespace {

struct Spec {
    std::string fill = " ";
    char align = 0;  // '<', '>', '^', '=' or 0
    char sign = '-';
    bool alternate = false;
    std::size_t width = 0;
    char grouping = 0;  // ',' or '_'
    int precision = -1;
    char type = 0;
};

bool isAlign(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }

void takeAlignment(std::string_view& text, Spec& spec)
{
    const auto points = codePoints(text);
    if (points.size() > 1 && points[1].size() == 1 && isAlign(points[1][0])) {
        spec.fill = points[0];
        spec.align = points[1][0];
        text.remove_prefix(points[0].size() + 1);
    } else if (!text.empty() && isAlign(text[0])) {
        spec.align = text[0];
        text.remove_prefix(1);
    }
}

std::size_t takeNumber(std::string_view& text)
{
    std::size_t n = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9' && n < 100'000) {
        n = n * 10 + static_cast<std::size_t>(text[0] - '0');
        text.remove_prefix(1);
    }
    return n;
}

bool takeOne(std::string_view& text, std::string_view set, char& out)
{
    if (text.empty() || set.find(text[0]) == std::string_view::npos)
        return false;
    out = text[0];
    text.remove_prefix(1);
    return true;
}

std::optional<Spec> parseSpec(std::string_view text)
{
    Spec spec;
    char c = 0;
    takeAlignment(text, spec);
    if (takeOne(text, "+- ", c))
        spec.sign = c;
    takeOne(text, "z", c);
    if (takeOne(text, "#", c))
        spec.alternate = true;
    if (takeOne(text, "0", c) && spec.align == 0) {
        spec.fill = "0";
        spec.align = '=';
    }
    spec.width = takeNumber(text);
    if (takeOne(text, ",_", c))
        spec.grouping = c;
    if (takeOne(text, ".", c))
        spec.precision = static_cast<int>(takeNumber(text));
    if (takeOne(text, "bcdeEfFgGnosxX%", c))
        spec.type = c;
    if (!text.empty() || spec.width > 10'000 || spec.precision > 500)
        return std::nullopt;
    return spec;
}

std::string grouped(const std::string& digits, char separator, std::size_t every)
{
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % every == 0)
            out += separator;
        out += digits[i];
    }
    return out;
}

std::string aligned(const Spec& spec, const std::string& prefix, const std::string& body, char byDefault)
{
    const std::size_t length = codePoints(prefix).size() + codePoints(body).size();
    if (length >= spec.width)
        return prefix + body;
    const std::size_t gap = spec.width - length;
    const auto fill = [&](std::size_t n) {
        std::string text;
        for (std::size_t i = 0; i < n; ++i)
            text += spec.fill;
        return text;
    };
    switch (spec.align ? spec.align : byDefault) {
    case '<': return prefix + body + fill(gap);
    case '^': return fill(gap / 2) + prefix + body + fill(gap - gap / 2);
    case '=': return prefix + fill(gap) + body;
    default: return fill(gap) + prefix + body;
    }
}

std::string signText(const Spec& spec, bool negative)
{
    return negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::optional<std::string> formatInteger(Integer value, const Spec& spec)
{
    if (spec.precision >= 0)
        return std::nullopt;
    int base = 10;
    std::string prefix;
    switch (spec.type) {
    case 'b': base = 2; prefix = "0b"; break;
    case 'o': base = 8; prefix = "0o"; break;
    case 'x': base = 16; prefix = "0x"; break;
    case 'X': base = 16; prefix = "0X"; break;
    case 'c':
        if (value < 32 || value > 126)
            return std::nullopt;
        return aligned(spec, "", std::string(1, static_cast<char>(value)), '<');
    default: break;
    }
    std::string digits = integerText(value, base);
    const bool negative = digits[0] == '-';
    if (negative)
        digits.erase(0, 1);
    if (spec.type == 'X')
        for (char& c : digits)
            c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    if (spec.grouping)
        digits = grouped(digits, spec.grouping, base == 10 ? 3 : 4);
    return aligned(spec, signText(spec, negative) + (spec.alternate ? prefix : ""), digits, '>');
}

std::string formatFloat(double value, const Spec& spec)
{
    const bool negative = std::signbit(value) && !std::isnan(value);
    const double size = std::abs(value);
    const int precision = spec.precision < 0 ? 6 : spec.precision;
    std::string body;
    if (std::isnan(value) || std::isinf(value))
        body = std::isnan(value) ? "nan" : "inf";
    else
        switch (spec.type) {
        case 0: body = spec.precision < 0 ? floatText(size) : fmt::format("{:.{}g}", size, std::max(precision, 1)); break;
        case 'e': body = fmt::format("{:.{}e}", size, precision); break;
        case 'E': body = fmt::format("{:.{}E}", size, precision); break;
        case 'g': case 'n': body = fmt::format("{:.{}g}", size, std::max(precision, 1)); break;
        case 'G': body = fmt::format("{:.{}G}", size, std::max(precision, 1)); break;
        case '%': body = fmt::format("{:.{}f}%", size * 100, precision); break;
        default: body = fmt::format("{:.{}f}", size, precision); break;
        }
    if (spec.type == 0 && spec.precision >= 0 && body.find_first_of(".einf") == std::string::npos)
        body += ".0";
    if (spec.grouping) {
        const auto point = std::min(body.find_first_not_of("0123456789"), body.size());
        body = grouped(body.substr(0, point), spec.grouping, 3) + body.substr(point);
    }
    return aligned(spec, signText(spec, negative), body, '>');
}

std::optional<std::string> formatText(std::string text, const Spec& spec)
{
    if ((spec.type != 0 && spec.type != 's') || spec.align == '=' || spec.grouping)
        return std::nullopt;
    if (spec.precision >= 0) {
        const auto points = codePoints(text);
        if (points.size() > static_cast<std::size_t>(spec.precision)) {
            std::string cut;
            for (int i = 0; i < spec.precision; ++i)
                cut += points[static_cast<std::size_t>(i)];
            text = cut;
        }
    }
    return aligned(spec, "", text, '<');
}

}  // namespace

std::optional<std::string> formatValue(const Value& value, std::string_view spec)
{
    if (spec.empty())
        return plainText(value);
    const auto parsed = parseSpec(spec);
    if (!parsed)
        return std::nullopt;
    const bool wantsFloat = std::string_view("eEfFgGn%").find(parsed->type) != std::string_view::npos && parsed->type;
    if (const auto* i = value.get<Integer>())
        return wantsFloat ? formatFloat(static_cast<double>(*i), *parsed) : formatInteger(*i, *parsed);
    if (const auto* b = value.get<bool>(); b && parsed->type && parsed->type != 's')
        return wantsFloat ? formatFloat(*b, *parsed) : formatInteger(*b, *parsed);
    if (const auto* d = value.get<double>()) {
        if (parsed->type && !wantsFloat)
            return std::nullopt;
        return formatFloat(*d, *parsed);
    }
    return formatText(plainText(value), *parsed);
}

std::vector<std::string_view> codePoints(std::string_view text)
{
    std::vector<std::string_view> points;
    points.reserve(text.size());
    while (!text.empty()) {
        points.push_back(firstCodePoint(text));
        text.remove_prefix(points.back().size());
    }
    return points;
}

bool isAscii(std::string_view text)
{
    for (const char c : text)
        if (static_cast<unsigned char>(c) >= 0x80)
            return false;
    return true;
}

}  // namespace tw::staging

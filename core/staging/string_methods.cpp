// Methods of str.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/integer_math.h"
#include "core/staging/meta_tensor.h"
#include "core/staging/text.h"
#include "core/staging/work.h"

namespace tw::staging {
namespace {

using Args = const CallArguments&;

const std::string& self(const Value& value) { return *value.str(); }

std::string textArgument(Interpreter& in, const Value& value, const SourceRange& range)
{
    if (!value.str() && !value.get<ir::DType>())
        in.fail(Code::kTypeMismatch, range, fmt::format("a str is needed here, not {}", typeName(value)));
    return plainText(value);
}

template <class F>
std::string mapped(const std::string& text, F f)
{
    std::string out = text;
    for (char& c : out)
        c = f(c);
    return out;
}

char lowered(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); }
char raised(char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); }
bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80; }

Value lower(Interpreter&, const Value& s, Args) { return mapped(self(s), lowered); }
Value upper(Interpreter&, const Value& s, Args) { return mapped(self(s), raised); }

Value capitalize(Interpreter&, const Value& s, Args)
{
    std::string out = mapped(self(s), lowered);
    if (!out.empty())
        out[0] = raised(out[0]);
    return out;
}

Value title(Interpreter&, const Value& s, Args)
{
    std::string out = mapped(self(s), lowered);
    for (std::size_t i = 0; i < out.size(); ++i)
        if (i == 0 || !isAlpha(out[i - 1]))
            out[i] = raised(out[i]);
    return out;
}

std::string stripped(const std::string& text, const std::string* set, bool left, bool right)
{
    const auto drop = [&](char c) { return set ? set->find(c) != std::string::npos : isSpace(c); };
    std::size_t begin = 0, end = text.size();
    while (left && begin < end && drop(text[begin]))
        ++begin;
    while (right && end > begin && drop(text[end - 1]))
        --end;
    return text.substr(begin, end - begin);
}

template <bool left, bool right>
Value strip(Interpreter& in, const Value& s, Args a)
{
    const auto args = positional(in, a, "strip", 0, 1);
    if (args.empty() || args[0].isNone())
        return stripped(self(s), nullptr, left, right);
    const std::string set = textArgument(in, args[0], a.call);
    chargeSearch(in, self(s), set, a.call);
    return stripped(self(s), &set, left, right);
}

template <bool atStart>
Value startsOrEnds(Interpreter& in, const Value& s, Args a)
{
    const auto args = positional(in, a, atStart ? "startswith" : "endswith", 1, 3);
    const auto test = [&](const Value& v) {
        const std::string part = textArgument(in, v, a.call);
        return atStart ? self(s).starts_with(part) : self(s).ends_with(part);
    };
    if (const auto* several = args[0].object<const TupleValue>())
        return std::any_of(several->items.begin(), several->items.end(), test);
    return test(args[0]);
}

Value split(Interpreter& in, const Value& s, Args a)
{
    const auto bound = in.bind("sep=None, maxsplit=-1", a, "split");
    const std::string& text = self(s);
    const auto most = bound.has("maxsplit") ? integerArgument(in, bound["maxsplit"], a.call, "maxsplit") : Integer{-1};
    std::vector<Value> out;
    in.chargeMemory(static_cast<Integer>(text.size()) + 64, a.call);
    if (bound["sep"].isNone()) {
        for (std::size_t i = 0; i < text.size();) {
            while (i < text.size() && isSpace(text[i]))
                ++i;
            std::size_t j = i;
            if (most >= 0 && static_cast<Integer>(out.size()) >= most)
                j = text.size();
            while (j < text.size() && !isSpace(text[j]))
                ++j;
            if (j > i)
                out.emplace_back(text.substr(i, j - i));
            i = j;
        }
        return makeList(std::move(out));
    }
    const std::string separator = textArgument(in, bound["sep"], a.call);
    if (separator.empty())
        in.fail(Code::kValueRange, a.call, "the separator of split is empty");
    chargeSearch(in, text, separator, a.call);
    std::size_t begin = 0;
    while (most < 0 || static_cast<Integer>(out.size()) < most) {
        const auto at = text.find(separator, begin);
        if (at == std::string::npos)
            break;
        out.emplace_back(text.substr(begin, at - begin));
        begin = at + separator.size();
    }
    out.emplace_back(text.substr(begin));
    return makeList(std::move(out));
}

Value rsplit(Interpreter& in, const Value& s, Args a)
{
    const auto bound = in.bind("sep=None, maxsplit=-1", a, "rsplit");
    if (!bound.has("maxsplit") || bound["sep"].isNone())
        return split(in, s, a);
    const std::string separator = textArgument(in, bound["sep"], a.call);
    Integer most = integerArgument(in, bound["maxsplit"], a.call, "maxsplit");
    chargeSearch(in, self(s), separator, a.call);
    std::string rest = self(s);
    std::vector<Value> out;
    while (most-- > 0) {
        const auto at = rest.rfind(separator);
        if (at == std::string::npos || separator.empty())
            break;
        out.emplace_back(rest.substr(at + separator.size()));
        rest.resize(at);
    }
    out.emplace_back(rest);
    std::reverse(out.begin(), out.end());
    return makeList(std::move(out));
}

Value splitlines(Interpreter&, const Value& s, Args)
{
    std::vector<Value> out;
    const std::string& text = self(s);
    for (std::size_t begin = 0; begin < text.size();) {
        const auto at = std::min(text.find('\n', begin), text.size());
        out.emplace_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    return makeList(std::move(out));
}

template <bool last>
Value partition(Interpreter& in, const Value& s, Args a)
{
    const std::string separator = textArgument(in, positional(in, a, "partition", 1, 1)[0], a.call);
    const std::string& text = self(s);
    const auto at = last ? text.rfind(separator) : text.find(separator);
    if (at == std::string::npos)
        return last ? makeTuple({"", "", text}) : makeTuple({text, "", ""});
    return makeTuple({text.substr(0, at), separator, text.substr(at + separator.size())});
}

Value join(Interpreter& in, const Value& s, Args a)
{
    const Value list = positional(in, a, "join", 1, 1)[0];
    if (isOpaque(list))
        return list;
    std::string out;
    bool first = true;
    for (const Value& item : in.iterate(list, a.call)) {
        if (isOpaque(item))
            return item;
        if (!first)
            out += self(s);
        first = false;
        const std::string part = textArgument(in, item, a.call);
        out += part;
        in.chargeMemory(2 * static_cast<Integer>(self(s).size() + part.size()), a.call);  // it grows by copying
    }
    return out;
}

Value replace(Interpreter& in, const Value& s, Args a)
{
    const auto args = positional(in, a, "replace", 2, 3);
    const std::string from = textArgument(in, args[0], a.call), to = textArgument(in, args[1], a.call);
    Integer most = args.size() > 2 ? integerArgument(in, args[2], a.call, "count") : Integer{-1};
    const std::string& text = self(s);
    chargeSearch(in, text, from, a.call);
    std::string out;
    std::size_t begin = 0;
    while (!from.empty() && most-- != 0) {
        const auto at = text.find(from, begin);
        if (at == std::string::npos)
            break;
        out += text.substr(begin, at - begin) + to;
        begin = at + from.size();
        in.chargeMemory(2 * static_cast<Integer>(to.size()) + 8, a.call);
    }
    return out + text.substr(begin);
}

template <bool last, bool mustFind>
Value find(Interpreter& in, const Value& s, Args a)
{
    const auto args = positional(in, a, "find", 1, 3);
    const std::string part = textArgument(in, args[0], a.call);
    chargeSearch(in, self(s), part, a.call);
    const auto at = last ? self(s).rfind(part) : self(s).find(part);
    if (at == std::string::npos && mustFind)
        in.raise("ValueError", Code::kValueRange, a.call, "substring not found");
    return at == std::string::npos ? Value(-1) : Value(static_cast<std::int64_t>(codePoints(self(s).substr(0, at)).size()));
}

Value count(Interpreter& in, const Value& s, Args a)
{
    const std::string part = textArgument(in, positional(in, a, "count", 1, 3)[0], a.call);
    chargeSearch(in, self(s), part, a.call);
    Integer n = 0;
    for (auto at = part.empty() ? std::string::npos : self(s).find(part); at != std::string::npos;
         at = self(s).find(part, at + part.size()))
        ++n;
    return n;
}

template <bool (*test)(char)>
Value all(Interpreter&, const Value& s, Args)
{
    return !self(s).empty() && std::all_of(self(s).begin(), self(s).end(), test);
}

bool isAlnum(char c) { return isDigit(c) || isAlpha(c); }
bool isNotLower(char c) { return !(c >= 'a' && c <= 'z'); }
bool isNotUpper(char c) { return !(c >= 'A' && c <= 'Z'); }
bool isNameChar(char c) { return isAlnum(c) || c == '_'; }

Value isIdentifier(Interpreter& in, const Value& s, Args a)
{
    return *all<isNameChar>(in, s, a).get<bool>() && !isDigit(self(s)[0]);
}

template <char align>
Value justify(Interpreter& in, const Value& s, Args a)
{
    const auto args = positional(in, a, "justify", 1, 2);
    const Integer width = integerArgument(in, args[0], a.call, "a width");
    if (width > 10'000)
        return s;
    const std::string fill = args.size() > 1 ? textArgument(in, args[1], a.call) : " ";
    return formatValue(s, fmt::format("{}{}{}", fill, align, static_cast<int>(std::max<Integer>(width, 0)))).value_or(self(s));
}

Value zfill(Interpreter& in, const Value& s, Args a)
{
    const Integer width = integerArgument(in, positional(in, a, "zfill", 1, 1)[0], a.call, "a width");
    std::string text = self(s);
    const bool isSigned = !text.empty() && (text[0] == '-' || text[0] == '+');
    if (width < 10'000 && static_cast<Integer>(text.size()) < width)
        text.insert(isSigned ? 1 : 0, static_cast<std::size_t>(width) - text.size(), '0');
    return text;
}

template <bool suffix>
Value removeAffix(Interpreter& in, const Value& s, Args a)
{
    const std::string part = textArgument(in, positional(in, a, "removeprefix", 1, 1)[0], a.call);
    if (suffix ? self(s).ends_with(part) : self(s).starts_with(part))
        return suffix ? self(s).substr(0, self(s).size() - part.size()) : self(s).substr(part.size());
    return s;
}

// "{} {0} {name} {x.y[2]:>8}".format(…)
Value format(Interpreter& in, const Value& s, Args a)
{
    std::string out;
    std::size_t next = 0;
    const std::string& text = self(s);
    std::vector<Value> args;
    for (const CallArgument& argument : a.items)
        if (argument.keyword.empty())
            args.push_back(*argument.value);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((text[i] == '{' || text[i] == '}') && i + 1 < text.size() && text[i + 1] == text[i]) {
            out += text[i++];
            continue;
        }
        if (text[i] != '{') {
            out += text[i];
            continue;
        }
        const auto end = text.find('}', i);
        if (end == std::string::npos)
            in.fail(Code::kValueRange, a.call, "a `{` of the format is not closed");
        std::string field = text.substr(i + 1, end - i - 1);
        i = end;
        std::string spec;
        if (const auto colon = field.find(':'); colon != std::string::npos) {
            spec = field.substr(colon + 1);
            field.resize(colon);
        }
        char conversion = 0;
        if (const auto bang = field.find('!'); bang != std::string::npos && bang + 1 < field.size()) {
            conversion = field[bang + 1];
            field.resize(bang);
        }
        const auto stop = std::min(field.find_first_of(".["), field.size());
        const std::string head = field.substr(0, stop);
        Value value;
        if (head.empty() || isDigit(head[0])) {
            const auto index = head.empty() ? next++ : static_cast<std::size_t>(parseInteger(head).value_or(0));
            if (index >= args.size())
                in.raise("IndexError", Code::kIndexRange, a.call, "the format has more fields than there are arguments");
            value = args[index];
        } else {
            const Value* named = keyword(a, head);
            if (!named)
                in.raise("KeyError", Code::kValueRange, a.call, fmt::format("the format has no argument `{}`", head));
            value = *named;
        }
        for (std::size_t at = stop; at < field.size();) {
            const bool isAttribute = field[at] == '.';
            const auto to = std::min(field.find_first_of(isAttribute ? ".[" : "]", at + 1), field.size());
            const std::string name = field.substr(at + 1, to - at - 1);
            const auto number = parseInteger(name);
            value = isAttribute ? in.attribute(value, {name, a.call})
                                : in.subscript(value, number ? Value(*number) : Value(name), a.call);
            at = isAttribute ? to : to + 1;
        }
        if (conversion == 'r')
            value = Value(repr(value));
        const auto formatted = formatValue(value.object<InstanceValue>() ? Value(in.text(value, a.call)) : value, spec);
        out += formatted.value_or(plainText(value));
    }
    in.chargeMemory(static_cast<Integer>(out.size()), a.call);
    return out;
}

Value identity(Interpreter&, const Value& s, Args) { return s; }

const std::map<std::string_view, Method>& table()
{
    static const std::map<std::string_view, Method> kTable = {
        {"lower", lower}, {"upper", upper}, {"capitalize", capitalize}, {"title", title}, {"casefold", lower},
        {"strip", strip<true, true>}, {"lstrip", strip<true, false>}, {"rstrip", strip<false, true>},
        {"startswith", startsOrEnds<true>}, {"endswith", startsOrEnds<false>}, {"split", split}, {"rsplit", rsplit},
        {"splitlines", splitlines}, {"partition", partition<false>}, {"rpartition", partition<true>}, {"join", join},
        {"replace", replace}, {"find", find<false, false>}, {"rfind", find<true, false>}, {"index", find<false, true>},
        {"rindex", find<true, true>}, {"count", count}, {"isdigit", all<isDigit>}, {"isnumeric", all<isDigit>},
        {"isdecimal", all<isDigit>}, {"isalpha", all<isAlpha>}, {"isalnum", all<isAlnum>}, {"isspace", all<isSpace>},
        {"isupper", all<isNotLower>}, {"islower", all<isNotUpper>}, {"isidentifier", isIdentifier}, {"ljust", justify<'<'>},
        {"rjust", justify<'>'>}, {"center", justify<'^'>}, {"zfill", zfill}, {"removeprefix", removeAffix<false>},
        {"removesuffix", removeAffix<true>}, {"format", format}, {"encode", identity}, {"decode", identity},
        {"expandtabs", identity}};
    return kTable;
}

}  // namespace

Method stringMethod(std::string_view name)
{
    const auto it = table().find(name);
    return it == table().end() ? nullptr : it->second;
}

std::string percentFormat(Interpreter& in, const std::string& format, const Value& values, const SourceRange& range)
{
    std::vector<Value> args;
    if (const auto* tuple = values.object<const TupleValue>())
        args = tuple->items;
    else
        args = {values};
    std::string out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        const auto end = format.find_first_of("diouxXeEfFgGcrsa%", i + 1);
        if (end == std::string::npos)
            in.fail(Code::kValueRange, range, "an incomplete `%` format");
        char type = format[end];
        std::string spec = format.substr(i + 1, end - i - 1);
        i = end;
        if (type == '%') {
            out += '%';
            continue;
        }
        Value value;
        if (spec.starts_with("(")) {
            const auto close = spec.find(')');
            value = in.subscript(values, Value(spec.substr(1, close - 1)), range);
            spec = close == std::string::npos ? "" : spec.substr(close + 1);
        } else if (next < args.size()) {
            value = args[next++];
        } else {
            in.raise("TypeError", Code::kTypeMismatch, range, "the format has more fields than there are values");
        }
        std::string flags;
        if (spec.starts_with("-"))
            flags = "<", spec.erase(0, 1);
        if (type == 'i' || type == 'u')
            type = 'd';
        if (type == 'd')
            if (const auto* d = value.get<double>())
                value = Value(toInteger(*d).value_or(0));
        const bool isText = type == 's' || type == 'r' || type == 'a';
        if (isText)
            value = Value(type == 's' ? in.text(value, range) : repr(value));
        if (isText && flags.empty() && !spec.empty() && isDigit(spec[0]))
            flags = ">";
        out += formatValue(value, flags + spec + (isText ? "" : std::string(1, type))).value_or(plainText(value));
    }
    return out;
}

}  // namespace tw::staging

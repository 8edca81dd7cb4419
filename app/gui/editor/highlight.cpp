#include "app/gui/editor/highlight.h"

#include "app/gui/editor/highlight_gpu.h"
#include "app/gui/editor/scanner.h"

namespace tw::gui {
namespace {

constexpr std::array<std::string_view, 35> kPythonKeywords = {
    "False", "None",   "True",  "and",    "as",       "assert", "async",  "await", "break", "class",  "continue", "def",
    "del",   "elif",   "else",  "except", "finally",  "for",    "from",   "global", "if",   "import", "in",       "is",
    "lambda", "nonlocal", "not", "or",    "pass",     "raise",  "return", "try",   "while", "with",   "yield"};
constexpr std::array<std::string_view, 26> kPythonBuiltins = {
    "abs", "all", "any", "bool", "dict", "enumerate", "filter", "float", "int", "isinstance", "len", "list", "map",
    "max", "min", "print", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip", "super"};

// float16, int8, uint32x4, bfloat16, bool: a name of a type when it stands behind T. or alone.
bool isTypeName(std::string_view word)
{
    for (const std::string_view stem : {"float", "int", "uint", "bfloat", "tfloat"}) {
        if (word.size() > stem.size() && word.substr(0, stem.size()) == stem &&
            std::isdigit(static_cast<unsigned char>(word[stem.size()])))
            return true;
    }
    return word == "bool" || word == "handle";
}

class PythonScanner : Scanner {
public:
    PythonScanner(std::string_view t, Style before) : Scanner(t)
    {
        if (before == Style::kTripleSingle || before == Style::kTripleDouble)
            triple(before);
        while (!done())
            step();
    }
    std::vector<Style> take() { return std::move(out); }

private:
    // To the closing quotes. The line ends inside carry the style, so the next call knows.
    void triple(Style style)
    {
        const std::string_view close = style == Style::kTripleSingle ? "'''" : "\"\"\"";
        auto end = text.find(close, at);
        while (end != std::string_view::npos && end > at && text[end - 1] == '\\')
            end = text.find(close, end + 1);
        if (end == std::string_view::npos)
            return paint(text.size(), style);
        paint(end, style);
        paint(end + 3, Style::kString);
    }
    void string()
    {
        const char quote = peek();
        if (peek(1) != quote || peek(2) != quote)
            return quoted(quote, Style::kString);
        const Style style = quote == '\'' ? Style::kTripleSingle : Style::kTripleDouble;
        paint(at + 3, style);
        triple(style);
    }
    void name()
    {
        const auto id = word();
        const char next = at + id.size() < text.size() ? text[at + id.size()] : '\0';
        if (id.size() <= 2 && (next == '"' || next == '\'')) {  // r"…", f'…'
            paint(at + id.size(), Style::kString);
            return string();
        }
        const Style style = styleOf(id);
        expectDefinition_ = id == "def" || id == "class";
        afterTile_ = (id == "T" || id == "tl") && !afterDot_ && next == '.';
        paint(at + id.size(), style);
    }
    [[nodiscard]] Style styleOf(std::string_view id) const
    {
        if (expectDefinition_)
            return Style::kDefinition;
        if (afterDot_)
            return !tileDot_ ? Style::kText : isTypeName(id) ? Style::kType : Style::kTileOp;
        if (isOneOf(kPythonKeywords, id))
            return Style::kKeyword;
        if (isTypeName(id))
            return Style::kType;
        return isOneOf(kPythonBuiltins, id) ? Style::kBuiltin : Style::kText;
    }
    void step()
    {
        const char c = peek();
        if (c == '#')
            return paint(lineEnd(), Style::kComment);
        if (c == '"' || c == '\'')
            return string();
        if (isNameStart(c)) {
            name();
            afterDot_ = false;
            return;
        }
        if (std::isdigit(static_cast<unsigned char>(c)) ||
            (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))) && (at == 0 || !isNamePart(text[at - 1]))))
            return number();
        if (c == '@' && onlyBlankBefore())
            return decorator();
        afterDot_ = c == '.';
        tileDot_ = afterDot_ && afterTile_;
        if (c != ' ')
            afterTile_ = false;
        paint(at + 1, std::isspace(static_cast<unsigned char>(c)) ? Style::kText : Style::kOperator);
    }
    void decorator()
    {
        std::size_t end = at + 1;
        while (end < text.size() && (isNamePart(text[end]) || text[end] == '.'))
            ++end;
        paint(end, Style::kDecorator);
    }
    [[nodiscard]] bool onlyBlankBefore() const
    {
        std::size_t i = at;
        while (i > 0 && (text[i - 1] == ' ' || text[i - 1] == '\t'))
            --i;
        return i == 0 || text[i - 1] == '\n';
    }

    bool expectDefinition_ = false, afterTile_ = false, afterDot_ = false, tileDot_ = false;
};

constexpr std::array<std::string_view, 20> kLlvmWords = {
    "define", "declare", "attributes", "target", "source_filename", "constant", "global", "private", "internal", "unnamed_addr",
    "noalias", "nocapture", "readonly", "noundef", "to", "align", "inbounds", "nuw", "nsw", "metadata"};

bool isLlvmType(std::string_view w)
{
    return w == "ptr" || w == "void" || w == "float" || w == "double" || w == "half" || w == "bfloat" || w == "label" ||
           (w.size() > 1 && w[0] == 'i' && std::isdigit(static_cast<unsigned char>(w[1])));
}

std::vector<Style> highlightLlvm(std::string_view text)
{
    Scanner s(text);
    bool opcode = true;  // the next plain word is the instruction: at the start of a line or after "="
    while (!s.done()) {
        const char c = s.peek();
        if (c == '\n')
            opcode = true;
        if (c == ';') {
            s.paint(s.lineEnd(), Style::kComment);
        } else if (c == '"') {
            s.quoted('"', Style::kString);
        } else if (c == '%' || c == '@' || c == '!') {
            std::size_t end = s.at + 1;
            while (end < text.size() && (isNamePart(text[end]) || text[end] == '.' || text[end] == '-'))
                ++end;
            s.paint(end, c == '@' ? Style::kDefinition : c == '!' ? Style::kComment : Style::kText);
        } else if (isNameStart(c)) {
            const auto word = s.word();
            const char next = s.at + word.size() < text.size() ? text[s.at + word.size()] : '\0';
            const Style style = next == ':'               ? Style::kDefinition
                                : isLlvmType(word)         ? Style::kType
                                : isOneOf(kLlvmWords, word) ? Style::kKeyword
                                : opcode                   ? Style::kTileOp
                                                           : Style::kText;
            opcode = opcode && style != Style::kTileOp;
            s.paint(s.at + word.size(), style);
        } else if (std::isdigit(static_cast<unsigned char>(c))) {
            s.number();
        } else {
            opcode = opcode || c == '=';
            s.paint(s.at + 1, Style::kText);
        }
    }
    return std::move(s.out);
}

std::vector<Style> highlightAssembly(std::string_view text)
{
    Scanner s(text);
    bool opcode = true;
    while (!s.done()) {
        const char c = s.peek();
        if (c == '\n')
            opcode = true;
        if (c == '#' || (c == '/' && s.peek(1) == '/')) {
            s.paint(s.lineEnd(), Style::kComment);
        } else if (c == '"') {
            s.quoted('"', Style::kString);
        } else if (c == '.' || isNameStart(c)) {
            std::size_t end = s.at + 1;
            while (end < text.size() && (isNamePart(text[end]) || text[end] == '.' || text[end] == '$'))
                ++end;
            const bool label = end < text.size() && text[end] == ':';
            s.paint(end, label ? Style::kDefinition : c == '.' ? Style::kComment : opcode ? Style::kTileOp : Style::kText);
            opcode = false;
        } else if (c == '%') {
            std::size_t end = s.at + 1;
            while (end < text.size() && isNamePart(text[end]))
                ++end;
            s.paint(end, Style::kType);
        } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '$') {
            s.number();
        } else {
            s.paint(s.at + 1, Style::kText);
        }
    }
    return std::move(s.out);
}

}  // namespace

std::vector<Style> highlight(Language language, std::string_view text, Style before)
{
    switch (language) {
    case Language::kTileLang: return PythonScanner(text, before).take();
    case Language::kLlvm: return highlightLlvm(text);
    case Language::kAssembly: return highlightAssembly(text);
    case Language::kCuda: return highlightCuda(text);
    case Language::kPtx: return highlightPtx(text);
    case Language::kSass: return highlightSass(text);
    case Language::kPlain: break;
    }
    return std::vector<Style>(text.size(), Style::kText);
}

}  // namespace tw::gui

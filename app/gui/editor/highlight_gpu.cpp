#include "app/gui/editor/highlight_gpu.h"

#include "app/gui/editor/scanner.h"

namespace tw::gui {
namespace {

constexpr std::array<std::string_view, 38> kCudaKeywords = {
    "alignas", "asm",     "auto",     "bool",     "break",  "case",   "char",   "const",  "constexpr", "continue",
    "do",      "double",  "else",     "enum",     "extern", "false",  "float",  "for",    "if",        "inline",
    "int",     "long",    "namespace", "operator", "return", "short",  "sizeof", "static", "struct",   "switch",
    "template", "true",   "typename", "union",    "unsigned", "using", "void",  "while"};
constexpr std::array<std::string_view, 18> kCudaTypes = {
    "half",    "half2",    "int8_t",   "int16_t",  "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
    "uint64_t", "uint2",   "uint4",    "int2",     "int4",    "float2",  "float4",  "double2",  "size_t"};
constexpr std::array<std::string_view, 5> kCudaVariables = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};

[[nodiscard]] bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// One past the dotted word that begins here: "mma.sync.aligned.m16n8k16".
[[nodiscard]] std::size_t dottedEnd(const Scanner& s)
{
    std::size_t end = s.at + 1;
    while (end < s.text.size() && (isNamePart(s.text[end]) || s.text[end] == '.' || s.text[end] == '$'))
        ++end;
    return end;
}

// A comment that begins here, up to its end or the text's; false if there is none.
bool comment(Scanner& s)
{
    if (s.peek() != '/' || (s.peek(1) != '/' && s.peek(1) != '*'))
        return false;
    if (s.peek(1) == '/') {
        s.paint(s.lineEnd(), Style::kComment);
        return true;
    }
    const auto end = s.text.find("*/", s.at + 2);
    s.paint(end == std::string_view::npos ? s.text.size() : end + 2, Style::kComment);
    return true;
}

Style cudaStyle(std::string_view word, char next)
{
    if (isOneOf(kCudaKeywords, word))
        return Style::kKeyword;
    if (isOneOf(kCudaTypes, word) || word.ends_with("_t") || word.starts_with("__nv_"))
        return Style::kType;
    if (isOneOf(kCudaVariables, word))
        return Style::kBuiltin;
    if (word.starts_with("__") && next != '(')
        return Style::kDecorator;  // __global__, __restrict__
    return next == '(' ? Style::kTileOp : Style::kText;
}

}  // namespace

std::vector<Style> highlightCuda(std::string_view text)
{
    Scanner s(text);
    bool lineStart = true;
    while (!s.done()) {
        const char c = s.peek();
        if (comment(s))
            continue;
        if (c == '#' && lineStart) {
            s.paint(s.lineEnd(), Style::kDecorator);
        } else if (c == '"' || c == '\'') {
            s.quoted(c, Style::kString);
        } else if (isNameStart(c)) {
            const auto word = s.word();
            const char next = s.at + word.size() < text.size() ? text[s.at + word.size()] : '\0';
            s.paint(s.at + word.size(), cudaStyle(word, next));
        } else if (isDigit(c)) {
            s.number();
        } else {
            s.paint(s.at + 1, std::isspace(static_cast<unsigned char>(c)) ? Style::kText : Style::kOperator);
        }
        lineStart = c == '\n' || (lineStart && c == ' ');
    }
    return std::move(s.out);
}

std::vector<Style> highlightPtx(std::string_view text)
{
    Scanner s(text);
    bool opcode = true;  // the next word is the instruction
    while (!s.done()) {
        const char c = s.peek();
        if (comment(s))
            continue;
        if (c == '\n' || c == ';' || c == '{' || c == '}') {
            opcode = true;
            s.paint(s.at + 1, Style::kText);
        } else if (c == '"') {
            s.quoted('"', Style::kString);
        } else if (c == '@') {  // a predicate; the instruction follows
            std::size_t end = s.at + 1;
            while (end < text.size() && (isNamePart(text[end]) || text[end] == '!' || text[end] == '%'))
                ++end;
            s.paint(end, Style::kDecorator);
        } else if (c == '.') {
            s.paint(dottedEnd(s), Style::kKeyword);
        } else if (c == '%' || c == '$') {
            const auto end = dottedEnd(s);
            s.paint(end, end < text.size() && text[end] == ':' ? Style::kDefinition : Style::kType);
        } else if (isNameStart(c)) {
            const auto end = dottedEnd(s);
            const bool label = end < text.size() && text[end] == ':';
            s.paint(end, label ? Style::kDefinition : opcode ? Style::kTileOp : Style::kText);
            opcode = false;
        } else if (isDigit(c)) {
            s.number();
        } else {
            s.paint(s.at + 1, Style::kText);
        }
    }
    return std::move(s.out);
}

std::vector<Style> highlightSass(std::string_view text)
{
    Scanner s(text);
    bool opcode = true;
    while (!s.done()) {
        const char c = s.peek();
        if (comment(s))
            continue;
        if (c == '\n') {
            opcode = true;
            s.paint(s.at + 1, Style::kText);
        } else if (c == '@') {
            std::size_t end = s.at + 1;
            while (end < text.size() && (isNamePart(text[end]) || text[end] == '!'))
                ++end;
            s.paint(end, Style::kDecorator);
        } else if (c == '.') {  // a label or a directive
            const auto end = dottedEnd(s);
            s.paint(end, end < text.size() && text[end] == ':' ? Style::kDefinition : Style::kKeyword);
        } else if (isNameStart(c)) {
            const auto end = opcode ? dottedEnd(s) : s.at + s.word().size();
            const auto word = text.substr(s.at, end - s.at);
            const bool isRegister = word.size() > 1 && (word[0] == 'R' || word[0] == 'P' || word[0] == 'U') &&
                                    (isDigit(word.back()) || word.ends_with("RZ") || word.back() == 'T');
            s.paint(end, opcode ? Style::kTileOp : isRegister ? Style::kType : Style::kText);
            opcode = false;
        } else if (isDigit(c)) {
            s.number();
        } else {
            s.paint(s.at + 1, Style::kText);
        }
    }
    return std::move(s.out);
}

}  // namespace tw::gui

#include "codegen/gpu_c/text.h"

#include <fmt/format.h>

namespace tw::gpu {

namespace {

// Words that a generated name must not be: C++, CUDA, HIP and Metal; names of the prelude begin with tw_ or stand here.
const std::set<std::string>& reservedWords()
{
    static const std::set<std::string> words = {
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "class",
        "compl", "concept", "const", "constexpr", "const_cast", "continue", "decltype", "default", "delete", "do", "double",
        "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
        "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
        "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static",
        "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
        "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
        "half", "bf16", "tf32", "e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "e4m3b11fnuz", "e3m4", "e2m3", "e3m2", "e2m1", "e8m0",
        "vec", "kernel", "device", "constant", "threadgroup", "thread", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize",
        "min", "max", "abs", "printf", "main", "memcpy", "size_t", "dim3", "int2", "int4", "uint2", "uint4", "float2", "float4",
        "exp", "exp2", "exp10", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "asin", "acos", "atan",
        "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "floor", "ceil", "trunc", "round", "nearbyint", "pow", "fmod",
        "atan2", "hypot", "copysign", "nextafter", "ldexp", "fma", "y0", "y1", "yn", "j0", "j1", "jn", "clock", "time", "assert",
        "gamma", "signbit", "isnan", "isinf", "free", "malloc", "norm", "rint", "fabs", "normal", "index", "div", "NULL",
        "thread_number", "random_state", "grid_barrier"};
    return words;
}

std::string sanitised(const std::string& wanted)
{
    std::string name;
    for (const char c : wanted)
        name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
    if (name.empty() || (name.front() >= '0' && name.front() <= '9'))
        name.insert(name.begin(), 'v');
    // Names with a leading or a double underscore, and those of the prelude, are not the program's.
    if (name.front() == '_' || name.rfind("tw_", 0) == 0 || name.rfind("TW_", 0) == 0 || name.rfind("tensor_map_", 0) == 0)
        name.insert(name.begin(), 'v');
    for (std::size_t at = name.find("__"); at != std::string::npos; at = name.find("__"))
        name.erase(at, 1);
    return name;
}

}  // namespace

std::string Names::make(const std::string& wanted)
{
    const std::string base = sanitised(wanted);
    std::string name = reservedWords().contains(base) ? base + "_" : base;
    for (int n = 1; !used_.insert(name).second; ++n)
        name = fmt::format("{}_{}", base, n);
    order_.push_back(name);
    return name;
}

void Names::rewind(std::size_t mark)
{
    for (; order_.size() > mark; order_.pop_back())
        used_.erase(order_.back());
}

std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (c == '\n')
            out += "\\n";
        else if (static_cast<unsigned char>(c) < 32)
            out += fmt::format("\\{:03o}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + '"';
}

void Writer::line(const std::string& text)
{
    lines_.push_back(std::string(static_cast<std::size_t>(depth_) * 4, ' ') + text);
    if (where_.range.isKnown())
        places_.push_back({lineCount(), where_.range, where_.op});
}

void Writer::plain(const std::string& text) { lines_.push_back(text.empty() ? "" : std::string(static_cast<std::size_t>(depth_) * 4, ' ') + text); }

void Writer::directive(const std::string& text) { lines_.push_back(text); }

void Writer::announce()
{
    if (!sources_ || !where_.range.isKnown() || where_.range.file >= sources_->size())
        return;
    const SourceText& file = sources_->file(where_.range.file);
    const int number = file.lineColumn(where_.range.begin).line;
    if (where_.op != 0 && where_.op != announcedOp_) {
        std::string text(file.slice(where_.range));
        text = text.substr(0, text.find_first_of("\r\n"));
        while (!text.empty() && (text.back() == '\\' || text.back() == ' '))
            text.pop_back();
        line(fmt::format("// {}", text));
        announcedOp_ = where_.op;
    }
    if (markedLine_ != std::pair(where_.range.file, number)) {
        directive(fmt::format("#line {} {}", number, quoted(file.name())));
        markedLine_ = {where_.range.file, number};
    }
}

void Writer::append(Writer&& other)
{
    for (LineSource place : other.places_) {
        place.line += lineCount();
        places_.push_back(place);
    }
    for (std::string& text : other.lines_)
        lines_.push_back(std::move(text));
}

std::string Writer::text() const
{
    std::string out;
    for (const std::string& l : lines_)
        (out += l) += '\n';
    return out;
}

}  // namespace tw::gpu

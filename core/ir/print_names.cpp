#include "core/ir/print_names.h"

#include <cctype>

namespace tw::ir {

namespace {

constexpr const char* kReserved[] = {
    "T",      "tw",     "tilelang", "False",  "None",     "True",   "and",    "as",   "assert", "async", "await",
    "break",  "class",  "continue", "def",    "del",      "elif",   "else",   "except", "finally", "for", "from",
    "global", "if",     "import",   "in",     "is",       "lambda", "nonlocal", "not", "or",    "pass",  "raise",
    "return", "try",    "while",    "with",   "yield"};

std::string legal(const std::string& wish)
{
    std::string text;
    for (char c : wish)
        text += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])))
        text.insert(0, "v");
    return text;
}

}  // namespace

Names::Names(bool asTheyAre) : asTheyAre_(asTheyAre), taken_(std::begin(kReserved), std::end(kReserved)) {}

std::string Names::fresh(const std::string& wish)
{
    const std::string base = legal(wish);
    std::string text = base;
    for (int n = 1; !taken_.insert(text).second; ++n)
        text = base + "_" + std::to_string(n);
    return text;
}

const std::string& Names::name(const void* node, const std::string& wish)
{
    if (asTheyAre_)
        return wish;
    auto found = names_.find(node);
    if (found == names_.end())
        found = names_.emplace(node, fresh(wish)).first;
    return found->second;
}

const std::string& Names::of(const VarNode* var)
{
    return name(var, var->name);
}

const std::string& Names::of(const BufferNode* buffer)
{
    return name(buffer, buffer->name);
}

}  // namespace tw::ir

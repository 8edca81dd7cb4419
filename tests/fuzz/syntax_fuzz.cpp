// Any bytes are parsed without a crash, and every range of the tree lies in the text and in its parent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/syntax/dump.h"
#include "core/syntax/parser.h"

namespace {

// "@begin-end" behind every kind of the dump.
void checkRanges(const std::string& tree, std::size_t size)
{
    for (std::size_t at = tree.find('@'); at != std::string::npos; at = tree.find('@', at + 1)) {
        char* end = nullptr;
        const unsigned long begin = std::strtoul(tree.c_str() + at + 1, &end, 10);
        if (end == tree.c_str() + at + 1 || *end != '-')
            continue;  // an '@' of the text itself
        const unsigned long stop = std::strtoul(end + 1, nullptr, 10);
        if (begin > stop || stop > size)
            std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    tw::DiagnosticSink sink;
    const auto module = tw::syntax::parse(std::make_shared<const tw::SourceText>("a.py", text), 0, sink);
    if (text.find('@') == std::string::npos)
        checkRanges(tw::syntax::dump(*module, tw::syntax::DumpRanges::kBytes), size);
    const auto expr = tw::syntax::parseExpression(text, {0, 0, static_cast<std::uint32_t>(size)}, sink);
    static_cast<void>(tw::syntax::dump(*expr));
    for (const tw::Diagnostic& diagnostic : sink.all())
        if (diagnostic.range.begin > diagnostic.range.end || diagnostic.range.end > size + 1)
            std::abort();
    return 0;
}

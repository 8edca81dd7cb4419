#include "parse_helper.h"

#include <fmt/format.h>

namespace tw::syntax {

Parsed parseText(const std::string& text, DumpRanges ranges)
{
    auto source = std::make_shared<const SourceText>("a.py", text);
    DiagnosticSink sink;
    Parsed out;
    out.module = parse(source, 0, sink);
    out.tree = dump(*out.module, ranges);
    for (const Diagnostic& diagnostic : sink.all()) {
        const LineColumn at = source->lineColumn(diagnostic.range.begin);
        out.errors.push_back(fmt::format("{}:{}: {}", at.line, at.column, diagnostic.message));
    }
    return out;
}

std::string expressionTree(const std::string& text)
{
    DiagnosticSink sink;
    std::string tree = dump(*parseExpression(text, {0, 0, 0}, sink));
    for (const Diagnostic& diagnostic : sink.all())
        tree += "\n" + diagnostic.message;
    return tree;
}

}  // namespace tw::syntax

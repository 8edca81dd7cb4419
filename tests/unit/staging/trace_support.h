// Traces small kernels written as text, for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/ir/visit.h"
#include "core/staging/program.h"
#include "core/syntax/parser.h"

namespace tw::staging::test {

struct Traced {
    std::shared_ptr<const ir::Function> function;
    std::vector<Diagnostic> diagnostics;
    std::vector<std::string> missing;
    std::string source;

    [[nodiscard]] std::string text() const { return function ? ir::print(*function).text : std::string(); }
    [[nodiscard]] std::string firstError() const
    {
        for (const auto& d : diagnostics)
            if (d.severity == Severity::kError)
                return d.message;
        return {};
    }
    [[nodiscard]] int errors() const
    {
        int n = 0;
        for (const auto& d : diagnostics)
            n += d.severity == Severity::kError;
        return n;
    }
    // Line of the first error, from 1.
    [[nodiscard]] int errorLine() const
    {
        for (const auto& d : diagnostics)
            if (d.severity == Severity::kError)
                return SourceText("t", source).lineColumn(d.range.begin).line;
        return 0;
    }
    [[nodiscard]] std::vector<std::string> broken() const { return function ? ir::verify(*function) : std::vector<std::string>{"no function"}; }
    // Statements of one kind, in order.
    template <class T>
    [[nodiscard]] std::vector<const T*> all() const
    {
        struct Finder final : ir::Visitor {
            std::vector<const T*> found;
            using Visitor::visit;
            void visit(const ir::Stmt& s) override
            {
                if (const auto* t = ir::as<T>(s))
                    found.push_back(t);
                Visitor::visit(s);
            }
        } finder;
        if (function)
            finder.visit(function->body);
        return finder.found;
    }
    [[nodiscard]] std::vector<const ir::OpStmt*> ops(ir::OpId op) const
    {
        std::vector<const ir::OpStmt*> result;
        for (const auto* s : all<ir::OpStmt>())
            if (s->call.op == op)
                result.push_back(s);
        return result;
    }
};

inline Traced traceFile(const std::string& text, const std::string& kernel, Bindings params = {}, Bindings dims = {})
{
    Traced result;
    result.source = text;
    DiagnosticSink surveyed, sink;
    Options options;
    options.target = target::defaultTarget();
    const auto module = syntax::parse(std::make_shared<SourceText>("test.py", text), 0, surveyed);
    const auto program = survey(module, options, surveyed);
    const auto traced = trace(*program, {kernel, "", std::move(params), std::move(dims), {}}, options, sink);
    result.function = traced.function;
    result.missing = traced.missing;
    result.diagnostics = sink.all();
    if (!result.function && result.diagnostics.empty())
        result.diagnostics = surveyed.all();
    return result;
}

// `signature` are the parameters of a prim_func, `body` its statements (each line without its base indentation).
inline Traced tracePrim(const std::string& signature, const std::string& body)
{
    std::string text = "import tilelang\nimport tilelang.language as T\n\n@T.prim_func\ndef main(" + signature + "):\n";
    std::string line;
    for (const char c : body + "\n") {
        if (c != '\n') {
            line += c;
            continue;
        }
        if (!line.empty())
            text += "    " + line + "\n";
        line.clear();
    }
    return traceFile(text, "main");
}

// The same inside `with T.Kernel(4, threads=128) as bx:`; the body's first line is line 7 of the file.
inline Traced traceLaunch(const std::string& signature, const std::string& body)
{
    std::string indented = "with T.Kernel(4, threads=128) as bx:\n";
    std::string line;
    for (const char c : body + "\n") {
        if (c != '\n') {
            line += c;
            continue;
        }
        if (!line.empty())
            indented += "    " + line + "\n";
        line.clear();
    }
    return tracePrim(signature, indented);
}

}  // namespace tw::staging::test

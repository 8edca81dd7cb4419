// Text to syntax tree, with recovery: a half-typed file still yields its other statements.
#pragma once

#include <memory>

#include "core/support/diagnostic.h"
#include "core/support/source.h"
#include "core/syntax/ast.h"

namespace tw::syntax {

// The parser never nests deeper than this many brackets, blocks or operators; deeper text is one diagnostic.
inline constexpr int kMaxDepth = 200;

// Parses a whole file. Every syntax error becomes one diagnostic (several in one pass) and the tree holds an ErrorStmt or
// ErrorExpr there. Never throws on user input; linear in the size of the text; any byte sequence is accepted.
// `file`: the index that ranges will carry.
[[nodiscard]] std::shared_ptr<const Module> parse(std::shared_ptr<const SourceText> source, std::uint32_t file,
                                                  DiagnosticSink& diagnostics);

// Parses one expression, such as a quoted annotation or a command-line value. `base`: where its text stands (ranges are
// offset by base.begin when the text is taken from a file, so that they point into that file).
[[nodiscard]] ExprPtr parseExpression(std::string_view text, const SourceRange& base, DiagnosticSink& diagnostics);

}  // namespace tw::syntax

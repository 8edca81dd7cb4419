#include "core/syntax/parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/syntax/parser_impl.h"
#include "core/syntax/unicode.h"

namespace tw::syntax {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} << 20U;

Tok partnerOf(Tok open)
{
    switch (open) {
    case Tok::kLBracket: return Tok::kRBracket;
    case Tok::kLBrace: return Tok::kRBrace;
    default: return Tok::kRParen;
    }
}

}  // namespace

Parser::Parser(std::string_view text, const SourceRange& base, bool insideBracket, DiagnosticSink& diagnostics)
    : lexer_(text, insideBracket), base_(base), diagnostics_(diagnostics)
{
    advance();
    lastEnd_ = 0;
}

ExprPtr Parser::wholeExpression()
{
    if (at(Tok::kEnd)) {
        errorHere("expected an expression");
        return bad();
    }
    ExprPtr expr = at(Tok::kYield) ? yieldExpression() : starExpressions();
    if (!at(Tok::kEnd))
        errorHere(fmt::format("unexpected {} behind the expression", describe(cur_)));
    return expr;
}

int Parser::heightOf(const std::vector<ExprPtr>& exprs)
{
    int height = 0;
    for (const ExprPtr& expr : exprs)
        height = std::max(height, heightOf(expr));
    return height;
}

// ---- tokens -----------------------------------------------------------------------------------------------------------

void Parser::advance()
{
    if (cur_.kind > Tok::kDedent)
        lastEnd_ = cur_.end;
    if (hasPeeked_) {
        cur_ = peeked_;
        hasPeeked_ = false;
        return;
    }
    cur_ = lexer_.next();
    if (lexer_.hasError())
        takeLexerError();
}

const Token& Parser::peek()
{
    if (!hasPeeked_) {
        peeked_ = lexer_.next();
        hasPeeked_ = true;
        if (lexer_.hasError())
            takeLexerError();
    }
    return peeked_;
}

bool Parser::accept(Tok kind)
{
    if (!at(kind))
        return false;
    advance();
    return true;
}

bool Parser::expect(Tok kind, std::string_view purpose)
{
    if (accept(kind))
        return true;
    errorHere(fmt::format("expected '{}'{}{} before {}", tokenText(kind), purpose.empty() ? "" : " ", purpose, describe(cur_)));
    return false;
}

Identifier Parser::identifier(std::string_view what)
{
    if (at(Tok::kName)) {
        Identifier name{std::string(slice(cur_)), rangeOf(cur_)};
        advance();
        return name;
    }
    if (isKeyword(cur_.kind) && !cur_.first)
        errorHere(fmt::format("expected {}, but '{}' is a keyword", what, slice(cur_)));
    else
        errorHere(fmt::format("expected {} before {}", what, describe(cur_)));
    return {{}, rangeOf(lastEnd_, lastEnd_)};
}

// ---- errors and recovery ----------------------------------------------------------------------------------------------

void Parser::report(Code code, const SourceRange& range, std::string message)
{
    failed_ = true;
    if (quiet_ || panic_)
        return;
    panic_ = true;
    lastReport_ = range.begin - base_.begin;
    if (++reports_ <= kMaxReports)
        diagnostics_.error(code, range, std::move(message));
}

void Parser::takeLexerError()
{
    const auto error = lexer_.takeError();
    const bool layout = error->code == Code::kSyntaxIndent;
    // A line's indentation has nothing to do with the statement before it, whose panic may still be on.
    const bool panic = layout ? std::exchange(panic_, false) : panic_;
    report(error->code, rangeOf(error->begin, error->end), error->message);
    if (layout)
        panic_ = panic;
}

bool Parser::tooDeep()
{
    report(Code::kSyntaxDepth, rangeOf(cur_), fmt::format("nested more than {} levels deep", kMaxDepth));
    return false;
}

std::string Parser::describe(const Token& token) const
{
    if (token.kind == Tok::kName || token.kind == Tok::kNumber) {
        const std::string_view text = slice(token);
        return fmt::format("'{}{}'", text.substr(0, 40), text.size() > 40 ? "…" : "");
    }
    const bool layout = token.kind <= Tok::kFString;
    return layout ? fmt::format("the {}", tokenText(token.kind)) : fmt::format("'{}'", tokenText(token.kind));
}

// Whether a token inside brackets can only be the beginning of the next statement.
bool Parser::startsStatement(const Token& token) const
{
    if (!token.first || isClose(token.kind))
        return false;
    switch (token.kind) {
    case Tok::kAssert: case Tok::kBreak: case Tok::kClass: case Tok::kContinue: case Tok::kDef: case Tok::kDel:
    case Tok::kElif: case Tok::kExcept: case Tok::kFinally: case Tok::kGlobal: case Tok::kImport: case Tok::kNonlocal:
    case Tok::kPass: case Tok::kRaise: case Tok::kReturn: case Tok::kTry: case Tok::kWhile: case Tok::kWith:
        return true;
    default: return token.indent <= stmtIndent_;
    }
}

// Whether the current ':' stands last on its line, as at the head of a block.
bool Parser::colonEndsLine()
{
    return at(Tok::kColon) && (peek().first || peek().kind == Tok::kEnd || peek().kind == Tok::kNewline);
}

void Parser::reportUnclosed(const Token& open)
{
    report(Code::kSyntax, rangeOf(open), fmt::format("'{}' was never closed", tokenText(open.kind)));
}

void Parser::errorHere(std::string message)
{
    if (panic_)
        return;
    if (!open_.empty() && (startsStatement(cur_) || at(Tok::kEnd) || colonEndsLine()))
        reportUnclosed(open_.back());
    else if (open_.empty() && isClose(cur_.kind))
        report(Code::kSyntax, rangeOf(cur_), fmt::format("'{}' closes no bracket", tokenText(cur_.kind)));
    else if (at(Tok::kNewline) || (cur_.first && !open_.empty()))  // what is missing is missing on the line before
        report(Code::kSyntax, rangeOf(lastEnd_ > 0 ? lastEnd_ - 1 : 0, lastEnd_), std::move(message));
    else
        report(Code::kSyntax, rangeOf(cur_), std::move(message));
}

Token Parser::openBracket()
{
    const Token open = cur_;
    open_.push_back(open);
    advance();
    return open;
}

bool Parser::closeBracket(const Token& open)
{
    const Tok close = partnerOf(open.kind);
    if (at(close)) {
        open_.pop_back();
        advance();
        return true;
    }
    const Token found = cur_;
    bool unclosed = false;
    const bool closed = skipToClose(open, unclosed);
    if (unclosed)
        reportUnclosed(open);
    else if (found.kind != close && isClose(found.kind))
        report(Code::kSyntax, rangeOf(found), fmt::format("'{}' cannot close '{}'", tokenText(found.kind), tokenText(open.kind)));
    else if (found.kind > Tok::kDedent)
        report(Code::kSyntax, rangeOf(found), fmt::format("expected ',' or '{}' before {}", tokenText(close), describe(found)));
    open_.pop_back();
    return closed;
}

// Skips to the bracket that closes `open` and behind it. Where the bracket turns out never to be closed, stops before the
// next statement (a kNewline is then current) or before the ':' that ends the line.
bool Parser::skipToClose(const Token& open, bool& unclosed)
{
    for (;; advance()) {
        if (at(Tok::kNewline) || at(Tok::kIndent) || at(Tok::kDedent))
            return false;
        unclosed = true;
        if (at(Tok::kEnd)) {
            lexer_.closeBrackets(0);
            cur_ = lexer_.next();
            hasPeeked_ = false;
            return false;
        }
        if (startsStatement(cur_)) {
            cur_ = lexer_.resumeAtLine(cur_);
            hasPeeked_ = false;
            return false;
        }
        if (isClose(cur_.kind) && cur_.depth < open.depth) {
            unclosed = false;
            advance();
            return true;
        }
        // A block's head keeps its ':', so that its body is still parsed. Dictionaries may end lines with one.
        if (open.kind != Tok::kLBrace && colonEndsLine()) {
            const Token next = peeked_;
            lexer_.closeBrackets(0);
            if (next.kind != Tok::kEnd && next.first)
                peeked_ = lexer_.resumeAtLine(next);
            else if (next.kind == Tok::kEnd)
                peeked_ = lexer_.next();
            return false;
        }
    }
}

void Parser::skipLine()
{
    for (;; advance()) {
        if (at(Tok::kNewline) || at(Tok::kEnd))
            return;
        if (cur_.depth > 0 && startsStatement(cur_)) {
            cur_ = lexer_.resumeAtLine(cur_);
            hasPeeked_ = false;
            return;
        }
    }
}

// ---- doors --------------------------------------------------------------------------------------------------------------

std::shared_ptr<const Module> parse(std::shared_ptr<const SourceText> source, std::uint32_t file, DiagnosticSink& diagnostics)
{
    auto module = std::make_shared<Module>();
    module->source = source;
    module->file = file;
    const std::string_view text = source->text();
    if (text.size() > kMaxBytes) {
        diagnostics.error(Code::kTooLarge, {file, 0, 0},
                          fmt::format("the file has {} MiB; at most {} MiB are opened", text.size() >> 20U, kMaxBytes >> 20U));
        return module;
    }
    if (const std::size_t at = findNonText(text); at != std::string_view::npos) {
        const auto begin = static_cast<std::uint32_t>(at);
        diagnostics.error(Code::kSyntaxBinary, {file, begin, begin + 1},
                          fmt::format("not a text file: byte 0x{:02X} is not UTF-8 text", static_cast<unsigned char>(text[at])));
        return module;
    }
    module->body = Parser(text, {file, 0, 0}, false, diagnostics).file();
    return module;
}

ExprPtr parseExpression(std::string_view text, const SourceRange& base, DiagnosticSink& diagnostics)
{
    if (text.size() > kMaxBytes || findNonText(text) != std::string_view::npos) {
        diagnostics.error(Code::kSyntaxBinary, base, "not text");
        return std::make_unique<Expr>(Expr{.range = base, .node = ErrorExpr{}});
    }
    return Parser(text, base, true, diagnostics).wholeExpression();
}

}  // namespace tw::syntax

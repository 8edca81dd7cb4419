#include <algorithm>

#include <fmt/format.h>

#include "core/syntax/parser_impl.h"

namespace tw::syntax {

namespace {

// Blocks stop halfway, so that expressions in the deepest one still have room.
constexpr int kMaxBlocks = kMaxDepth / 2;

}  // namespace

// ": body" behind a head. `owner` ("'if' statement") and `header` (its first token) are for the message.
Block Parser::block(std::string_view owner, const Token& header)
{
    Block out;
    if (at(Tok::kAssign))
        errorHere("'=' assigns; use '==' to compare");
    else if (!at(Tok::kColon))
        errorHere(fmt::format("expected ':' behind the {} before {}", owner, describe(cur_)));
    if (panic_ && !colonEndsLine() && !at(Tok::kNewline))
        skipLine();
    accept(Tok::kColon);
    if (!at(Tok::kNewline) && !at(Tok::kEnd)) {
        simpleStatements(out);
        return out;
    }
    const bool broken = std::exchange(panic_, false);  // the head's error does not hide those of its body
    accept(Tok::kNewline);
    if (!at(Tok::kIndent)) {
        const bool layoutReported = lastReport_ != UINT32_MAX && lastReport_ >= lastEnd_ && lastReport_ <= cur_.begin;
        if (!broken && !layoutReported && reports_ < kMaxReports) {
            const auto line = std::ranges::count(lexer_.text().substr(0, header.begin), '\n') + 1;
            report(Code::kSyntaxIndent, at(Tok::kEnd) || at(Tok::kDedent) ? rangeOf(header) : rangeOf(cur_),
                   fmt::format("expected an indented block behind the {} on line {}", owner, line));
        }
        panic_ = false;
        return out;
    }
    advance();
    blockBody(out);
    return out;
}

// Statements behind a kIndent, and the kDedent.
void Parser::blockBody(Block& out)
{
    const Nest nest(*this);
    if (depth_ > kMaxBlocks) {
        tooDeep();
        skipBlock();
        return;
    }
    statements(out, false);
    accept(Tok::kDedent);
}

StmtPtr Parser::ifStatement()
{
    const Token header = cur_;
    const Nest nest(*this);
    advance();
    If node;
    node.condition = named();
    node.then = block(header.kind == Tok::kElif ? "'elif'" : "'if' statement", header);
    if (at(Tok::kElif) && depth_ < kMaxBlocks) {
        node.orElse.push_back(ifStatement());
    } else if (at(Tok::kElif)) {
        tooDeep();
        skipElifs();
    } else if (at(Tok::kElse)) {
        const Token otherwise = cur_;
        advance();
        node.orElse = block("'else'", otherwise);
    }
    return statement(header.begin, std::move(node));
}

// Behind an if that is too deep: the rest of the chain, unread.
void Parser::skipElifs()
{
    while (at(Tok::kElif) || at(Tok::kElse)) {
        panic_ = true;
        skipLine();
        accept(Tok::kNewline);
        if (accept(Tok::kIndent))
            skipBlock();
    }
    panic_ = false;
}

// Statements up to and including their kDedent, unread.
void Parser::skipBlock()
{
    for (int open = 1; open > 0 && !at(Tok::kEnd); advance())
        open += at(Tok::kIndent) ? 1 : at(Tok::kDedent) ? -1 : 0;
}

StmtPtr Parser::whileStatement()
{
    const Token header = cur_;
    advance();
    While node;
    node.condition = named();
    node.body = block("'while' statement", header);
    if (at(Tok::kElse)) {
        const Token otherwise = cur_;
        advance();
        node.orElse = block("'else'", otherwise);
    }
    return statement(header.begin, std::move(node));
}

StmtPtr Parser::forStatement(std::uint32_t begin, bool isAsync)
{
    const Token header = cur_;
    advance();
    For node;
    node.isAsync = isAsync;
    node.target = targetList();
    checkTarget(*node.target, "assign to", true);
    node.iterable = expect(Tok::kIn, "of the 'for' statement") ? starExpressions() : bad();
    node.body = block("'for' statement", header);
    if (at(Tok::kElse)) {
        const Token otherwise = cur_;
        advance();
        node.orElse = block("'else'", otherwise);
    }
    return statement(begin, std::move(node));
}

WithItem Parser::withItem()
{
    WithItem item;
    item.context = expression();
    if (!accept(Tok::kAs))
        return item;
    const std::uint32_t begin = cur_.begin;
    const bool starred = accept(Tok::kStar);
    item.target = binary(1);
    if (starred)
        report(Code::kSyntax, from(begin), "a starred target stands in a list or tuple only");
    checkTarget(*item.target, "assign to", true);
    return item;
}

// "(a as b, c as d,)" before the ':'; otherwise the parenthesis belongs to an expression.
bool Parser::parenthesisedItems(std::vector<WithItem>& items)
{
    return attempt([&] {
        const Token open = openBracket();
        while (!isClose(cur_.kind) && !at(Tok::kEnd)) {
            items.push_back(withItem());
            if (failed_ || !accept(Tok::kComma))
                break;
        }
        return !items.empty() && at(Tok::kRParen) && closeBracket(open) && at(Tok::kColon);
    });
}

StmtPtr Parser::withStatement(std::uint32_t begin, bool isAsync)
{
    const Token header = cur_;
    advance();
    With node;
    node.isAsync = isAsync;
    if (!at(Tok::kLParen) || !parenthesisedItems(node.items)) {
        node.items.clear();
        do
            node.items.push_back(withItem());
        while (accept(Tok::kComma));
    }
    node.body = block("'with' statement", header);
    return statement(begin, std::move(node));
}

ExceptHandler Parser::exceptHandler()
{
    const Token header = cur_;
    advance();
    ExceptHandler handler;
    handler.star = accept(Tok::kStar);
    if (!at(Tok::kColon))
        handler.type = starExpressions();
    if (accept(Tok::kAs))
        handler.name = identifier("a name behind 'as'");
    handler.body = block("'except'", header);
    handler.range = from(header.begin);
    return handler;
}

StmtPtr Parser::tryStatement()
{
    const Token header = cur_;
    advance();
    Try node;
    node.body = block("'try' statement", header);
    while (at(Tok::kExcept))
        node.handlers.push_back(exceptHandler());
    const auto tail = [&](Tok keyword, std::string_view owner, Block& out) {
        if (!at(keyword))
            return;
        const Token part = cur_;
        advance();
        out = block(owner, part);
    };
    tail(Tok::kElse, "'else'", node.orElse);
    const bool closed = !node.handlers.empty() || at(Tok::kFinally);
    tail(Tok::kFinally, "'finally'", node.finally);
    if (!closed)
        report(Code::kSyntax, rangeOf(header), "'try' needs an 'except' or 'finally' behind its block");
    return statement(header.begin, std::move(node));
}

StmtPtr Parser::decorated()
{
    const std::uint32_t begin = cur_.begin;
    std::vector<ExprPtr> decorators;
    while (accept(Tok::kAt)) {
        decorators.push_back(named());
        if (!at(Tok::kNewline) && !at(Tok::kEnd)) {
            errorHere(fmt::format("expected the end of the decorator before {}", describe(cur_)));
            skipLine();
        }
        panic_ = false;
        accept(Tok::kNewline);
    }
    if (at(Tok::kDef) || at(Tok::kClass) || at(Tok::kAsync))
        return definition(begin, std::move(decorators));
    errorHere(fmt::format("expected a function or class behind its decorator before {}", describe(cur_)));
    return statement(begin, ErrorStmt{});
}

StmtPtr Parser::definition(std::uint32_t begin, std::vector<ExprPtr> decorators)
{
    stmtIndent_ = cur_.first ? cur_.indent : stmtIndent_;
    if (at(Tok::kClass))
        return classDef(begin, std::move(decorators));
    const bool isAsync = accept(Tok::kAsync);
    if (at(Tok::kDef))
        return functionDef(begin, std::move(decorators), isAsync);
    errorHere("expected 'def' behind 'async'");
    skipLine();
    return statement(begin, ErrorStmt{});
}

StmtPtr Parser::asyncStatement()
{
    const std::uint32_t begin = cur_.begin;
    const Tok next = peek().kind;
    if (next == Tok::kDef)
        return definition(begin, {});
    advance();
    if (next == Tok::kFor)
        return forStatement(begin, true);
    if (next == Tok::kWith)
        return withStatement(begin, true);
    errorHere("expected 'def', 'for' or 'with' behind 'async'");
    endOfSimple();
    return statement(begin, ErrorStmt{});
}

StmtPtr Parser::functionDef(std::uint32_t begin, std::vector<ExprPtr> decorators, bool isAsync)
{
    const Token header = cur_;
    advance();
    FunctionDef node;
    node.isAsync = isAsync;
    node.decorators = std::move(decorators);
    node.name = identifier("the function's name");
    node.typeParameters = typeParameters();
    if (at(Tok::kLParen)) {
        const Token open = openBracket();
        int height = 0;
        node.parameters = parameters(Signature::kFunction, height);
        closeBracket(open);
    } else {
        expect(Tok::kLParen, "behind the function's name");
    }
    if (accept(Tok::kArrow))
        node.returns = starExpressions();
    node.body = block("function definition", header);
    return statement(begin, std::move(node));
}

StmtPtr Parser::classDef(std::uint32_t begin, std::vector<ExprPtr> decorators)
{
    const Token header = cur_;
    advance();
    ClassDef node;
    node.decorators = std::move(decorators);
    node.name = identifier("the name of the class");
    node.typeParameters = typeParameters();
    if (at(Tok::kLParen)) {
        int height = 0;
        const Token open = openBracket();
        node.bases = arguments(open, height);
        closeBracket(open);
    }
    node.body = block("class definition", header);
    return statement(begin, std::move(node));
}

// [T, U: bound, *Ts, **P]
std::vector<TypeParameter> Parser::typeParameters()
{
    std::vector<TypeParameter> out;
    if (!at(Tok::kLBracket))
        return out;
    const Token open = openBracket();
    do {
        if (at(Tok::kRBracket))
            break;
        TypeParameter next;
        if (accept(Tok::kStar))
            next.kind = TypeParameter::Kind::kTuple;
        else if (accept(Tok::kDoubleStar))
            next.kind = TypeParameter::Kind::kSpec;
        next.name = identifier("a type parameter");
        if (accept(Tok::kColon))
            next.bound = expression();
        out.push_back(std::move(next));
    } while (accept(Tok::kComma));
    closeBracket(open);
    return out;
}

std::vector<Parameter> Parser::parameters(Signature form, int& height)
{
    std::vector<Parameter> out;
    Parameter::Kind kind = Parameter::Kind::kNormal;
    const Tok end = form == Signature::kLambda ? Tok::kColon : Tok::kRParen;
    while (!at(end) && !at(Tok::kEnd) && !at(Tok::kNewline)) {
        if (!parameter(form, out, kind, height) || !accept(Tok::kComma))
            break;
    }
    return out;
}

// One parameter, or a "/" or "*" between them. `kind`: of the parameters that follow. False after an error.
bool Parser::parameter(Signature form, std::vector<Parameter>& out, Parameter::Kind& kind, int& height)
{
    if (at(Tok::kSlash)) {
        if (out.empty() || kind != Parameter::Kind::kNormal)
            errorHere("'/' stands once, behind positional parameters");
        advance();
        for (Parameter& before : out)
            before.kind = Parameter::Kind::kPositionalOnly;
        return true;
    }
    Parameter next;
    next.kind = kind;
    if (at(Tok::kStar)) {
        if (kind != Parameter::Kind::kNormal)
            errorHere("'*' stands once among parameters");
        advance();
        kind = Parameter::Kind::kKeywordOnly;
        if (at(Tok::kComma))
            return true;
        next.kind = Parameter::Kind::kStar;
    } else if (accept(Tok::kDoubleStar)) {
        next.kind = Parameter::Kind::kDoubleStar;
    }
    if (kind == Parameter::Kind::kDoubleStar)
        errorHere("nothing can follow the '**' parameter");
    if (next.kind == Parameter::Kind::kDoubleStar)
        kind = Parameter::Kind::kDoubleStar;
    next.name = identifier("a parameter");
    if (next.name.text.empty())
        return false;
    if (std::any_of(out.begin(), out.end(), [&](const Parameter& before) { return before.name.text == next.name.text; }))
        report(Code::kSyntax, next.name.range, fmt::format("parameter '{}' stands twice; every parameter needs a name of its own", next.name.text));
    if (form == Signature::kFunction && accept(Tok::kColon))
        next.annotation = next.kind == Parameter::Kind::kStar ? starOrNamed() : expression();
    if (accept(Tok::kAssign))
        next.defaultValue = expression();
    else if (next.kind == Parameter::Kind::kNormal && !out.empty() && out.back().defaultValue)
        report(Code::kSyntax, next.name.range,
               fmt::format("parameter '{}' without a default follows one with a default", next.name.text));
    height = std::max({height, heightOf(next.annotation), heightOf(next.defaultValue)});
    out.push_back(std::move(next));
    return true;
}

}  // namespace tw::syntax

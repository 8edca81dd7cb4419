#include <fmt/format.h>

#include "core/syntax/parser_impl.h"

namespace tw::syntax {

namespace {

// What an expression is called when it cannot be assigned to; null if it can.
const char* notATarget(const Expr& expr)
{
    return match(
        expr.node, [](const Name&) -> const char* { return nullptr; }, [](const Attribute&) -> const char* { return nullptr; },
        [](const Subscript&) -> const char* { return nullptr; }, [](const Starred&) -> const char* { return nullptr; },
        [](const TupleExpr&) -> const char* { return nullptr; }, [](const ListExpr&) -> const char* { return nullptr; },
        [](const ErrorExpr&) -> const char* { return nullptr; }, [](const NoneLiteral&) { return "None"; },
        [](const EllipsisLiteral&) { return "'...'"; }, [](const BoolLiteral& b) { return b.value ? "True" : "False"; },
        [](const IntLiteral&) { return "a number"; }, [](const FloatLiteral&) { return "a number"; },
        [](const ImaginaryLiteral&) { return "a number"; }, [](const StringLiteral&) { return "a string"; },
        [](const BytesLiteral&) { return "a bytes literal"; }, [](const FormatString&) { return "an f-string"; },
        [](const SliceExpr&) { return "a slice"; }, [](const Call&) { return "the result of a call"; },
        [](const Unary&) { return "an expression"; }, [](const Binary&) { return "an expression"; },
        [](const Logical&) { return "an expression"; }, [](const Compare&) { return "a comparison"; },
        [](const Conditional&) { return "a conditional expression"; }, [](const Walrus&) { return "a ':=' expression"; },
        [](const SetExpr&) { return "a set"; }, [](const DictExpr&) { return "a dictionary"; },
        [](const Comprehension&) { return "a comprehension"; }, [](const Lambda&) { return "a lambda"; },
        [](const Await&) { return "an await expression"; }, [](const Yield&) { return "a yield expression"; });
}

bool isAugmented(Tok kind)
{
    return kind >= Tok::kPlusAssign && kind <= Tok::kCaretAssign;
}

}  // namespace

Block Parser::file()
{
    Block out;
    statements(out, true);
    return out;
}

// Statements up to the end of the block (its kDedent is left) or of the file.
void Parser::statements(Block& out, bool topLevel)
{
    while (!at(Tok::kEnd)) {
        if (at(Tok::kDedent)) {
            if (!topLevel)
                return;
            advance();
        } else {
            anyStatement(out);
        }
    }
}

void Parser::anyStatement(Block& out)
{
    panic_ = false;
    open_.clear();
    stmtIndent_ = cur_.first ? cur_.indent : lexer_.blockIndent();
    const std::uint32_t begin = cur_.begin;
    switch (cur_.kind) {
    case Tok::kNewline: advance(); return;
    case Tok::kIndent:
        if (lastReport_ == UINT32_MAX || lastReport_ < lastEnd_ || lastReport_ > peek().end)
            report(Code::kSyntaxIndent, rangeOf(peek()), "unexpected indentation: no block begins on the line before");
        advance();
        blockBody(out);  // most likely a line that slipped: its statements belong here
        return;
    case Tok::kIf: out.push_back(ifStatement()); return;
    case Tok::kWhile: out.push_back(whileStatement()); return;
    case Tok::kFor: out.push_back(forStatement(begin, false)); return;
    case Tok::kWith: out.push_back(withStatement(begin, false)); return;
    case Tok::kTry: out.push_back(tryStatement()); return;
    case Tok::kAsync: out.push_back(asyncStatement()); return;
    case Tok::kDef: case Tok::kClass: out.push_back(definition(begin, {})); return;
    case Tok::kAt: out.push_back(decorated()); return;
    default: break;
    }
    if (atSoftKeyword("match")) {
        if (StmtPtr match = matchStatement()) {
            out.push_back(std::move(match));
            return;
        }
    }
    simpleStatements(out);
}

void Parser::simpleStatements(Block& out)
{
    do {
        const std::uint32_t begin = cur_.begin;
        StmtPtr next = simpleStatement();
        // An expression alone with an error in it means nothing; an assignment still says which name exists.
        if (panic_ && std::holds_alternative<ExprStmt>(next->node))
            next->node = ErrorStmt{};
        next->range = from(begin);
        out.push_back(std::move(next));
    } while (accept(Tok::kSemicolon) && !at(Tok::kNewline) && !at(Tok::kEnd));
    endOfSimple();
}

void Parser::endOfSimple()
{
    if (!at(Tok::kNewline) && !at(Tok::kEnd)) {
        if (!panic_)
            errorHere(isClose(cur_.kind) ? "" : fmt::format("expected the end of the statement before {}", describe(cur_)));
        skipLine();
    }
    const bool broken = std::exchange(panic_, false);
    accept(Tok::kNewline);
    if (broken && at(Tok::kIndent)) {  // the block of a head that could not be read
        advance();
        Block dropped;
        blockBody(dropped);
    }
}

StmtPtr Parser::simpleStatement()
{
    const std::uint32_t begin = cur_.begin;
    if (isKeyword(cur_.kind))
        if (StmtPtr keyword = keywordStatement(begin))
            return keyword;
    if (atSoftKeyword("type") && peek().kind == Tok::kName)
        return typeAlias(begin);
    return expressionStatement();
}

StmtPtr Parser::keywordStatement(std::uint32_t begin)
{
    const Tok keyword = cur_.kind;
    switch (keyword) {
    case Tok::kPass: advance(); return statement(begin, Pass{});
    case Tok::kBreak: advance(); return statement(begin, Break{});
    case Tok::kContinue: advance(); return statement(begin, Continue{});
    case Tok::kReturn: {
        advance();
        ExprPtr value = startsExpression() ? starExpressions() : nullptr;
        return statement(begin, Return{std::move(value)});
    }
    case Tok::kGlobal: advance(); return statement(begin, Global{nameList()});
    case Tok::kNonlocal: advance(); return statement(begin, Nonlocal{nameList()});
    case Tok::kDel: return deletion(begin);
    case Tok::kRaise: return raise(begin);
    case Tok::kAssert: return assertion(begin);
    case Tok::kImport: return import(begin);
    case Tok::kFrom: return importFrom(begin);
    case Tok::kElif: case Tok::kElse: case Tok::kExcept: case Tok::kFinally:
        errorHere(fmt::format("'{}' without a matching '{}' before it", slice(cur_),
                              keyword == Tok::kElif || keyword == Tok::kElse ? "if" : "try"));
        skipLine();
        return statement(begin, ErrorStmt{});
    default: return nullptr;
    }
}

StmtPtr Parser::expressionStatement()
{
    const std::uint32_t begin = cur_.begin;
    ExprPtr value = at(Tok::kYield) ? yieldExpression() : starExpressions();
    if (at(Tok::kAssign))
        return assignment(begin, std::move(value));
    if (at(Tok::kColon) && !panic_)
        return annotated(begin, std::move(value));
    if (!isAugmented(cur_.kind)) {
        if (std::holds_alternative<Starred>(value->node))
            report(Code::kSyntax, value->range, "a starred expression stands in a list, tuple or call only");
        return statement(begin, ExprStmt{std::move(value)});
    }
    const auto op = static_cast<BinaryOp>(static_cast<int>(cur_.kind) - static_cast<int>(Tok::kPlusAssign));
    if (std::holds_alternative<TupleExpr>(value->node) || std::holds_alternative<ListExpr>(value->node))
        report(Code::kSyntax, value->range, "an augmented assignment has one target, not a sequence");
    checkTarget(*value, "assign to");
    advance();
    ExprPtr right = at(Tok::kYield) ? yieldExpression() : starExpressions();
    return statement(begin, AugAssign{std::move(value), op, std::move(right)});
}

StmtPtr Parser::assignment(std::uint32_t begin, ExprPtr first)
{
    Assign node;
    node.value = std::move(first);
    while (accept(Tok::kAssign)) {
        if (std::holds_alternative<Starred>(node.value->node))
            report(Code::kSyntax, node.value->range, "a starred target stands in a list or tuple only");
        checkTarget(*node.value, "assign to");
        node.targets.push_back(std::move(node.value));
        node.value = at(Tok::kYield) ? yieldExpression() : starExpressions();
    }
    return statement(begin, std::move(node));
}

StmtPtr Parser::annotated(std::uint32_t begin, ExprPtr target)
{
    if (std::holds_alternative<TupleExpr>(target->node) || std::holds_alternative<ListExpr>(target->node))
        report(Code::kSyntax, target->range, "only one target can be annotated");
    else if (notATarget(*target))
        errorHere(fmt::format("unexpected ':' behind {}", notATarget(*target)));
    advance();
    ExprPtr annotation = expression();
    ExprPtr value;
    if (accept(Tok::kAssign))
        value = at(Tok::kYield) ? yieldExpression() : starExpressions();
    return statement(begin, AnnAssign{std::move(target), std::move(annotation), std::move(value)});
}

// Reports what cannot be assigned to or deleted.
bool Parser::checkTarget(const Expr& expr, std::string_view verb, bool inSequence)
{
    if (const char* what = notATarget(expr)) {
        report(Code::kSyntax, expr.range,
               fmt::format("cannot {} {}{}", verb, what, inSequence || verb != "assign to" ? "" : "; use '==' to compare"));
        return false;
    }
    const auto all = [&](const std::vector<ExprPtr>& items) {
        for (const ExprPtr& item : items)
            if (!checkTarget(*item, verb, true))
                return false;
        return true;
    };
    if (const auto* tuple = std::get_if<TupleExpr>(&expr.node))
        return all(tuple->items);
    if (const auto* list = std::get_if<ListExpr>(&expr.node))
        return all(list->items);
    if (const auto* star = std::get_if<Starred>(&expr.node))
        return checkTarget(*star->value, verb, true);
    return true;
}

StmtPtr Parser::deletion(std::uint32_t begin)
{
    advance();
    ExprPtr targets = targetList();
    checkTarget(*targets, "delete");
    Delete node;
    auto* tuple = std::get_if<TupleExpr>(&targets->node);
    const bool bare = tuple && !tuple->items.empty() && targets->range.begin == tuple->items[0]->range.begin;
    if (bare)
        node.targets = std::move(tuple->items);
    else
        node.targets.push_back(std::move(targets));
    return statement(begin, std::move(node));
}

StmtPtr Parser::raise(std::uint32_t begin)
{
    advance();
    Raise node;
    if (startsExpression()) {
        node.exception = expression();
        if (accept(Tok::kFrom))
            node.cause = expression();
    }
    return statement(begin, std::move(node));
}

StmtPtr Parser::assertion(std::uint32_t begin)
{
    advance();
    Assert node{expression(), nullptr};
    if (accept(Tok::kComma))
        node.message = expression();
    return statement(begin, std::move(node));
}

Identifier Parser::dottedName()
{
    Identifier name = identifier("a module name");
    while (at(Tok::kDot)) {
        advance();
        const Identifier part = identifier("a name behind '.'");
        name.text += "." + part.text;
        name.range = cover(name.range, part.range);
    }
    return name;
}

StmtPtr Parser::import(std::uint32_t begin)
{
    advance();
    Import node;
    do {
        ImportName name{dottedName(), std::nullopt};
        if (accept(Tok::kAs))
            name.alias = identifier("a name behind 'as'");
        node.names.push_back(std::move(name));
    } while (accept(Tok::kComma));
    return statement(begin, std::move(node));
}

std::vector<ImportName> Parser::importNames()
{
    std::vector<ImportName> names;
    while (at(Tok::kName) || names.empty()) {
        ImportName name{identifier("a name to import"), std::nullopt};
        if (accept(Tok::kAs))
            name.alias = identifier("a name behind 'as'");
        names.push_back(std::move(name));
        if (!accept(Tok::kComma))
            break;
    }
    return names;
}

StmtPtr Parser::importFrom(std::uint32_t begin)
{
    advance();
    ImportFrom node;
    for (;; advance()) {
        if (at(Tok::kDot))
            node.level += 1;
        else if (at(Tok::kEllipsis))
            node.level += 3;
        else
            break;
    }
    if (!at(Tok::kImport) || node.level == 0)
        node.module = dottedName();
    if (!expect(Tok::kImport, "of 'from … import'"))
        return statement(begin, std::move(node));
    if (at(Tok::kStar)) {
        node.names.push_back({{"*", rangeOf(cur_)}, std::nullopt});
        advance();
    } else if (at(Tok::kLParen)) {
        const Token open = openBracket();
        node.names = importNames();
        closeBracket(open);
    } else {
        node.names = importNames();
    }
    return statement(begin, std::move(node));
}

std::vector<Identifier> Parser::nameList()
{
    std::vector<Identifier> names;
    do
        names.push_back(identifier("a name"));
    while (accept(Tok::kComma));
    return names;
}

StmtPtr Parser::typeAlias(std::uint32_t begin)
{
    advance();
    TypeAlias node{identifier("a name"), typeParameters(), nullptr};
    node.value = expect(Tok::kAssign, "of the type alias") ? expression() : bad();
    return statement(begin, std::move(node));
}

}  // namespace tw::syntax

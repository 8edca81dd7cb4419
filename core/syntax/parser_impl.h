// The recursive-descent parser. Its member functions stand in parser.cpp (tokens, errors, recovery), expressions.cpp,
// atoms.cpp, fstrings.cpp, statements.cpp, compound.cpp and patterns.cpp.
//
// An error never unwinds: it is reported, `panic_` silences what follows from it, and every function returns what it has.
// The statement loop ends the panic at the next logical line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/syntax/lexer.h"
#include "core/syntax/parser.h"

namespace tw::syntax {

// More errors than anybody reads; behind them parsing goes on silently.
inline constexpr int kMaxReports = 100;

class Parser {
public:
    Parser(std::string_view text, const SourceRange& base, bool insideBracket, DiagnosticSink& diagnostics);

    Block file();
    ExprPtr wholeExpression();

private:
    // Counts nesting while it lives. False: too deep, reported.
    class Nest {
    public:
        explicit Nest(Parser& parser) : parser_(parser) { ++parser_.depth_; }
        ~Nest() { --parser_.depth_; }
        Nest(const Nest&) = delete;
        Nest& operator=(const Nest&) = delete;
        explicit operator bool() const { return parser_.depth_ <= kMaxDepth || parser_.tooDeep(); }

    private:
        Parser& parser_;
    };

    // ---- tokens (parser.cpp) ----
    void advance();
    [[nodiscard]] bool at(Tok kind) const { return cur_.kind == kind; }
    [[nodiscard]] const Token& peek();
    bool accept(Tok kind);
    // Reports "expected … (what for)" unless `kind` is next.
    bool expect(Tok kind, std::string_view purpose = {});
    [[nodiscard]] bool atSoftKeyword(std::string_view word) const { return at(Tok::kName) && slice(cur_) == word; }
    [[nodiscard]] std::string_view slice(const Token& token) const { return lexer_.slice(token); }
    [[nodiscard]] SourceRange rangeOf(std::uint32_t begin, std::uint32_t end) const
    {
        return {base_.file, base_.begin + begin, base_.begin + end};
    }
    [[nodiscard]] SourceRange rangeOf(const Token& token) const { return rangeOf(token.begin, token.end); }
    [[nodiscard]] SourceRange from(std::uint32_t begin) const { return rangeOf(begin, std::max(begin, lastEnd_)); }
    Identifier identifier(std::string_view what);

    // ---- errors and recovery (parser.cpp) ----
    void report(Code code, const SourceRange& range, std::string message);
    void errorHere(std::string message);  // at the current token; an unclosed bracket is reported in its place
    bool tooDeep();
    void takeLexerError();
    [[nodiscard]] std::string describe(const Token& token) const;
    [[nodiscard]] bool startsStatement(const Token& token) const;
    [[nodiscard]] bool colonEndsLine();
    void reportUnclosed(const Token& open);
    Token openBracket();                    // consumes it
    bool closeBracket(const Token& open);   // consumes the partner, or recovers
    bool skipToClose(const Token& open, bool& unclosed);
    void skipLine();

    // Tries `parse` without reports; goes back and returns false unless it succeeds.
    template <class F>
    bool attempt(const F& parse);

    // ---- nodes ----
    template <class Node>
    ExprPtr make(const SourceRange& range, Node node, int childHeight = 0);
    ExprPtr bad();  // an ErrorExpr before the current token
    [[nodiscard]] static int heightOf(const ExprPtr& expr) { return expr ? expr->height : 0; }
    [[nodiscard]] static int heightOf(const std::vector<ExprPtr>& exprs);
    template <class Node>
    [[nodiscard]] StmtPtr statement(std::uint32_t begin, Node node) const;

    // ---- expressions.cpp ----
    ExprPtr starExpressions();              // a, *b, c  (a tuple without brackets)
    ExprPtr starOrNamed();                  // *a | a := b | expression
    ExprPtr named();                        // a := b | expression
    ExprPtr expression();                   // ternary or lambda
    ExprPtr conditional(std::uint32_t begin, ExprPtr then);
    ExprPtr lambda();
    ExprPtr orTest();
    ExprPtr andTest();
    ExprPtr notTest();
    ExprPtr comparison();
    ExprPtr binary(int minimum);
    ExprPtr unary();
    ExprPtr power();
    ExprPtr yieldExpression();
    bool compareOperator(CompareOp& op);
    [[nodiscard]] bool startsExpression() const;
    ExprPtr finishTuple(std::uint32_t begin, ExprPtr first, bool targets);
    ExprPtr targetList();                   // of for, del, comprehensions
    std::vector<ComprehensionClause> comprehensionClauses(int& height);

    // ---- atoms.cpp ----
    ExprPtr postfix();
    ExprPtr call(std::uint32_t begin, ExprPtr callee);
    Argument argument();
    std::vector<Argument> arguments(const Token& open, int& height);
    ExprPtr subscript(std::uint32_t begin, ExprPtr value);
    ExprPtr subscriptItem();
    ExprPtr attribute(std::uint32_t begin, ExprPtr value);
    ExprPtr atom();
    ExprPtr group();
    ExprPtr list();
    ExprPtr braces();
    ExprPtr dictionary(const Token& open, ExprPtr firstKey);
    DictItem dictItem();
    ExprPtr comprehension(const Token& open, Comprehension::Kind kind, ExprPtr element, ExprPtr value);
    ExprPtr numberAtom();
    ExprPtr simple();                       // names and constants

    // ---- fstrings.cpp ----
    ExprPtr strings();
    std::string plainString(const Token& token, bool bytes);
    void formatString(std::vector<FormatPiece>& pieces, int& height);
    struct Quote {
        char quote = 0;
        bool triple = false, raw = false;
        std::uint32_t begin = 0;
    };
    bool formatPieces(const Quote& quote, bool spec, std::vector<FormatPiece>& pieces, int& height);
    bool formatField(const Quote& quote, std::vector<FormatPiece>& pieces, int& height);
    bool fieldTail(const Quote& quote, FormatPiece& piece, int& height);
    std::uint32_t literalEnd(const Quote& quote, bool spec, std::uint32_t begin, bool& doubled) const;

    // ---- statements.cpp ----
    void statements(Block& out, bool topLevel);
    void anyStatement(Block& out);
    void simpleStatements(Block& out);
    StmtPtr simpleStatement();
    StmtPtr keywordStatement(std::uint32_t begin);
    void endOfSimple();
    StmtPtr expressionStatement();
    StmtPtr assignment(std::uint32_t begin, ExprPtr first);
    StmtPtr annotated(std::uint32_t begin, ExprPtr target);
    bool checkTarget(const Expr& expr, std::string_view verb, bool inSequence = false);
    StmtPtr deletion(std::uint32_t begin);
    StmtPtr raise(std::uint32_t begin);
    StmtPtr assertion(std::uint32_t begin);
    StmtPtr import(std::uint32_t begin);
    StmtPtr importFrom(std::uint32_t begin);
    Identifier dottedName();
    std::vector<ImportName> importNames();
    std::vector<Identifier> nameList();
    StmtPtr typeAlias(std::uint32_t begin);

    // ---- compound.cpp ----
    Block block(std::string_view owner, const Token& header);
    void blockBody(Block& out);
    void skipBlock();
    void skipElifs();
    StmtPtr ifStatement();
    StmtPtr whileStatement();
    StmtPtr forStatement(std::uint32_t begin, bool isAsync);
    StmtPtr withStatement(std::uint32_t begin, bool isAsync);
    bool parenthesisedItems(std::vector<WithItem>& items);
    WithItem withItem();
    StmtPtr tryStatement();
    ExceptHandler exceptHandler();
    StmtPtr decorated();
    StmtPtr definition(std::uint32_t begin, std::vector<ExprPtr> decorators);
    StmtPtr functionDef(std::uint32_t begin, std::vector<ExprPtr> decorators, bool isAsync);
    StmtPtr classDef(std::uint32_t begin, std::vector<ExprPtr> decorators);
    std::vector<TypeParameter> typeParameters();
    enum class Signature { kFunction, kLambda };
    std::vector<Parameter> parameters(Signature form, int& height);
    bool parameter(Signature form, std::vector<Parameter>& out, Parameter::Kind& kind, int& height);
    StmtPtr asyncStatement();

    // ---- patterns.cpp ----
    StmtPtr matchStatement();               // null if this is no match statement
    MatchCase matchCase();
    PatternPtr patterns();                  // a, *b without brackets
    PatternPtr asPattern();
    PatternPtr orPattern();
    PatternPtr closedPattern();
    PatternPtr namePattern();
    PatternPtr classPattern(std::uint32_t begin, ExprPtr type);
    PatternPtr sequencePattern(Tok close);
    PatternPtr mappingPattern();
    PatternPtr starPattern();
    PatternPtr valuePattern();
    template <class Node>
    PatternPtr pattern(std::uint32_t begin, Node node) const;

    Lexer lexer_;
    SourceRange base_;
    DiagnosticSink& diagnostics_;
    Token cur_;
    Token peeked_;
    bool hasPeeked_ = false;
    std::uint32_t lastEnd_ = 0;      // of the last token consumed that is not layout
    std::uint32_t stmtIndent_ = 0;   // of the statement being parsed
    int depth_ = 0;
    bool panic_ = false;             // an error of this logical line has been reported
    bool quiet_ = false;             // inside attempt()
    bool failed_ = false;            // attempt() met an error
    int reports_ = 0;
    std::uint32_t lastReport_ = UINT32_MAX;  // where the last error was, to keep a line's layout errors to one
    std::vector<Token> open_;        // brackets being parsed
};

template <class Node>
ExprPtr Parser::make(const SourceRange& range, Node node, int childHeight)
{
    auto expr = std::make_unique<Expr>();
    expr->range = range;
    if (childHeight >= kMaxDepth) {
        tooDeep();
        return expr;  // the children are dropped here, so that no tree ever grows taller
    }
    expr->height = static_cast<std::uint16_t>(childHeight + 1);
    expr->node = std::move(node);
    return expr;
}

template <class Node>
StmtPtr Parser::statement(std::uint32_t begin, Node node) const
{
    return std::make_unique<Stmt>(Stmt{from(begin), std::move(node)});
}

template <class F>
bool Parser::attempt(const F& parse)
{
    const Lexer::Mark mark = lexer_.mark();
    const Token cur = cur_, peeked = peeked_;
    const bool hasPeeked = hasPeeked_;
    const auto lastEnd = lastEnd_;
    const bool panic = std::exchange(panic_, false), quiet = std::exchange(quiet_, true);
    const std::size_t open = open_.size();
    failed_ = false;
    const bool good = parse() && !failed_;
    quiet_ = quiet;
    panic_ = panic;
    if (good)
        return true;
    failed_ = quiet;
    lexer_.restore(mark);
    cur_ = cur;
    peeked_ = peeked;
    hasPeeked_ = hasPeeked;
    lastEnd_ = lastEnd;
    open_.resize(open);
    return false;
}

}  // namespace tw::syntax

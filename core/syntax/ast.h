// The syntax tree of Python 3.12's statements and expressions.
//
// A tree is a value: variants of small structs with unique children. Every node carries the exact range of its text.
// Match with tw::match(expr.node, …), so that a new node breaks every place that must learn of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/support/integer.h"
#include "core/support/ref.h"
#include "core/support/source.h"

namespace tw::syntax {

struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

// A name where it stands: parameters, keywords, attributes, imported names.
struct Identifier {
    std::string text;
    SourceRange range;
};

// ---- expressions ----------------------------------------------------------------------------------------------------

struct NoneLiteral {};
struct EllipsisLiteral {};
struct BoolLiteral {
    bool value = false;
};
struct IntLiteral {
    Integer value = 0;
    bool tooLarge = false;  // does not fit 128 bits; `value` is then the largest Integer
};
struct FloatLiteral {
    double value = 0;
};
struct ImaginaryLiteral {
    double value = 0;
};
struct StringLiteral {  // adjacent literals joined, escapes resolved, UTF-8
    std::string value;
};
struct BytesLiteral {
    std::string value;
};

// f"text{expr!r:spec}": pieces in order. A piece is literal text (expr empty) or a replacement field.
struct FormatPiece {
    std::string text;       // literal text, escapes resolved
    ExprPtr expr;           // the field's expression, or empty
    char conversion = 0;    // 'r', 's', 'a' or 0
    bool debug = false;     // f"{x=}": `text` holds "x=" as written
    std::vector<FormatPiece> spec;  // format specification, may hold nested fields
};
struct FormatString {
    std::vector<FormatPiece> pieces;
};

struct Name {
    std::string id;
};
struct Attribute {
    ExprPtr value;
    Identifier name;
};
struct Subscript {
    ExprPtr value;
    ExprPtr index;  // a TupleExpr for a[i, j]; a SliceExpr for a[i:j]
};
struct SliceExpr {  // inside a Subscript only
    ExprPtr lower, upper, step;  // each may be empty
};
struct Argument {
    enum class Kind { kPositional, kKeyword, kStar, kDoubleStar };
    Kind kind = Kind::kPositional;
    Identifier keyword;  // kKeyword only
    ExprPtr value;
    SourceRange range;
};
struct Call {
    ExprPtr callee;
    std::vector<Argument> arguments;
};
enum class UnaryOp { kNot, kNegate, kPlus, kInvert };
struct Unary {
    UnaryOp op{};
    ExprPtr operand;
};
enum class BinaryOp { kAdd, kSub, kMul, kMatMul, kDiv, kFloorDiv, kMod, kPow, kShl, kShr, kBitAnd, kBitOr, kBitXor };
struct Binary {
    BinaryOp op{};
    ExprPtr left, right;
    SourceRange opRange;
};
enum class BoolOp { kAnd, kOr };
struct Logical {
    BoolOp op{};
    std::vector<ExprPtr> operands;  // two or more
};
enum class CompareOp { kEq, kNe, kLt, kLe, kGt, kGe, kIs, kIsNot, kIn, kNotIn };
struct Compare {  // a < b < c: operands are a, b, c; ops are <, <
    std::vector<ExprPtr> operands;
    std::vector<CompareOp> ops;
};
struct Conditional {  // then if condition else otherwise
    ExprPtr condition, then, otherwise;
};
struct Walrus {
    Identifier target;
    ExprPtr value;
};
struct Starred {
    ExprPtr value;
};
struct TupleExpr {
    std::vector<ExprPtr> items;
};
struct ListExpr {
    std::vector<ExprPtr> items;
};
struct SetExpr {
    std::vector<ExprPtr> items;
};
struct DictItem {
    ExprPtr key;  // empty: **value
    ExprPtr value;
};
struct DictExpr {
    std::vector<DictItem> items;
};
struct ComprehensionClause {
    ExprPtr target;
    ExprPtr iterable;
    std::vector<ExprPtr> conditions;
    bool isAsync = false;
};
struct Comprehension {
    enum class Kind { kList, kSet, kDict, kGenerator };
    Kind kind{};
    ExprPtr element;  // the key for kDict
    ExprPtr value;    // kDict only
    std::vector<ComprehensionClause> clauses;
};

struct Parameter {
    enum class Kind { kPositionalOnly, kNormal, kStar, kKeywordOnly, kDoubleStar };
    Kind kind = Kind::kNormal;
    Identifier name;
    ExprPtr annotation;    // may be empty
    ExprPtr defaultValue;  // may be empty
};
struct Lambda {
    std::vector<Parameter> parameters;
    ExprPtr body;
};
struct Await {
    ExprPtr value;
};
struct Yield {
    ExprPtr value;  // may be empty
    bool from = false;
};
// Text that is no expression; a diagnostic has been reported.
struct ErrorExpr {};

struct Expr {
    SourceRange range;
    std::uint16_t height = 1;  // levels of the tree below and including this node; never above kMaxDepth
    std::variant<ErrorExpr, NoneLiteral, EllipsisLiteral, BoolLiteral, IntLiteral, FloatLiteral, ImaginaryLiteral,
                 StringLiteral, BytesLiteral, FormatString, Name, Attribute, Subscript, SliceExpr, Call, Unary, Binary,
                 Logical, Compare, Conditional, Walrus, Starred, TupleExpr, ListExpr, SetExpr, DictExpr, Comprehension,
                 Lambda, Await, Yield>
        node;
};

// ---- statements -----------------------------------------------------------------------------------------------------

// PEP 695: def f[T: bound, *Ts, **P](…).
struct TypeParameter {
    enum class Kind { kPlain, kTuple, kSpec };
    Kind kind = Kind::kPlain;
    Identifier name;
    ExprPtr bound;  // kPlain only, may be empty
};

struct FunctionDef {
    Identifier name;
    std::vector<ExprPtr> decorators;
    std::vector<TypeParameter> typeParameters;
    std::vector<Parameter> parameters;
    ExprPtr returns;  // may be empty
    Block body;
    bool isAsync = false;
};
struct ClassDef {
    Identifier name;
    std::vector<ExprPtr> decorators;
    std::vector<TypeParameter> typeParameters;
    std::vector<Argument> bases;  // keywords such as metaclass= included
    Block body;
};
struct Return {
    ExprPtr value;  // may be empty
};
struct Delete {
    std::vector<ExprPtr> targets;
};
struct Assign {  // a = b = value: targets a, b
    std::vector<ExprPtr> targets;
    ExprPtr value;
};
struct AugAssign {
    ExprPtr target;
    BinaryOp op{};
    ExprPtr value;
};
struct AnnAssign {
    ExprPtr target;
    ExprPtr annotation;
    ExprPtr value;  // may be empty
};
struct For {
    ExprPtr target, iterable;
    Block body, orElse;
    bool isAsync = false;
};
struct While {
    ExprPtr condition;
    Block body, orElse;
};
struct If {  // elif: orElse holds one If
    ExprPtr condition;
    Block then, orElse;
};
struct WithItem {
    ExprPtr context;
    ExprPtr target;  // may be empty
};
struct With {
    std::vector<WithItem> items;
    Block body;
    bool isAsync = false;
};
struct Raise {
    ExprPtr exception, cause;  // each may be empty
};
struct ExceptHandler {
    ExprPtr type;  // empty: a bare except
    std::optional<Identifier> name;
    Block body;
    bool star = false;
    SourceRange range;
};
struct Try {
    Block body;
    std::vector<ExceptHandler> handlers;
    Block orElse, finally;
};
struct Assert {
    ExprPtr condition, message;  // message may be empty
};
struct ImportName {
    Identifier name;  // dotted: "os.path"
    std::optional<Identifier> alias;
};
struct Import {
    std::vector<ImportName> names;
};
struct ImportFrom {
    Identifier module;  // dotted, may be empty for "from . import x"
    int level = 0;      // leading dots
    std::vector<ImportName> names;  // a single "*" for a star import
};
struct Global {
    std::vector<Identifier> names;
};
struct Nonlocal {
    std::vector<Identifier> names;
};
struct ExprStmt {
    ExprPtr value;
};
struct Pass {};
struct Break {};
struct Continue {};
struct TypeAlias {
    Identifier name;
    std::vector<TypeParameter> typeParameters;
    ExprPtr value;
};

struct Pattern;
using PatternPtr = std::unique_ptr<Pattern>;
struct ValuePattern {
    ExprPtr value;
};
struct CapturePattern {  // "_" captures nothing: name is empty
    std::string name;
    PatternPtr pattern;  // `pattern as name`, or empty
};
struct SequencePattern {
    std::vector<PatternPtr> items;
};
struct StarPattern {
    std::string name;  // empty for "*_"
};
struct MappingPattern {
    std::vector<ExprPtr> keys;
    std::vector<PatternPtr> values;
    std::string rest;
};
struct ClassPattern {
    ExprPtr type;
    std::vector<PatternPtr> positional;
    std::vector<Identifier> keywords;
    std::vector<PatternPtr> keywordPatterns;
};
struct OrPattern {
    std::vector<PatternPtr> alternatives;
};
struct Pattern {
    SourceRange range;
    std::variant<ValuePattern, CapturePattern, SequencePattern, StarPattern, MappingPattern, ClassPattern, OrPattern>
        node;
};
struct MatchCase {
    PatternPtr pattern;
    ExprPtr guard;  // may be empty
    Block body;
};
struct Match {
    ExprPtr subject;
    std::vector<MatchCase> cases;
};
// A statement that could not be parsed; a diagnostic has been reported and parsing went on behind it.
struct ErrorStmt {};

struct Stmt {
    SourceRange range;  // from the first decorator or keyword to the last token of the body
    std::variant<ErrorStmt, ExprStmt, Pass, Break, Continue, Assign, AugAssign, AnnAssign, Return, Delete, Raise, Global,
                 Nonlocal, Import, ImportFrom, Assert, TypeAlias, If, While, For, Try, With, Match, FunctionDef,
                 ClassDef>
        node;
};

struct Module {
    std::shared_ptr<const SourceText> source;
    std::uint32_t file = 0;  // index of `source` in the SourceSet
    Block body;
};

}  // namespace tw::syntax

#pragma once

#include <string>

#include "core/syntax/dump.h"

namespace tw::syntax {

// Writes expressions; statements stand in dump.cpp.
class ExprDumper {
public:
    explicit ExprDumper(DumpRanges ranges) : ranges_(ranges) {}

    std::string text;

    void expr(const ExprPtr& expr);  // "-" where absent
    void expr(const Expr& expr);
    void open(const char* kind, const SourceRange& range);
    void quoted(const std::string& value);
    void word(const std::string& value);
    void list(const std::vector<ExprPtr>& items);
    void parameters(const std::vector<Parameter>& items);
    void arguments(const std::vector<Argument>& items);

protected:
    void nodes(const Expr& expr);
    void literal(const Expr& expr);
    void pieces(const std::vector<FormatPiece>& items);
    void clauses(const Comprehension& node);
    void compare(const Compare& node);

    DumpRanges ranges_;
};

[[nodiscard]] const char* opText(BinaryOp op);

}  // namespace tw::syntax

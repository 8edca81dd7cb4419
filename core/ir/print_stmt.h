// Statements as TileLang lines; private to core/ir.
#pragma once

#include <string>

#include "core/ir/print.h"
#include "core/ir/print_expr.h"

namespace tw::ir {

// The growing text with one map entry a line.
class TextLines {
public:
    void add(int indent, const std::string& text, const Provenance& where = {});
    void blank() { add(0, ""); }
    [[nodiscard]] Printed take() { return std::move(printed_); }

private:
    Printed printed_;
};

class StmtPrinter {
public:
    StmtPrinter(ExprPrinter& exprs, TextLines& lines) : exprs_(exprs), lines_(lines) {}

    // An indented block; "pass" if it is empty.
    void body(const Stmt& s, int indent);

private:
    void statement(const Stmt& s, int indent);
    void sequence(const Seq& seq, int indent);
    void loop(const For& loop, int indent);
    void branch(const If& branch, int indent, bool continues);
    void bind(const Bind& bind, int indent);
    void store(const Store& store, int indent);
    void allocate(const BufferNode& buffer, const Provenance& where, int indent, const Expr& initial);
    void launch(const Launch& launch, int indent);
    [[nodiscard]] std::string loopHead(const For& loop);
    [[nodiscard]] std::string reservedLoop(const For& loop);
    [[nodiscard]] std::string allocation(const BufferNode& buffer, const Expr& initial);
    [[nodiscard]] std::string view(const BufferNode& buffer);

    ExprPrinter& exprs_;
    TextLines& lines_;
    int launchDepth_ = 0;
};

}  // namespace tw::ir

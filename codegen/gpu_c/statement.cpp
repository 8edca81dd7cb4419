// Statements.
#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"

namespace tw::gpu {

using ir::DType;

namespace {

bool loads(const ir::Expr& e, const ir::Buffer& buffer)
{
    return ir::anyExpr(e, [&](const ir::Expr& x) {
        const auto* load = ir::as<ir::Load>(x);
        return load && load->buffer == buffer;
    });
}

bool endsBlock(const ir::Stmt& s)
{
    return s->kind == ir::StmtKind::kBreak || s->kind == ir::StmtKind::kContinue || s->kind == ir::StmtKind::kReturn;
}

}  // namespace

// What holds in a whole block: conditions on memory may end to hold there.
void KernelPrinter::assume(const ir::Expr& condition, bool holds)
{
    if (!ir::hasRuntimeValue(condition))
        return facts_.assume(condition, holds);
    const auto* b = ir::as<ir::Binary>(condition);
    if (b && b->op == (holds ? ir::BinaryOp::kAnd : ir::BinaryOp::kOr)) {
        assume(b->a, holds);
        assume(b->b, holds);
    }
}

void KernelPrinter::statement(const ir::Stmt& s)
{
    out_.at(s->where);
    switch (s->kind) {
    case ir::StmtKind::kSeq: return sequence(*ir::as<ir::Seq>(s));
    case ir::StmtKind::kFor: return forLoop(*ir::as<ir::For>(s));
    case ir::StmtKind::kWhile:
        out_.announce();
        out_.line(fmt::format("while ({}) {{", condition(ir::as<ir::While>(s)->condition).s));
        block(ir::as<ir::While>(s)->body);
        return out_.line("}");
    case ir::StmtKind::kBreak: return out_.line("break;");
    case ir::StmtKind::kContinue: return out_.line("continue;");
    case ir::StmtKind::kReturn: return out_.line("return;");
    case ir::StmtKind::kIf: return ifElse(*ir::as<ir::If>(s));
    case ir::StmtKind::kBind: return bind(*ir::as<ir::Bind>(s));
    case ir::StmtKind::kStore: {
        const auto& store = *ir::as<ir::Store>(s);
        out_.announce();
        return out_.line(elementStore(store.buffer, store.indices, value(store.value).s));
    }
    case ir::StmtKind::kAllocate: return declare(ir::as<ir::Allocate>(s)->buffer);
    case ir::StmtKind::kOp: {
        const auto& op = *ir::as<ir::OpStmt>(s);
        out_.announce();
        if (op.call.op == ir::OpId::kAssume)
            return assume(ir::exprOperand(op.call, "condition"));
        if (op.call.op == ir::OpId::kThreadAllreduce)
            return allReduce(op.call, s->where);
        if (op.call.op == ir::OpId::kPrint)
            return print(op.call);
        if (ir::info(op.call.op).cls == ir::OpClass::kAtomic)
            return out_.line(atomic(op.call, ir::kVoid, false, s->where).s + ";");
        const Text t = operation(op.call, ir::kVoid, s->where);
        if (!t.s.empty())
            out_.line(t.s + ";");
        return;
    }
    case ir::StmtKind::kLaunch: case ir::StmtKind::kAssert: return notSupported(s->where, "a launch or an assertion of the host inside a launch");
    }
}

void KernelPrinter::sequence(const ir::Seq& seq)
{
    for (std::size_t i = 0; i < seq.stmts.size(); ++i) {
        const ir::Stmt& child = seq.stmts[i];
        // A variable and its first value are one line.
        const auto* allocate = ir::as<ir::Allocate>(child);
        const auto* store = i + 1 < seq.stmts.size() ? ir::as<ir::Store>(seq.stmts[i + 1]) : nullptr;
        if (allocate && store && store->buffer == allocate->buffer && store->buffer->scope == ir::MemoryScope::kVar && !store->buffer->viewOf &&
            !loads(store->value, store->buffer)) {
            out_.at(store->where);
            out_.announce();
            declare(allocate->buffer, value(store->value).s);
            ++i;
            continue;
        }
        statement(child);
        if (endsBlock(child))
            return;  // what follows is never reached
    }
}

void KernelPrinter::block(const ir::Stmt& s)
{
    const auto mark = facts_.mark();
    const std::size_t named = names_.mark();
    const ir::Provenance where = out_.where();
    out_.indent();
    if (s)
        statement(s);
    out_.outdent();
    out_.at(where);
    names_.rewind(named);
    facts_.rewind(mark);
}

void KernelPrinter::forLoop(const ir::For& loop)
{
    out_.announce();
    if (loop.loop == ir::ForKind::kParallel || loop.loop == ir::ForKind::kPipelined || loop.loop == ir::ForKind::kPersistent)
        return notSupported(loop.where, "a loop that the passes for this target left unlowered");
    if (loop.loop == ir::ForKind::kVectorized && vectorized(loop))
        return;
    if (loop.loop == ir::ForKind::kUnrolled && widensRegisters(loop))
        return;
    const ir::Axis& axis = loop.axes.front();
    const auto mark = facts_.mark();
    const arith::Interval begin = facts_.bounds(axis.begin), end = facts_.bounds(axis.end);
    const std::int64_t* step = axis.step ? ir::asInt(axis.step) : nullptr;
    const bool up = !axis.step || (step && *step > 0);
    const bool down = step && *step < 0;
    const arith::Interval before = end.high ? arith::Interval{{}, *end.high - 1} : arith::Interval{};
    const bool narrow = axis.var->dtype.bits() == 32 && begin.low && begin.high && end.low && end.high && *begin.low >= INT32_MIN && *end.high <= INT32_MAX - 1024 &&
                        *begin.high <= INT32_MAX - 1024 && *end.low >= INT32_MIN + 1024 && (!axis.step || (step && std::abs(*step) <= 1024));
    const Text first = index(axis.begin), last = index(axis.end);
    const std::size_t named = names_.mark();
    std::string limit = last.level < 11 ? "(" + last.s + ")" : last.s;
    const bool hoists = ir::hasRuntimeValue(axis.end);  // a loop reads its bound once
    if (hoists) {
        limit = names_.make("end");
        out_.line("{");
        out_.indent();
        out_.line(fmt::format("const {} {} = {};", last.wide ? "long long" : "int", limit, last.s));
    }
    const std::string name = names_.make(axis.var->name);
    vars_[axis.var.get()] = {name, !narrow && axis.var->dtype.bits() == 32};
    if (up)
        facts_.bound(axis.var, {begin.low, before.high});
    if (up) {
        assume(ir::less(axis.var, axis.end));
        if (axis.begin->dtype == axis.var->dtype)
            assume(ir::binary(ir::BinaryOp::kLe, axis.begin, axis.var));
    }
    if (down)
        facts_.bound(axis.var, {end.low ? std::optional(*end.low + 1) : std::nullopt, begin.high});
    std::string advance = "++" + name;
    std::string test = fmt::format("{} < {}", name, limit);
    if (axis.step && !(step && *step == 1)) {
        const Text by = index(axis.step);
        advance = fmt::format("{} += {}", name, by.s);
        if (down)
            test = fmt::format("{} > {}", name, limit);
        else if (!up)
            test = fmt::format("{} > 0 ? {} < {} : {} > {}", parenthesized(by, 11), name, limit, name, limit);
    }
    if (loop.loop != ir::ForKind::kSerial) {
        const auto factor = loop.attrs.find("unroll_factor");
        const auto* n = factor == loop.attrs.end() ? nullptr : std::get_if<std::int64_t>(&factor->second);
        out_.directive(n ? fmt::format("#pragma unroll {}", *n) : "#pragma unroll");
    }
    out_.line(fmt::format("for ({} {} = {}; {}; {}) {{", narrow ? "int" : "long long", name, first.s, test, advance));
    block(loop.body);
    out_.line("}");
    if (hoists) {
        out_.outdent();
        out_.line("}");
    }
    names_.rewind(named);
    facts_.rewind(mark);
}

void KernelPrinter::ifElse(const ir::If& s)
{
    out_.announce();
    out_.line(fmt::format("if ({}) {{", condition(s.condition).s));
    const auto mark = facts_.mark();
    assume(s.condition);
    block(s.then);
    facts_.rewind(mark);
    if (s.otherwise) {
        out_.line("} else {");
        assume(s.condition, false);
        block(s.otherwise);
        facts_.rewind(mark);
    }
    out_.line("}");
    // A branch that ends the thread or the iteration leaves the opposite known.
    const auto* last = ir::as<ir::Seq>(s.then);
    if (!s.otherwise && endsBlock(last && !last->stmts.empty() ? last->stmts.back() : s.then))
        assume(s.condition, false);
}

void KernelPrinter::bind(const ir::Bind& s)
{
    out_.announce();
    if (uses_[s.var.get()] == 0) {
        if (ir::anyCall(s.value, [](const ir::OpCall& call) { return ir::info(call.op).effect != ir::Effect::kNone; }))  // must not be left out
            out_.line(fmt::format("(void){};", parenthesized(value(s.value), 15)));
        return;
    }
    const bool exact = isIndexTree(s.value);
    const Text t = exact ? index(s.value) : value(s.value);
    const bool wide = exact && t.wide && s.var->dtype.bits() == 32;
    const std::string name = names_.make(s.var->name);
    vars_[s.var.get()] = {name, wide};
    if (s.var->dtype.isInteger()) {
        facts_.bound(s.var, facts_.bounds(s.value));
        if (exact)
            facts_.assume(ir::binary(ir::BinaryOp::kEq, s.var, s.value));
    }
    const std::string type = wide ? "long long" : typeName(s.var->dtype);
    out_.line(fmt::format("{}{} {} = {};", s.var->dtype.isHandle() ? "" : "const ", type, name, t.s));
}

}  // namespace tw::gpu

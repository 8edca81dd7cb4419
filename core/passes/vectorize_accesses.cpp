// Wide accesses:
//   for r in T.unroll(8): s[tx*8 + r] = A[bx*1024 + tx*8 + r]   ->   for v in T.vectorized(8): s[tx*8 + v] = A[bx*1024 + tx*8 + v]
// The widest width is tried first; VectorRuns says whether each access is a run of that width.
#include "core/passes/vectorize_accesses.h"

#include <cmath>

#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"
#include "core/passes/facts_rewriter.h"
#include "core/passes/lower_steps.h"
#include "core/passes/vector_loop.h"

namespace tw::passes {

namespace {

using ir::Expr;
using ir::ForKind;
using ir::OpId;
using ir::Stmt;

constexpr std::int64_t kWidestElements = 32;  // 16 bytes of 4-bit elements

bool isInnermost(const Stmt& body)
{
    return !ir::anyStmt(body, [](const Stmt& s) { return ir::as<ir::For>(s) || ir::as<ir::While>(s); });
}

class Vectorizer final : public FactsRewriter {
public:
    Vectorizer(const ir::Function& function, const target::Target& target) : FactsRewriter(function), symbols_(function.symbols), hasCpAsync_(target.hasCpAsync()), hasDependentLaunch_(target.compute >= 90) {}
    using FactsRewriter::rewrite;

    Stmt rewrite(const Stmt& s) override
    {
        if (const auto* loop = ir::as<ir::For>(s))
            return this->loop(*loop, s);
        const auto* op = ir::as<ir::OpStmt>(s);
        if (op && !hasDependentLaunch_ && (op->call.op == OpId::kPdlTrigger || op->call.op == OpId::kPdlSync))
            return {};
        if (op && !hasCpAsync_) {
            if (op->call.op == OpId::kCommitGroup || op->call.op == OpId::kWaitGroup)
                return {};
            if (op->call.op == OpId::kCpAsync)
                return synchronous(op->call, s->where);
        }
        return FactsRewriter::rewrite(s);
    }

private:
    // What the widths of one loop have in common.
    struct Candidate {
        const ir::For& loop;
        std::int64_t begin = 0, extent = 0;
        bool async = false;
    };

    Stmt loop(const ir::For& loop, const Stmt& s)
    {
        const bool outside = async_;
        async_ = async_ || ir::boolAttr(loop.attrs, "async", false);
        Stmt next = vectorized(loop);
        if (!next)
            next = plain(FactsRewriter::rewrite(s));
        async_ = outside;
        return next;
    }

    // A loop that stays: no promise, no attribute.
    static Stmt plain(const Stmt& s)
    {
        const auto& loop = static_cast<const ir::For&>(*s);
        if (loop.loop != ForKind::kVectorized && !loop.attrs.contains("async"))
            return s;
        auto next = std::make_shared<ir::For>(loop);
        if (loop.loop == ForKind::kVectorized)
            next->loop = ForKind::kUnrolled;
        next->attrs.erase("async");
        return next;
    }

    Stmt vectorized(const ir::For& loop)
    {
        const ir::Axis& axis = loop.axes.front();
        const auto* begin = ir::asInt(axis.begin);
        const auto* end = ir::asInt(axis.end);
        const bool kind = loop.loop == ForKind::kUnrolled || loop.loop == ForKind::kSerial || loop.loop == ForKind::kVectorized;
        if (!kind || !begin || !end || *end <= *begin || (axis.step && !ir::isOne(axis.step)) || !isInnermost(loop.body))
            return {};
        const Candidate candidate{loop, *begin, *end - *begin, async_ && hasCpAsync_};
        for (const bool split : {false, true}) {
            if (split && candidate.async)
                if (Stmt next = withWidth(candidate, {1, false, false}))
                    return next;
            for (std::int64_t width = kWidestElements; width >= 2; width /= 2) {
                if (candidate.extent % width != 0)
                    continue;
                if (Stmt next = withWidth(candidate, {width, false, split}))
                    return next;
                if (!symbols_.empty())
                    if (Stmt next = withWidth(candidate, {width, true, split}))
                        return next;
            }
        }
        return {};
    }

    struct Attempt {
        std::int64_t width = 1;
        bool ifDivisible = false;  // extents that are known at run time only are tested for being multiples of the width
        bool split = false;
    };
    // Empty if the loop has no such form.
    Stmt withWidth(const Candidate& candidate, const Attempt& attempt)
    {
        const auto [width, ifDivisible, split] = attempt;
        const ir::For& loop = candidate.loop;
        const ir::Var& variable = loop.axes.front().var;
        const std::int64_t trips = candidate.extent / width;
        const ir::Var v = std::make_shared<const ir::VarNode>(variable->dtype, trips == 1 ? variable->name : std::string("v"));
        const ir::Var outer = std::make_shared<const ir::VarNode>(variable->dtype, variable->name);
        const auto mark = facts_.mark();
        facts_.bound(v, {0, width - 1});
        facts_.bound(outer, {0, trips - 1});
        Expr condition = ifDivisible ? assumeDivisible(loop.body, width) : Expr{};
        Expr first = trips > 1 ? ir::mul(outer, ir::intImm(width, variable->dtype)) : ir::intImm(0, variable->dtype);
        first = ir::add(first, ir::intImm(candidate.begin, variable->dtype));
        const Expr at = width > 1 ? ir::add(first, Expr(v)) : first;
        const Stmt body = ir::substitute(loop.body, {{variable.get(), at}});
        Stmt result;
        const auto lines = ifDivisible && !condition ? std::nullopt : linesOf(body, width > 1 ? Expr(v) : Expr(ir::intImm(0)), width);
        if (lines) {
            const auto form = vectorForm(lines->lines, facts_, v, width, [this](const Expr& e) { return expanded(e); }, split);
            const bool useful = form && (width > 1 || std::any_of(form->lines.begin(), form->lines.end(), [&](const auto& l) { return isAsync(l, 1); }));
            if (useful)
                result = emit(candidate, *lines, *form, condition, v, width);
        }
        facts_.rewind(mark);
        if (!result)
            return result;
        ir::Attrs attrs = loop.attrs;
        attrs.erase("async");
        // What is said of the iterations ("nest": they need no barrier) holds for what they have become.
        if (trips == 1 && (attrs.empty() || result->kind == ir::StmtKind::kFor))
            return withAttrs(result, attrs);
        const ForKind kind = loop.loop == ForKind::kSerial ? ForKind::kSerial : ForKind::kUnrolled;
        return withAttrs(loopOver(kind, outer, ir::intImm(0, variable->dtype), ir::intImm(trips, variable->dtype), result, loop.where), attrs);
    }

    static Stmt withAttrs(const Stmt& s, const ir::Attrs& attrs)
    {
        if (attrs.empty())
            return s;
        auto next = std::make_shared<ir::For>(static_cast<const ir::For&>(*s));
        next->attrs = attrs;
        return next;
    }

    // Assumes that the extents and strides of the tensors in `body` are multiples of the width; what that means at run time.
    Expr assumeDivisible(const Stmt& body, std::int64_t width)
    {
        struct Search final : ir::Visitor {
            std::vector<ir::Buffer> buffers;
            using ir::Visitor::visit;
            void visitBuffer(const ir::Buffer& b) override { buffers.push_back(b); }
        } search;
        static_cast<ir::Visitor&>(search).visit(body);
        Expr condition;
        for (const ir::Var& symbol : symbols_) {
            const bool used = std::any_of(search.buffers.begin(), search.buffers.end(), [&](const ir::Buffer& b) {
                const auto mentions = [&](const Expr& e) { return ir::mentions(e, symbol.get()); };
                return b->strides.empty() ? std::any_of(b->shape.begin() + 1, b->shape.end(), mentions) : std::any_of(b->strides.begin(), b->strides.end(), mentions);
            });
            if (!used || facts_.divisor(symbol) % width == 0)
                continue;
            facts_.divisible(symbol, width);
            const Expr rest = ir::floorMod(Expr(symbol), ir::intImm(width, symbol->dtype));
            condition = ir::logicalAnd(condition, ir::binary(ir::BinaryOp::kEq, rest, ir::constant(rest->dtype, std::int64_t{0})));
        }
        return condition;
    }

    // ---- the result ----

    Stmt emit(const Candidate& candidate, const LoopLines& lines, const VectorForm& form, Expr condition, const ir::Var& v, std::int64_t width) const
    {
        const ir::Provenance& where = candidate.loop.where;
        std::vector<Stmt> stmts;
        for (const ir::Buffer& temporary : lines.temporaries)
            stmts.push_back(std::make_shared<ir::Allocate>(temporary, where));
        for (const ir::Buffer& temporary : form.temporaries)
            stmts.push_back(std::make_shared<ir::Allocate>(temporary, where));
        condition = ir::logicalAnd(condition, form.condition);
        Stmt wide = wideLoops(candidate, form.lines, v, width);
        if (condition)
            wide = std::make_shared<ir::If>(condition, wide, elementLoop(candidate, lines.lines, v, width), where);
        stmts.push_back(wide);
        return ir::sequence(std::move(stmts));
    }

    // Neighbours with equal guards share a loop.
    Stmt wideLoops(const Candidate& candidate, const std::vector<GuardedStore>& lines, const ir::Var& v, std::int64_t width) const
    {
        std::vector<Stmt> stmts;
        for (std::size_t i = 0; i < lines.size();) {
            if (candidate.async && isAsync(lines[i], width)) {
                stmts.push_back(guarded(lines[i], asyncCopy(lines[i], v, width)));
                ++i;
                continue;
            }
            std::vector<Stmt> stores;
            std::size_t next = i;
            while (next < lines.size() && lines[next].byElements == lines[i].byElements && sameExpressions(lines[next].guards, lines[i].guards) && !(candidate.async && isAsync(lines[next], width))) {
                stores.push_back(store(lines[next]));
                ++next;
            }
            const ir::Var own = std::make_shared<const ir::VarNode>(v->dtype, v->name);
            Stmt body = ir::substitute(ir::sequence(std::move(stores)), {{v.get(), own}});
            if (width > 1)
                body = loopOver(lines[i].byElements ? ForKind::kUnrolled : ForKind::kVectorized, own, ir::intImm(0, v->dtype), ir::intImm(width, v->dtype), body, candidate.loop.where);
            stmts.push_back(guarded(lines[i], body));
            i = next;
        }
        return ir::sequence(std::move(stmts));
    }

    // The same elements one by one.
    Stmt elementLoop(const Candidate& candidate, const std::vector<GuardedStore>& lines, const ir::Var& v, std::int64_t width) const
    {
        std::vector<Stmt> stmts;
        for (const GuardedStore& line : lines)
            stmts.push_back(guarded(line, candidate.async && isAsync(line, 1) ? asyncCopy(line, {}, 1) : store(line)));
        const ir::Var own = std::make_shared<const ir::VarNode>(v->dtype, "e");
        const Stmt body = ir::substitute(ir::sequence(std::move(stmts)), {{v.get(), width > 1 ? Expr(own) : Expr(ir::intImm(0, v->dtype))}});
        return width > 1 ? loopOver(ForKind::kUnrolled, own, ir::intImm(0, v->dtype), ir::intImm(width, v->dtype), body, candidate.loop.where) : body;
    }

    static Stmt store(const GuardedStore& line) { return storeAt(line.buffer, line.indices, line.value, line.where); }

    static Stmt guarded(const GuardedStore& line, Stmt body)
    {
        Expr all;
        for (const Expr& g : line.guards)
            all = ir::logicalAnd(all, g);
        return all ? std::make_shared<ir::If>(all, std::move(body), Stmt{}, line.where) : body;
    }

    // ---- cp.async ----

    struct Source {
        const ir::Load* load = nullptr;
        Expr predicate;
    };
    // shared = global, or 0 where a condition does not hold.
    static Source asyncSource(const GuardedStore& line)
    {
        Source source;
        const auto* s = ir::as<ir::Select>(line.value);
        source.load = ir::as<ir::Load>(s ? s->then : line.value);
        const auto* zero = s ? ir::as<ir::FloatImm>(s->otherwise) : nullptr;
        const bool fillsZero = !s || (s->lazy && (ir::isZero(s->otherwise) || (zero && zero->value == 0 && !std::signbit(zero->value))));
        if (s)
            source.predicate = s->condition;
        const bool fits = source.load && fillsZero && source.load->buffer->scope == ir::MemoryScope::kGlobal && line.buffer->scope == ir::MemoryScope::kShared &&
                          source.load->buffer->dtype == line.buffer->dtype;
        return fits ? source : Source{};
    }

    static bool isAsync(const GuardedStore& line, std::int64_t width)
    {
        const ir::DType& type = line.buffer->dtype;
        const std::int64_t bits = width * type.bits() * type.lanes;
        return (bits == 32 || bits == 64 || bits == 128) && asyncSource(line).load;
    }

    static Stmt asyncCopy(const GuardedStore& line, const ir::Var& v, std::int64_t width)
    {
        const Source source = asyncSource(line);
        const auto region = [&](const ir::Buffer& buffer, const std::vector<Expr>& indices) {
            ir::Region r{buffer, {}, std::vector<Expr>(indices.size(), ir::intImm(1))};
            for (const Expr& i : indices)
                r.mins.push_back(v ? ir::substitute(i, {{v.get(), ir::intImm(0, v->dtype)}}) : i);
            r.extents.back() = ir::intImm(width);
            return r;
        };
        ir::OpCall call{OpId::kCpAsync, {region(line.buffer, line.indices), region(source.load->buffer, source.load->indices)}, {}};
        if (source.predicate)
            call.operands.emplace_back(source.predicate);
        if (width != 1)
            call.attrs["count"] = width;
        return std::make_shared<ir::OpStmt>(std::move(call), line.where);
    }

    // The author's cp.async where the target has none.
    Stmt synchronous(const ir::OpCall& call, const ir::Provenance& where)
    {
        const auto& dst = std::get<ir::Region>(call.operands[0]);
        const auto& src = std::get<ir::Region>(call.operands[1]);
        const Expr predicate = ir::exprOperand(call, "predicate");
        const ir::Var r = newVar("r");
        const auto moved = [&](std::vector<Expr> mins) {
            mins.back() = ir::add(mins.back(), Expr(r));
            return mins;
        };
        Expr value = loadAt(src.buffer, moved(src.mins));
        if (predicate)
            value = ir::select(predicate, value, number(src.buffer->dtype, 0), true);
        const Stmt body = storeAt(dst.buffer, moved(dst.mins), value, where);
        return rewrite(loopOver(ForKind::kUnrolled, r, ir::intImm(0), ir::intImm(ir::intAttr(call.attrs, "count", 1)), body, where));
    }

    const std::vector<ir::Var>& symbols_;
    bool hasCpAsync_;
    bool hasDependentLaunch_;  // griddepcontrol, PTX ISA: sm_90
    bool async_ = false;
};

}  // namespace

ir::Function vectorizeAccesses(const ir::Function& in, PassContext& context)
{
    ir::Function out = in;
    Vectorizer vectorizer(in, context.target);
    out.body = vectorizer.rewrite(in.body);
    return out;
}

}  // namespace tw::passes

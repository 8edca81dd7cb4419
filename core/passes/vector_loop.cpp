#include "core/passes/vector_loop.h"

#include <algorithm>

#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"
#include "core/passes/lower_steps.h"
#include "core/passes/plan_threads.h"

namespace tw::passes {

using ir::Expr;

namespace {

constexpr std::int64_t kWidestAccess = 16;  // bytes of one access

// Bytes that the beginning of a buffer is certainly aligned to.
std::int64_t alignment(const ir::BufferNode& buffer)
{
    const std::int64_t element = std::max<std::int64_t>(1, buffer.dtype.bits() * buffer.dtype.lanes / 8);
    if (buffer.address)
        return element;  // an address computed at run time
    if (!buffer.viewOf)
        return kWidestAccess;
    const std::int64_t offset = buffer.viewOffset & -buffer.viewOffset;
    const std::int64_t base = alignment(*buffer.viewOf);
    return offset == 0 ? base : std::min(base, offset);
}

class LineCollector {
public:
    LineCollector(const Expr& index, std::int64_t extent) : index_(index), extent_(extent) {}
    LoopLines result;

    bool add(const ir::Stmt& s, const std::vector<Expr>& guards)
    {
        switch (s->kind) {
        case ir::StmtKind::kSeq:
            for (const ir::Stmt& child : static_cast<const ir::Seq&>(*s).stmts)
                if (!add(child, guards))
                    return false;
            return true;
        case ir::StmtKind::kIf: return addBranch(static_cast<const ir::If&>(*s), guards);
        case ir::StmtKind::kBind: return addBind(static_cast<const ir::Bind&>(*s), guards);
        case ir::StmtKind::kStore: {
            const auto& store = static_cast<const ir::Store&>(*s);
            std::vector<Expr> indices;
            for (const Expr& i : store.indices)
                indices.push_back(ir::substitute(i, values_));
            result.lines.push_back({guards, store.buffer, std::move(indices), ir::substitute(store.value, values_), s->where});
            return true;
        }
        default: return false;
        }
    }

private:
    bool addBranch(const ir::If& branch, std::vector<Expr> guards)
    {
        const Expr condition = ir::substitute(branch.condition, values_);
        guards.push_back(condition);
        if (!add(branch.then, guards))
            return false;
        guards.back() = ir::unary(ir::UnaryOp::kNot, condition);
        return !branch.otherwise || add(branch.otherwise, guards);
    }

    bool addBind(const ir::Bind& bind, const std::vector<Expr>& guards)
    {
        const Expr value = ir::substitute(bind.value, values_);
        if (bind.value->dtype.isHandle() || bind.value->dtype.lanes != 1)
            return false;
        if (!ir::hasRuntimeValue(value)) {
            values_[bind.var.get()] = value;
            return true;
        }
        const ir::Buffer temporary = newLocal(bind.var->name, value->dtype, extent_);
        result.temporaries.push_back(temporary);
        result.lines.push_back({guards, temporary, {index_}, value, bind.where});
        values_[bind.var.get()] = loadAt(temporary, {index_});
        return true;
    }

    Expr index_;
    std::int64_t extent_;
    std::map<const ir::ExprNode*, Expr> values_;
};

// Rewrites the lines of a loop for one width.
class Former final : public ir::Rewriter {
public:
    Former(const arith::Facts& facts, const ir::Var& v, std::int64_t width, const Expander& expand)
        : runs_(facts, v, width), v_(v), width_(width), expand_(expand) {}
    using ir::Rewriter::rewrite;

    bool fits = true;
    bool touchesMemory = false;  // in a wide access
    Expr condition;

    Expr rewrite(const Expr& e) override
    {
        if (!fits || !e)
            return e;
        if (const auto* load = ir::as<ir::Load>(e); load && !isPrivate(load->buffer))
            return memoryLoad(e, *load);
        if (const auto* s = ir::as<ir::Select>(e); s && s->lazy && ir::mentions(s->condition, v_.get()) && (readsMemory(s->then) || readsMemory(s->otherwise)))
            return ir::select(guard(s->condition), rewrite(s->then), rewrite(s->otherwise), true, e->where);
        if (const auto* call = ir::as<ir::Call>(e); call && ir::info(call->call.op).effect != ir::Effect::kNone) {
            fits = false;
            return e;
        }
        return rewriteChildren(e);
    }

    // A condition that does not move; what has to hold for that goes to `condition`.
    Expr guard(const Expr& e)
    {
        if (readsMoving(e)) {
            fits = false;
            return e;
        }
        if (runs_.of(expand_(e)) == Along::kSame)
            return runs_.at(e, 0);
        const Expr all = runs_.forAll(expand_(e));
        if (!all) {
            fits = false;
            return e;
        }
        condition = ir::logicalAnd(condition, all);
        return ir::boolImm(true);
    }

    void store(GuardedStore& line)
    {
        std::vector<Expr> guards;
        for (const Expr& g : line.guards)
            if (const Expr next = guard(g); !(ir::asInt(next) && *ir::asInt(next)))
                guards.push_back(next);
        line.guards = std::move(guards);
        if (line.byElements) {
            visitCalls(line);
            return;
        }
        for (const Expr& i : line.indices)
            fits = fits && !readsMoving(i);
        if (isPrivate(line.buffer))
            fits = fits && moves(line.indices);
        else
            fits = fits && wide(line.buffer, line.indices) == Along::kRun;
        touchesMemory = touchesMemory || !isPrivate(line.buffer);
        if (fits)
            line.value = rewrite(line.value);
    }

private:
    Expr memoryLoad(const Expr& e, const ir::Load& load)
    {
        switch (wide(load.buffer, load.indices)) {
        case Along::kRun:
            for (const Expr& i : load.indices)
                fits = fits && !readsMoving(i);
            touchesMemory = true;
            return e;
        case Along::kSame: return runs_.at(e, 0);
        case Along::kOther: break;
        }
        fits = false;
        return e;
    }

    // Element by element everything goes but effects.
    void visitCalls(const GuardedStore& line)
    {
        const auto hasEffect = [](const Expr& e) {
            return ir::anyCall(e, [](const ir::OpCall& call) { return ir::info(call.op).effect != ir::Effect::kNone; });
        };
        fits = fits && !hasEffect(line.value) && std::ranges::none_of(line.indices, hasEffect);
    }

    Along wide(const ir::Buffer& buffer, const std::vector<Expr>& indices) const
    {
        if (width_ == 1)
            return Along::kRun;
        const bool moving = std::any_of(indices.begin(), indices.end(), [&](const Expr& i) { return ir::mentions(i, v_.get()); });
        if (!moving)
            return Along::kSame;
        const std::int64_t bits = width_ * buffer->dtype.bits() * buffer->dtype.lanes;
        if (bits % 8 != 0 || bits / 8 > kWidestAccess || ((bits / 8) & (bits / 8 - 1)) != 0 || alignment(*buffer) % (bits / 8) != 0)
            return Along::kOther;
        return runs_.of(expand_(linearOffset(buffer, indices)));
    }

    // Different iterations have different elements.
    bool moves(const std::vector<Expr>& indices) const
    {
        if (width_ == 1)
            return true;
        if (indices.size() != 1) {
            // Row-major: one axis moves and the others stay.
            int moving = 0;
            for (const Expr& i : indices) {
                const auto s = runs_.slope(expand_(i));
                if (!s)
                    return false;
                moving += *s != 0;
            }
            return moving == 1;
        }
        if (runs_.of(expand_(indices[0])) == Along::kRun)
            return true;
        const auto s = runs_.slope(expand_(indices[0]));
        return s && *s != 0;
    }

    static bool readsMemory(const Expr& e)
    {
        return ir::anyExpr(e, [](const Expr& x) {
            const auto* load = ir::as<ir::Load>(x);
            return load && !isPrivate(load->buffer);
        });
    }
    // Memory at a place that moves, in an expression where that is not looked at further.
    bool readsMoving(const Expr& e) const { return ir::mentions(e, v_.get()) && readsMemory(e); }

    VectorRuns runs_;
    ir::Var v_;
    std::int64_t width_;
    const Expander& expand_;
};

// Every access of what a line stores must be of the very element that it stores.
bool isIndependent(const std::vector<GuardedStore>& lines)
{
    struct Access {
        ir::Buffer buffer;
        const std::vector<Expr>* indices;  // null: not in a value
    };
    struct Loads final : ir::Visitor {
        std::vector<Access> found;
        bool inValue = true;
        using ir::Visitor::visit;
        void visit(const Expr& e) override
        {
            if (const auto* load = ir::as<ir::Load>(e))
                found.push_back({load->buffer, inValue ? &load->indices : nullptr});
            ir::Visitor::visit(e);
        }
    } loads;
    ir::Visitor& visitor = loads;
    std::vector<Access> all;
    for (const GuardedStore& line : lines) {
        loads.inValue = false;
        for (const Expr& e : line.guards)
            visitor.visit(e);
        for (const Expr& e : line.indices)
            visitor.visit(e);
        loads.inValue = true;
        visitor.visit(line.value);
        all.push_back({line.buffer, &line.indices});
    }
    all.insert(all.end(), loads.found.begin(), loads.found.end());
    for (const GuardedStore& line : lines)
        for (const Access& access : all) {
            if (analysis::storageOf(access.buffer.get()) != analysis::storageOf(line.buffer.get()))
                continue;
            if (access.buffer != line.buffer || !access.indices || !sameExpressions(*access.indices, line.indices))
                return false;
        }
    return true;
}

}  // namespace

bool sameExpressions(const std::vector<Expr>& a, const std::vector<Expr>& b)
{
    return std::ranges::equal(a, b, [](const Expr& x, const Expr& y) { return ir::equal(x, y); });
}

Expr linearOffset(const ir::Buffer& buffer, const std::vector<Expr>& indices)
{
    Expr offset = ir::intImm(0);
    Expr stride = ir::intImm(1);
    for (std::size_t axis = indices.size(); axis-- > 0;) {
        offset = ir::add(ir::mul(indices[axis], buffer->strides.empty() ? stride : buffer->strides[axis]), offset);
        if (axis > 0)
            stride = ir::mul(stride, buffer->shape[axis]);
    }
    return offset;
}

std::optional<LoopLines> linesOf(const ir::Stmt& body, const Expr& index, std::int64_t extent)
{
    LineCollector collector(index, extent);
    if (!collector.add(body, {}))
        return {};
    return std::move(collector.result);
}

std::optional<VectorForm> vectorForm(const std::vector<GuardedStore>& lines, const arith::Facts& facts, const ir::Var& v, std::int64_t width,
                                     const Expander& expand, bool split)
{
    if (!isIndependent(lines))
        return {};
    VectorForm form;
    bool touchesMemory = false;
    const auto add = [&](std::vector<GuardedStore> parts) {
        Expr condition = form.condition;
        bool touches = false;
        for (GuardedStore& part : parts) {
            Former former(facts, v, width, expand);
            former.store(part);
            if (!former.fits)
                return false;
            touches = touches || former.touchesMemory;
            condition = ir::logicalAnd(condition, former.condition);
        }
        form.lines.insert(form.lines.end(), parts.begin(), parts.end());
        form.condition = condition;
        touchesMemory = touchesMemory || touches;
        return true;
    };
    for (const GuardedStore& line : lines) {
        if (add({line}))
            continue;
        if (!split || width == 1 || isPrivate(line.buffer) || line.value->dtype.lanes != 1)
            return {};
        const ir::Buffer temporary = newLocal(line.buffer->name + "_v", line.value->dtype, width);
        GuardedStore collect{line.guards, temporary, {v}, line.value, line.where, true};
        GuardedStore spread{line.guards, line.buffer, line.indices, loadAt(temporary, {v}), line.where, false};
        if (!add({collect, spread})) {
            std::swap(collect.byElements, spread.byElements);
            if (!add({collect, spread}))
                return {};
        }
        form.temporaries.push_back(temporary);
    }
    return touchesMemory ? std::optional(std::move(form)) : std::nullopt;
}

}  // namespace tw::passes

#include <unordered_map>

#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::ir {

namespace {

Ref<const VarNode> sharedVar(const Expr& e)
{
    return std::static_pointer_cast<const VarNode>(e);
}

// Rewrites each element; returns whether any changed.
bool rewriteAll(Rewriter& rewriter, std::vector<Expr>& exprs)
{
    bool changed = false;
    for (Expr& e : exprs) {
        Expr next = rewriter.rewrite(e);
        changed |= next != e;
        e = std::move(next);
    }
    return changed;
}

bool sameOperand(const Operand& a, const Operand& b)
{
    if (a.index() != b.index())
        return false;
    if (const auto* e = std::get_if<Expr>(&a))
        return *e == std::get<Expr>(b);
    if (const auto* r = std::get_if<Region>(&a)) {
        const auto& other = std::get<Region>(b);
        return r->buffer == other.buffer && r->mins == other.mins && r->extents == other.extents;
    }
    return std::get<Ref<const LayoutMap>>(a) == std::get<Ref<const LayoutMap>>(b);
}

bool sameCall(const OpCall& a, const OpCall& b)
{
    if (a.op != b.op || a.operands.size() != b.operands.size() || a.attrs != b.attrs)
        return false;
    for (std::size_t i = 0; i < a.operands.size(); ++i)
        if (!sameOperand(a.operands[i], b.operands[i]))
            return false;
    return true;
}

Expr rewriteSelect(Rewriter& rewriter, const Expr& e, const Select& s)
{
    Expr condition = rewriter.rewrite(s.condition);
    Expr then = rewriter.rewrite(s.then);
    Expr otherwise = rewriter.rewrite(s.otherwise);
    if (condition == s.condition && then == s.then && otherwise == s.otherwise)
        return e;
    return select(std::move(condition), std::move(then), std::move(otherwise), s.lazy, s.where);
}

}  // namespace

Expr Rewriter::rewrite(const Expr& e)
{
    return rewriteChildren(e);
}

Stmt Rewriter::rewrite(const Stmt& s)
{
    return rewriteChildren(s);
}

Region Rewriter::rewrite(const Region& r)
{
    Region result = r;
    result.buffer = rewriteBuffer(r.buffer);
    rewriteAll(*this, result.mins);
    rewriteAll(*this, result.extents);
    return result;
}

OpCall Rewriter::rewrite(const OpCall& call)
{
    OpCall result = call;
    for (Operand& operand : result.operands) {
        match(operand, [&](Expr& e) { e = rewrite(e); }, [&](Region& r) { r = rewrite(r); },
              [](const Ref<const LayoutMap>&) {});
    }
    return result;
}

Expr Rewriter::rewriteChildren(const Expr& e)
{
    if (!e)
        return e;
    switch (e->kind) {
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kStringImm:
    case ExprKind::kVar: return e;
    case ExprKind::kLoad: {
        const auto* load = as<Load>(e);
        Buffer buffer = rewriteBuffer(load->buffer);
        std::vector<Expr> indices = load->indices;
        if (!rewriteAll(*this, indices) && buffer == load->buffer)
            return e;
        const DType type = load->dtype;
        return std::make_shared<Load>(type, std::move(buffer), std::move(indices), load->where);
    }
    case ExprKind::kUnary: {
        const auto* u = as<Unary>(e);
        Expr a = rewrite(u->a);
        return a == u->a ? e : unary(u->op, std::move(a), u->where);
    }
    case ExprKind::kBinary: {
        const auto* b = as<Binary>(e);
        Expr left = rewrite(b->a), right = rewrite(b->b);
        return left == b->a && right == b->b ? e : binary(b->op, std::move(left), std::move(right), b->where);
    }
    case ExprKind::kSelect: return rewriteSelect(*this, e, *as<Select>(e));
    case ExprKind::kCast: {
        const auto* c = as<Cast>(e);
        Expr value = rewrite(c->value);
        return value == c->value ? e : cast(c->dtype, std::move(value), c->where);
    }
    case ExprKind::kCall: {
        const auto* c = as<Call>(e);
        OpCall next = rewrite(c->call);
        return sameCall(next, c->call) ? e : call(c->dtype, std::move(next), c->where);
    }
    case ExprKind::kRamp: {
        const auto* r = as<Ramp>(e);
        Expr base = rewrite(r->base), stride = rewrite(r->stride);
        if (base == r->base && stride == r->stride)
            return e;
        return std::make_shared<Ramp>(std::move(base), std::move(stride), r->dtype.lanes, r->where);
    }
    case ExprKind::kBroadcast: {
        const auto* b = as<Broadcast>(e);
        Expr value = rewrite(b->value);
        return value == b->value ? e : std::make_shared<Broadcast>(std::move(value), b->dtype.lanes, b->where);
    }
    case ExprKind::kLane: {
        const auto* l = as<Lane>(e);
        Expr vector = rewrite(l->vector);
        return vector == l->vector ? e : std::make_shared<Lane>(std::move(vector), l->index, l->where);
    }
    }
    return e;
}

namespace {

// The rewriter's public face for the statements that need more than a line.
struct StmtRewrite {
    Rewriter& rewriter;

    Stmt seq(const Stmt& s, const Seq& seq)
    {
        std::vector<Stmt> stmts;
        stmts.reserve(seq.stmts.size());
        bool changed = false;
        for (const Stmt& child : seq.stmts) {
            Stmt next = rewriter.rewrite(child);
            changed |= next != child;
            stmts.push_back(std::move(next));
        }
        return changed ? sequence(std::move(stmts)) : s;
    }

    Stmt loop(const Stmt& s, const For& loop)
    {
        auto next = std::make_shared<For>(loop);
        bool changed = false;
        for (std::size_t i = 0; i < loop.axes.size(); ++i) {
            const Axis& old = loop.axes[i];
            Axis& axis = next->axes[i];
            axis = {rewriter.rewriteVar(old.var), rewriter.rewrite(old.begin), rewriter.rewrite(old.end),
                    rewriter.rewrite(old.step)};
            changed |= axis.var != old.var || axis.begin != old.begin || axis.end != old.end || axis.step != old.step;
        }
        if (const auto& old = loop.persistent) {
            next->persistent = Persistent{rewriter.rewrite(old->waveSize), rewriter.rewrite(old->index),
                                          rewriter.rewrite(old->groupSize)};
            changed |= next->persistent->waveSize != old->waveSize || next->persistent->index != old->index ||
                       next->persistent->groupSize != old->groupSize;
        }
        next->body = rewriter.rewrite(loop.body);
        if (!next->body)
            next->body = sequence({});
        return changed || next->body != loop.body ? Stmt(std::move(next)) : s;
    }

    Stmt branch(const Stmt& s, const If& branch)
    {
        Expr condition = rewriter.rewrite(branch.condition);
        Stmt then = rewriter.rewrite(branch.then);
        Stmt otherwise = branch.otherwise ? rewriter.rewrite(branch.otherwise) : Stmt{};
        if (condition == branch.condition && then == branch.then && otherwise == branch.otherwise)
            return s;
        if (!then)
            then = sequence({});
        return std::make_shared<If>(std::move(condition), std::move(then), std::move(otherwise), branch.where);
    }

    Stmt launch(const Stmt& s, const Launch& launch)
    {
        auto next = std::make_shared<Launch>(launch);
        bool changed = rewriteAll(rewriter, next->grid);
        for (Var& var : next->blockVars) {
            Var renamed = rewriter.rewriteVar(var);
            changed |= renamed != var;
            var = std::move(renamed);
        }
        for (Var& var : next->threadVars) {
            Var renamed = rewriter.rewriteVar(var);
            changed |= renamed != var;
            var = std::move(renamed);
        }
        next->body = rewriter.rewrite(launch.body);
        if (!next->body)
            next->body = sequence({});
        return changed || next->body != launch.body ? Stmt(std::move(next)) : s;
    }
};

}  // namespace

Stmt Rewriter::rewriteChildren(const Stmt& s)
{
    if (!s)
        return s;
    switch (s->kind) {
    case StmtKind::kSeq: return StmtRewrite{*this}.seq(s, *as<Seq>(s));
    case StmtKind::kFor: return StmtRewrite{*this}.loop(s, *as<For>(s));
    case StmtKind::kWhile: {
        const auto* loop = as<While>(s);
        Expr condition = rewrite(loop->condition);
        Stmt body = rewrite(loop->body);
        if (condition == loop->condition && body == loop->body)
            return s;
        return std::make_shared<While>(std::move(condition), body ? body : sequence({}), loop->where);
    }
    case StmtKind::kBreak:
    case StmtKind::kContinue:
    case StmtKind::kReturn: return s;
    case StmtKind::kIf: return StmtRewrite{*this}.branch(s, *as<If>(s));
    case StmtKind::kBind: {
        const auto* bind = as<Bind>(s);
        Var var = rewriteVar(bind->var);
        Expr value = rewrite(bind->value);
        if (var == bind->var && value == bind->value)
            return s;
        return std::make_shared<Bind>(std::move(var), std::move(value), bind->where);
    }
    case StmtKind::kStore: {
        const auto* store = as<Store>(s);
        Buffer buffer = rewriteBuffer(store->buffer);
        std::vector<Expr> indices = store->indices;
        const bool moved = rewriteAll(*this, indices);
        Expr value = rewrite(store->value);
        if (!moved && buffer == store->buffer && value == store->value)
            return s;
        return std::make_shared<Store>(std::move(buffer), std::move(indices), std::move(value), store->where);
    }
    case StmtKind::kAllocate: {
        const auto* allocate = as<Allocate>(s);
        Buffer buffer = rewriteBuffer(allocate->buffer);
        return buffer == allocate->buffer ? s : std::make_shared<Allocate>(std::move(buffer), allocate->where);
    }
    case StmtKind::kOp: {
        const auto* op = as<OpStmt>(s);
        OpCall next = rewrite(op->call);
        return sameCall(next, op->call) ? s : std::make_shared<OpStmt>(std::move(next), op->where);
    }
    case StmtKind::kLaunch: return StmtRewrite{*this}.launch(s, *as<Launch>(s));
    case StmtKind::kAssert: {
        const auto* assertion = as<Assert>(s);
        Expr condition = rewrite(assertion->condition);
        if (condition == assertion->condition)
            return s;
        return std::make_shared<Assert>(std::move(condition), assertion->message, assertion->where);
    }
    }
    return s;
}

Stmt sequence(std::vector<Stmt> stmts)
{
    std::vector<Stmt> flat;
    flat.reserve(stmts.size());
    for (Stmt& s : stmts) {
        if (const auto* inner = as<Seq>(s))
            flat.insert(flat.end(), inner->stmts.begin(), inner->stmts.end());
        else if (s)
            flat.push_back(std::move(s));
    }
    if (flat.size() == 1)
        return flat.front();
    const Provenance where = flat.empty() ? Provenance{} : flat.front()->where;
    return std::make_shared<Seq>(std::move(flat), where);
}

namespace {

// A buffer whose shape, strides or address mention a replaced variable is replaced by one new buffer at all its uses.
class Substitution final : public Rewriter {
public:
    explicit Substitution(const std::map<const ExprNode*, Expr>& values) : values_(values) {}

    using Rewriter::rewrite;
    Expr rewrite(const Expr& e) override
    {
        if (e && e->kind == ExprKind::kVar) {
            const auto found = values_.find(e.get());
            return found == values_.end() ? e : found->second;
        }
        return rewriteChildren(e);
    }

    Buffer rewriteBuffer(const Buffer& b) override
    {
        if (!b)
            return b;
        const auto known = buffers_.find(b.get());
        if (known != buffers_.end())
            return known->second;
        BufferNode next = *b;
        bool changed = rewriteAll(*this, next.shape);
        changed |= rewriteAll(*this, next.strides);
        next.viewOf = rewriteBuffer(b->viewOf);
        next.address = rewrite(b->address);
        changed |= next.viewOf != b->viewOf || next.address != b->address;
        return buffers_.emplace(b.get(), changed ? std::make_shared<BufferNode>(std::move(next)) : b).first->second;
    }

    Var rewriteVar(const Var& v) override
    {
        const auto found = values_.find(v.get());
        return found != values_.end() && found->second->kind == ExprKind::kVar ? sharedVar(found->second) : v;
    }

private:
    const std::map<const ExprNode*, Expr>& values_;
    std::unordered_map<const BufferNode*, Buffer> buffers_;
};

}  // namespace

Expr substitute(const Expr& e, const std::map<const ExprNode*, Expr>& values)
{
    return values.empty() ? e : Substitution(values).rewrite(e);
}

Stmt substitute(const Stmt& s, const std::map<const ExprNode*, Expr>& values)
{
    if (values.empty())
        return s;
    Substitution substitution(values);
    Rewriter& rewriter = substitution;
    return rewriter.rewrite(s);
}

}  // namespace tw::ir

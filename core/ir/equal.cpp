// Structural equality and the hash that agrees with it.
//
// Both number variables and buffers in the order in which they are met, so names do not count but binding does: two
// functions are equal if their numbered texts are.
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "core/ir/visit.h"

namespace tw::ir {

namespace {

class Comparison {
public:
    // Buffers that are met for the first time stand for each other where whole functions are compared; in two expressions of
    // one function they are what they are.
    explicit Comparison(bool bindsBuffers) : bindsBuffers_(bindsBuffers) {}
    bool same(const Expr& a, const Expr& b);
    bool same(const Stmt& a, const Stmt& b);
    bool same(const Buffer& a, const Buffer& b);
    // Binds the variable pair of one place.
    bool bind(const Var& a, const Var& b);

private:
    bool same(const std::vector<Expr>& a, const std::vector<Expr>& b);
    bool same(const Region& a, const Region& b);
    bool same(const Operand& a, const Operand& b);
    bool same(const OpCall& a, const OpCall& b);
    bool same(const Ref<const LayoutMap>& a, const Ref<const LayoutMap>& b);
    bool sameVar(const ExprNode* a, const ExprNode* b) const;
    bool sameFor(const For& a, const For& b);
    bool sameLaunch(const Launch& a, const Launch& b);

    bool bindsBuffers_;
    std::unordered_map<const ExprNode*, const ExprNode*> vars_, varsBack_;
    std::unordered_map<const BufferNode*, const BufferNode*> buffers_, buffersBack_;
};

bool Comparison::bind(const Var& a, const Var& b)
{
    if (!a || !b)
        return !a && !b;
    vars_[a.get()] = b.get();
    varsBack_[b.get()] = a.get();
    return a->dtype == b->dtype;
}

bool Comparison::sameVar(const ExprNode* a, const ExprNode* b) const
{
    const auto forth = vars_.find(a);
    const auto back = varsBack_.find(b);
    if (forth == vars_.end() && back == varsBack_.end())
        return a == b;
    return forth != vars_.end() && back != varsBack_.end() && forth->second == b && back->second == a;
}

bool Comparison::same(const std::vector<Expr>& a, const std::vector<Expr>& b)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!same(a[i], b[i]))
            return false;
    return true;
}

bool Comparison::same(const Buffer& a, const Buffer& b)
{
    if (!a || !b)
        return !a && !b;
    if (!bindsBuffers_)
        return a == b;
    const auto forth = buffers_.find(a.get());
    const auto back = buffersBack_.find(b.get());
    if (forth != buffers_.end() || back != buffersBack_.end())
        return forth != buffers_.end() && back != buffersBack_.end() && forth->second == b.get();
    buffers_[a.get()] = b.get();
    buffersBack_[b.get()] = a.get();
    return a->dtype == b->dtype && a->scope == b->scope && a->staticShared == b->staticShared &&
           a->arrivals == b->arrivals && a->reducer == b->reducer && a->replication == b->replication &&
           same(a->shape, b->shape) && same(a->strides, b->strides) && same(a->viewOf, b->viewOf) &&
           a->viewOffset == b->viewOffset && same(a->address, b->address);
}

bool Comparison::same(const Region& a, const Region& b)
{
    return same(a.buffer, b.buffer) && same(a.mins, b.mins) && same(a.extents, b.extents);
}

bool Comparison::same(const Ref<const LayoutMap>& a, const Ref<const LayoutMap>& b)
{
    if (!a || !b)
        return !a && !b;
    if (a->shape != b->shape || a->replicate != b->replicate || a->vars.size() != b->vars.size())
        return false;
    for (std::size_t i = 0; i < a->vars.size(); ++i)
        if (!bind(a->vars[i], b->vars[i]))
            return false;
    return bind(a->replicateVar, b->replicateVar) && same(a->index, b->index) && same(a->thread, b->thread);
}

bool Comparison::same(const Operand& a, const Operand& b)
{
    if (a.index() != b.index())
        return false;
    return match(
        a, [&](const Expr& x) { return same(x, std::get<Expr>(b)); },
        [&](const Region& x) { return same(x, std::get<Region>(b)); },
        [&](const Ref<const LayoutMap>& x) { return same(x, std::get<Ref<const LayoutMap>>(b)); });
}

bool Comparison::same(const OpCall& a, const OpCall& b)
{
    if (a.op != b.op || a.attrs != b.attrs)
        return false;
    const Operand absent = Expr{};  // an optional operand may also be missing at the end
    for (std::size_t i = 0; i < std::max(a.operands.size(), b.operands.size()); ++i) {
        const Operand& x = i < a.operands.size() ? a.operands[i] : absent;
        const Operand& y = i < b.operands.size() ? b.operands[i] : absent;
        if (!same(x, y))
            return false;
    }
    return true;
}

bool Comparison::same(const Expr& a, const Expr& b)
{
    if (!a || !b)
        return !a && !b;
    if (a->kind != b->kind || a->dtype != b->dtype)
        return false;
    switch (a->kind) {
    case ExprKind::kIntImm: return as<IntImm>(a)->value == as<IntImm>(b)->value;
    case ExprKind::kFloatImm:
        return std::bit_cast<std::uint64_t>(as<FloatImm>(a)->value) == std::bit_cast<std::uint64_t>(as<FloatImm>(b)->value);
    case ExprKind::kStringImm: return as<StringImm>(a)->value == as<StringImm>(b)->value;
    case ExprKind::kVar: return sameVar(a.get(), b.get());
    case ExprKind::kLoad:
        return same(as<Load>(a)->buffer, as<Load>(b)->buffer) && same(as<Load>(a)->indices, as<Load>(b)->indices);
    case ExprKind::kUnary: return as<Unary>(a)->op == as<Unary>(b)->op && same(as<Unary>(a)->a, as<Unary>(b)->a);
    case ExprKind::kBinary:
        return as<Binary>(a)->op == as<Binary>(b)->op && same(as<Binary>(a)->a, as<Binary>(b)->a) &&
               same(as<Binary>(a)->b, as<Binary>(b)->b);
    case ExprKind::kSelect: {
        const auto *x = as<Select>(a), *y = as<Select>(b);
        return x->lazy == y->lazy && same(x->condition, y->condition) && same(x->then, y->then) &&
               same(x->otherwise, y->otherwise);
    }
    case ExprKind::kCast: return same(as<Cast>(a)->value, as<Cast>(b)->value);
    case ExprKind::kCall: return same(as<Call>(a)->call, as<Call>(b)->call);
    case ExprKind::kRamp: return same(as<Ramp>(a)->base, as<Ramp>(b)->base) && same(as<Ramp>(a)->stride, as<Ramp>(b)->stride);
    case ExprKind::kBroadcast: return same(as<Broadcast>(a)->value, as<Broadcast>(b)->value);
    case ExprKind::kLane: return as<Lane>(a)->index == as<Lane>(b)->index && same(as<Lane>(a)->vector, as<Lane>(b)->vector);
    }
    return false;
}

bool Comparison::sameFor(const For& a, const For& b)
{
    if (a.loop != b.loop || a.axes.size() != b.axes.size() || a.attrs != b.attrs ||
        a.persistent.has_value() != b.persistent.has_value())
        return false;
    for (std::size_t i = 0; i < a.axes.size(); ++i) {
        const Axis &x = a.axes[i], &y = b.axes[i];
        if (!same(x.begin, y.begin) || !same(x.end, y.end) || !same(x.step, y.step))
            return false;
    }
    if (a.persistent && !(same(a.persistent->waveSize, b.persistent->waveSize) &&
                          same(a.persistent->index, b.persistent->index) &&
                          same(a.persistent->groupSize, b.persistent->groupSize)))
        return false;
    if (!same(a.layout, b.layout))
        return false;
    for (std::size_t i = 0; i < a.axes.size(); ++i)
        if (!bind(a.axes[i].var, b.axes[i].var))
            return false;
    return same(a.body, b.body);
}

bool Comparison::sameLaunch(const Launch& a, const Launch& b)
{
    if (a.threads != b.threads || a.cluster != b.cluster || a.attrs != b.attrs ||
        a.blockVars.size() != b.blockVars.size() || !same(a.grid, b.grid))
        return false;
    for (std::size_t i = 0; i < a.blockVars.size(); ++i)
        if (!bind(a.blockVars[i], b.blockVars[i]))
            return false;
    for (std::size_t i = 0; i < a.threadVars.size(); ++i)
        if (!bind(a.threadVars[i], b.threadVars[i]))
            return false;
    return same(a.body, b.body);
}

bool Comparison::same(const Stmt& a, const Stmt& b)
{
    if (!a || !b)
        return !a && !b;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case StmtKind::kSeq: {
        const auto &x = as<Seq>(a)->stmts, &y = as<Seq>(b)->stmts;
        if (x.size() != y.size())
            return false;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (!same(x[i], y[i]))
                return false;
        return true;
    }
    case StmtKind::kFor: return sameFor(*as<For>(a), *as<For>(b));
    case StmtKind::kWhile:
        return same(as<While>(a)->condition, as<While>(b)->condition) && same(as<While>(a)->body, as<While>(b)->body);
    case StmtKind::kBreak:
    case StmtKind::kContinue:
    case StmtKind::kReturn: return true;
    case StmtKind::kIf:
        return same(as<If>(a)->condition, as<If>(b)->condition) && same(as<If>(a)->then, as<If>(b)->then) &&
               same(as<If>(a)->otherwise, as<If>(b)->otherwise);
    case StmtKind::kBind:
        return same(as<Bind>(a)->value, as<Bind>(b)->value) && bind(as<Bind>(a)->var, as<Bind>(b)->var);
    case StmtKind::kStore:
        return same(as<Store>(a)->buffer, as<Store>(b)->buffer) && same(as<Store>(a)->indices, as<Store>(b)->indices) &&
               same(as<Store>(a)->value, as<Store>(b)->value);
    case StmtKind::kAllocate: return same(as<Allocate>(a)->buffer, as<Allocate>(b)->buffer);
    case StmtKind::kOp: return same(as<OpStmt>(a)->call, as<OpStmt>(b)->call);
    case StmtKind::kLaunch: return sameLaunch(*as<Launch>(a), *as<Launch>(b));
    case StmtKind::kAssert:
        return as<Assert>(a)->message == as<Assert>(b)->message && same(as<Assert>(a)->condition, as<Assert>(b)->condition);
    }
    return false;
}

}  // namespace

bool equal(const Expr& a, const Expr& b)
{
    return Comparison(false).same(a, b);
}

bool equal(const Function& a, const Function& b)
{
    if (a.name != b.name || a.params.size() != b.params.size() || a.returned != b.returned ||
        a.symbols.size() != b.symbols.size() || a.stage != b.stage || a.dialect != b.dialect ||
        a.passConfigs != b.passConfigs || a.compileFlags != b.compileFlags || a.target != b.target)
        return false;
    Comparison comparison(true);
    for (std::size_t i = 0; i < a.symbols.size(); ++i)
        if (!comparison.bind(a.symbols[i], b.symbols[i]))
            return false;
    // Scalars first: shapes of tensors in front of them may name them.
    for (std::size_t i = 0; i < a.params.size(); ++i) {
        const auto *x = std::get_if<Var>(&a.params[i].value), *y = std::get_if<Var>(&b.params[i].value);
        if ((x == nullptr) != (y == nullptr) || (x && !comparison.bind(*x, *y)))
            return false;
    }
    for (std::size_t i = 0; i < a.params.size(); ++i) {
        const auto *x = std::get_if<Buffer>(&a.params[i].value), *y = std::get_if<Buffer>(&b.params[i].value);
        if (x && !comparison.same(*x, *y))
            return false;
    }
    return comparison.same(a.body, b.body);
}

}  // namespace tw::ir

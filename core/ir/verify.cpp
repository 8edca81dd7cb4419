#include "core/ir/verify.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "core/ir/call.h"
#include "core/ir/print.h"
#include "core/ir/visit.h"

namespace tw::ir {

namespace {

constexpr std::size_t kMaxMessages = 20;

class Verifier final : public Visitor {
public:
    explicit Verifier(const Function& f) : f_(f) {}

    std::vector<std::string> run()
    {
        for (const Var& symbol : f_.symbols)
            bindVar(symbol);
        for (const Param& param : f_.params)
            if (const auto* var = std::get_if<Var>(&param.value))
                bindVar(*var);
        for (const Param& param : f_.params)
            if (const auto* buffer = std::get_if<Buffer>(&param.value))
                bindBuffer(*buffer);
        if (!f_.body)
            fail("the function has no body");
        for (int index : f_.returned)
            if (index < 0 || static_cast<std::size_t>(index) >= f_.params.size())
                fail(fmt::format("returned parameter {} does not exist", index));
        visit(f_.body);
        return std::move(messages_);
    }

    using Visitor::visit;
    void visit(const Expr& e) override;
    void visit(const Stmt& s) override;
    void visit(const Region& r) override;
    void visit(const OpCall& call) override;
    void visitBuffer(const Buffer& b) override
    {
        if (!b)
            fail("an access without a buffer");
        else if (!liveBuffers_.contains(b.get()))
            fail(fmt::format("buffer {} is used outside of its scope", b->name));
    }

private:
    void fail(std::string message)
    {
        if (messages_.size() < kMaxMessages)
            messages_.push_back(std::move(message));
    }

    // What a scope binds ends with it.
    struct Scope {
        std::vector<const ExprNode*> vars;
        std::vector<const BufferNode*> buffers;
    };
    void open() { scopes_.emplace_back(); }
    void close()
    {
        for (const auto* var : scopes_.back().vars)
            liveVars_.erase(var);
        for (const auto* buffer : scopes_.back().buffers)
            liveBuffers_.erase(buffer);
        scopes_.pop_back();
    }

    void bindVar(const Var& var)
    {
        if (!var)
            return fail("a variable is missing where one is bound");
        if (!everBound_.insert(var.get()).second)
            fail(fmt::format("variable {} is bound twice", var->name));
        liveVars_.insert(var.get());
        if (!scopes_.empty())
            scopes_.back().vars.push_back(var.get());
    }

    void bindBuffer(const Buffer& buffer)
    {
        if (!everBound_.insert(buffer.get()).second)
            fail(fmt::format("buffer {} is allocated twice", buffer->name));
        liveBuffers_.insert(buffer.get());
        if (!scopes_.empty())
            scopes_.back().buffers.push_back(buffer.get());
        if (buffer->shape.empty() && buffer->scope != MemoryScope::kGlobal)
            fail(fmt::format("the on-chip buffer {} has no axes", buffer->name));
        if (!buffer->strides.empty() && buffer->strides.size() != buffer->shape.size())
            fail(fmt::format("buffer {} has {} axes but {} strides", buffer->name, buffer->shape.size(), buffer->strides.size()));
        for (const Expr& extent : buffer->shape) {
            visit(extent);
            if (buffer->scope != MemoryScope::kGlobal && !asInt(extent))
                fail(fmt::format("the on-chip buffer {} has an extent that is no constant", buffer->name));
        }
        for (const Expr& stride : buffer->strides)
            visit(stride);
        visit(buffer->address);
        if (buffer->viewOf)
            visitBuffer(buffer->viewOf);
    }

    void checkIndices(const Buffer& buffer, const std::vector<Expr>& indices)
    {
        if (buffer && indices.size() != buffer->shape.size())
            fail(fmt::format("{} has {} axes but is accessed with {} indices", buffer->name, buffer->shape.size(), indices.size()));
        for (const Expr& index : indices)
            if (!index || !index->dtype.isInteger())
                fail(fmt::format("an index of {} is no integer", buffer->name));
    }

    void checkBinary(const Binary& b);
    void checkOperand(const OpInfo& op, const OperandInfo& operand, const Operand& value);
    void checkRecord(const OpCall& call);
    void visitSeq(const Seq& seq);
    void visitFor(const For& loop);
    void visitLaunch(const Launch& launch);
    void visitLayout(const LayoutMap& map);

    const Function& f_;
    std::vector<std::string> messages_;
    std::vector<Scope> scopes_;
    std::unordered_set<const void*> everBound_;
    std::unordered_set<const ExprNode*> liveVars_;
    std::unordered_set<const BufferNode*> liveBuffers_;
    const Launch* launch_ = nullptr;  // around this place
    int loopDepth_ = 0;
};

void Verifier::checkBinary(const Binary& b)
{
    if (b.a->dtype != b.b->dtype)
        fail(fmt::format("operands of types {} and {} in {}", b.a->dtype.name(), b.b->dtype.name(),
                         print(Expr(std::make_shared<Binary>(b)))));
    const bool isComparison = b.op >= BinaryOp::kEq;
    if (isComparison ? !b.dtype.isBool() : b.dtype != b.a->dtype)
        fail(fmt::format("a binary expression of {} operands has type {}", b.a->dtype.name(), b.dtype.name()));
    if ((b.op == BinaryOp::kAnd || b.op == BinaryOp::kOr) && !b.a->dtype.isBool())
        fail("a logical operation on operands that are not bool");
}

void Verifier::visit(const Expr& e)
{
    if (!e)
        return;
    if (e->kind == ExprKind::kVar && !liveVars_.contains(e.get()))
        fail(fmt::format("variable {} is used outside of its scope", as<VarNode>(e)->name));
    if (const auto* load = as<Load>(e)) {
        checkIndices(load->buffer, load->indices);
        if (load->buffer && load->dtype.element() != load->buffer->dtype.element())
            fail(fmt::format("a load of {} has type {} instead of {}", load->buffer->name, load->dtype.name(),
                             load->buffer->dtype.name()));
    }
    if (const auto* b = as<Binary>(e))
        checkBinary(*b);
    if (const auto* s = as<Select>(e)) {
        if (!s->condition->dtype.isBool())
            fail("the condition of a select is no bool");
        if (s->then->dtype != s->otherwise->dtype)
            fail(fmt::format("the arms of a select have types {} and {}", s->then->dtype.name(), s->otherwise->dtype.name()));
    }
    Visitor::visit(e);
}

void Verifier::visit(const Region& r)
{
    if (r.buffer && (r.mins.size() != r.buffer->shape.size() || r.extents.size() != r.buffer->shape.size()))
        fail(fmt::format("{} has {} axes but a region of it has {}", r.buffer->name, r.buffer->shape.size(), r.mins.size()));
    else
        Visitor::visit(r);
}

void Verifier::visitLayout(const LayoutMap& map)
{
    open();
    for (const Var& var : map.vars)
        bindVar(var);
    if (map.replicateVar)
        bindVar(map.replicateVar);
    if (map.vars.size() != map.shape.size())
        fail("a layout has not one variable for each axis");
    for (const Expr& index : map.index)
        visit(index);
    visit(map.thread);
    for (const auto* var : scopes_.back().vars)
        everBound_.erase(var);  // one layout may stand at several buffers
    close();
}

void Verifier::checkOperand(const OpInfo& op, const OperandInfo& operand, const Operand& value)
{
    const bool wantsExpr = operand.role == Role::kValue;
    const bool wantsLayout = operand.role == Role::kLayout;
    const bool isExpr = std::holds_alternative<Expr>(value);
    const bool isLayout = std::holds_alternative<Ref<const LayoutMap>>(value);
    if (isAbsent(value)) {
        if (!operand.optional && !operand.variadic)
            fail(fmt::format("{} lacks its operand {}", op.name, operand.name));
    } else if (wantsExpr != isExpr || wantsLayout != isLayout) {
        fail(fmt::format("operand {} of {} is of the wrong kind", operand.name, op.name));
    }
}

void Verifier::visit(const OpCall& call)
{
    const OpInfo& op = info(call.op);
    const auto stage = static_cast<unsigned>(f_.stage == Stage::kTile ? StageMask::kTile : StageMask::kThread);
    if ((static_cast<unsigned>(op.stage) & stage) == 0)
        fail(fmt::format("{} is not legal in this stage", op.name));
    const bool variadic = !op.operands.empty() && op.operands.back().variadic;
    if (call.operands.size() > op.operands.size() && !variadic)
        fail(fmt::format("{} takes {} operands but has {}", op.name, op.operands.size(), call.operands.size()));
    for (std::size_t i = 0; i < std::max(call.operands.size(), op.operands.size()); ++i) {
        if (op.operands.empty())
            break;
        const OperandInfo& operand = op.operands[std::min(i, op.operands.size() - 1)];
        checkOperand(op, operand, i < call.operands.size() ? call.operands[i] : Operand{Expr{}});
        if (i >= call.operands.size())
            continue;
        if (const auto* map = std::get_if<Ref<const LayoutMap>>(&call.operands[i]); map && *map)
            visitLayout(**map);
    }
    if (call.op == OpId::kStageRecord)
        checkRecord(call);
    Visitor::visit(call);
}

// Of a launch with a table, and an event of it.
void Verifier::checkRecord(const OpCall& call)
{
    const Expr event = exprOperand(call, "event");
    const std::int64_t* number = event ? asInt(event) : nullptr;
    const auto kinds = launch_ ? launch_->attrs.find("record_kinds") : Attrs::const_iterator{};
    const auto* table = launch_ && kinds != launch_->attrs.end() ? std::get_if<std::vector<std::string>>(&kinds->second) : nullptr;
    if (!table)
        fail("a stage record in a launch without a table of its events");
    else if (!number || *number < 0 || *number > static_cast<std::int64_t>(table->size()))
        fail(fmt::format("a stage record of event {}, but the launch has events 0 to {}", event ? print(event) : "none", table->size()));
}

void Verifier::visitSeq(const Seq& seq)
{
    if (seq.stmts.size() == 1)
        fail("a sequence of one statement");
    open();
    for (const Stmt& child : seq.stmts) {
        if (!child)
            fail("an empty statement in a sequence");
        else if (child->kind == StmtKind::kSeq)
            fail("a sequence directly inside a sequence");
        visit(child);
    }
    close();
}

void Verifier::visitFor(const For& loop)
{
    const bool severalAxes = loop.loop == ForKind::kParallel || loop.loop == ForKind::kPersistent;
    if (loop.axes.empty() || (loop.axes.size() > 1 && !severalAxes))
        fail(fmt::format("a loop of this kind cannot have {} axes", loop.axes.size()));
    for (const Axis& axis : loop.axes) {
        visit(axis.begin);
        visit(axis.end);
        visit(axis.step);
    }
    if (loop.persistent) {
        visit(loop.persistent->waveSize);
        visit(loop.persistent->index);
        visit(loop.persistent->groupSize);
    }
    if (loop.layout)
        visitLayout(*loop.layout);
    open();
    for (const Axis& axis : loop.axes)
        bindVar(axis.var);
    ++loopDepth_;
    visit(loop.body);
    --loopDepth_;
    close();
}

void Verifier::visitLaunch(const Launch& launch)
{
    if (launch_)
        fail("a launch inside a launch");
    if (launch.grid.size() != launch.blockVars.size())
        fail(fmt::format("a launch has {} grid extents but {} block indices", launch.grid.size(), launch.blockVars.size()));
    for (const Expr& extent : launch.grid)
        visit(extent);
    open();
    for (const Var& var : launch.blockVars)
        bindVar(var);
    for (const Var& var : launch.threadVars)
        bindVar(var);
    launch_ = &launch;
    visit(launch.body);
    launch_ = nullptr;
    close();
}

void Verifier::visit(const Stmt& s)
{
    if (!s)
        return;
    switch (s->kind) {
    case StmtKind::kSeq: return visitSeq(*as<Seq>(s));
    case StmtKind::kFor: return visitFor(*as<For>(s));
    case StmtKind::kLaunch: return visitLaunch(*as<Launch>(s));
    case StmtKind::kWhile:
        ++loopDepth_;
        open();
        Visitor::visit(s);
        close();
        --loopDepth_;
        return;
    case StmtKind::kIf:
        if (!as<If>(s)->condition->dtype.isBool())
            fail("the condition of an if is no bool");
        visit(as<If>(s)->condition);
        open();
        visit(as<If>(s)->then);
        close();
        open();
        visit(as<If>(s)->otherwise);
        return close();
    case StmtKind::kBind:
        visit(as<Bind>(s)->value);
        if (as<Bind>(s)->var && as<Bind>(s)->var->dtype != as<Bind>(s)->value->dtype)
            fail(fmt::format("variable {} is bound to a value of another type", as<Bind>(s)->var->name));
        return bindVar(as<Bind>(s)->var);
    case StmtKind::kAllocate: return bindBuffer(as<Allocate>(s)->buffer);
    case StmtKind::kStore: {
        const auto* store = as<Store>(s);
        checkIndices(store->buffer, store->indices);
        if (store->value->dtype.element() != store->buffer->dtype.element())
            fail(fmt::format("a store of {} into {} of {}", store->value->dtype.name(), store->buffer->name,
                             store->buffer->dtype.name()));
        return Visitor::visit(s);
    }
    case StmtKind::kBreak:
    case StmtKind::kContinue:
        if (loopDepth_ == 0)
            fail("a break or continue outside of a loop");
        return;
    default: return Visitor::visit(s);
    }
}

}  // namespace

std::vector<std::string> verify(const Function& f)
{
    return Verifier(f).run();
}

}  // namespace tw::ir

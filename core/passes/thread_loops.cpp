#include "core/passes/thread_loops.h"

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/lower_steps.h"
#include "core/passes/plan_threads.h"

namespace tw::passes {

namespace {

using ir::Expr;
using ir::OpId;
using ir::Stmt;

// What keeps the threads of a launch together.
class MeetingFinder : public ir::Visitor {
public:
    bool found = false;
    bool ordered = false;  // stores that neighbours must not make at the same time
    using ir::Visitor::visit;
    void visit(const Stmt& s) override
    {
        if (!s)
            return;
        const bool isLoop = s->kind == ir::StmtKind::kFor || s->kind == ir::StmtKind::kWhile;
        found = found || (s->kind == ir::StmtKind::kReturn && loops_ > 0);  // leaves more than one loop at once
        const auto* store = ir::as<ir::Store>(s);
        ordered = ordered || (store && store->buffer->dtype.bits() < 8);
        if (const auto* allocate = ir::as<ir::Allocate>(s))
            found = found || allocate->buffer->scope == ir::MemoryScope::kBarrier || allocate->buffer->scope == ir::MemoryScope::kClusterBarrier;
        loops_ += isLoop;
        ir::Visitor::visit(s);
        loops_ -= isLoop;
    }
    void visit(const ir::OpCall& call) override
    {
        const auto cls = ir::info(call.op).cls;
        using ir::OpClass;
        found = found || cls == OpClass::kWarp || cls == OpClass::kBarrier || cls == OpClass::kDebug || cls == OpClass::kRandom ||
                cls == OpClass::kExtern || call.op == OpId::kBlockRank || call.op == OpId::kGemm;
        ir::Visitor::visit(call);
    }

private:
    int loops_ = 0;
};

// Thread indices in terms of the loops' variables; a return goes on with the next thread.
class IndexRewriter : public ir::Rewriter {
public:
    explicit IndexRewriter(Expr linear, std::int64_t threads) : linear_(std::move(linear)), threads_(threads) {}
    using ir::Rewriter::rewrite;

    Expr rewrite(const Expr& e) override
    {
        const Expr next = rewriteChildren(e);
        const auto* call = ir::as<ir::Call>(next);
        if (!call || ir::info(call->call.op).cls != ir::OpClass::kThread)
            return next;
        const auto number = [&](std::size_t i, std::int64_t otherwise) {
            const auto* operand = i < call->call.operands.size() ? std::get_if<Expr>(&call->call.operands[i]) : nullptr;
            return operand && *operand ? *operand : ir::intImm(otherwise);
        };
        switch (call->call.op) {
        case OpId::kLaneIdx: return ir::cast(next->dtype, ir::floorMod(linear_, number(0, 32)));
        case OpId::kWarpIdx: case OpId::kWarpIdxSync: return ir::cast(next->dtype, ir::floorDiv(linear_, number(0, 32)));
        case OpId::kWarpGroupIdx: return ir::cast(next->dtype, ir::floorDiv(linear_, ir::mul(number(0, 32), number(1, 4))));
        case OpId::kShuffleElect: {
            Expr n = number(0, 0);
            if (const auto* value = ir::asInt(n); value && *value == 0)
                n = ir::intImm(threads_);
            const Expr lane = ir::floorMod(linear_, n);
            return ir::cast(next->dtype, ir::binary(ir::BinaryOp::kEq, lane, ir::constant(lane->dtype, std::int64_t{0})));
        }
        default: return next;
        }
    }

    Stmt rewrite(const Stmt& s) override
    {
        if (s->kind == ir::StmtKind::kReturn)
            return std::make_shared<ir::Continue>(s->where);
        return rewriteChildren(s);
    }

private:
    Expr linear_;
    std::int64_t threads_;
};

class ThreadLoopRewriter : public ir::Rewriter {
public:
    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        const auto* launch = ir::as<ir::Launch>(s);
        if (!launch)
            return rewriteChildren(s);
        const auto& execution = std::get<std::string>(launch->attrs.at("execution"));
        MeetingFinder meeting;
        meeting.visit(launch->body);
        if (execution != "threads" || meeting.found || launch->attrs.contains("polls"))
            return s;
        std::array<ir::Var, 3> vars;
        std::map<const ir::ExprNode*, Expr> values;
        Expr linear;
        std::int64_t scale = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            vars[axis] = newVar(launch->threadVars[axis]->name);
            const Expr index = launch->threads[axis] > 1 ? Expr(vars[axis]) : ir::intImm(0);
            values[launch->threadVars[axis].get()] = index;
            const Expr part = ir::mul(index, ir::intImm(scale));
            linear = linear ? ir::add(linear, part) : part;
            scale *= launch->threads[axis];
        }
        IndexRewriter indices(linear, scale);
        Stmt body = ir::substitute(indices.rewrite(launch->body), values);
        bool innermost = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (launch->threads[axis] <= 1)
                continue;
            const auto kind = innermost && !meeting.ordered ? ir::ForKind::kParallel : ir::ForKind::kSerial;
            body = loopOver(kind, vars[axis], ir::intImm(0), ir::intImm(launch->threads[axis]), body, launch->where);
            innermost = false;
        }
        if (innermost)  // one thread: a loop all the same, which a return can leave
            body = loopOver(ir::ForKind::kSerial, vars[0], ir::intImm(0), ir::intImm(1), body, launch->where);
        auto next = std::make_shared<ir::Launch>(*launch);
        next->threads = {1, 1, 1};
        next->attrs["execution"] = std::string("block");
        next->body = body;
        return next;
    }
};

}  // namespace

ir::Function threadLoops(const ir::Function& in, PassContext&)
{
    ir::Function out = in;
    ThreadLoopRewriter rewriter;
    out.body = rewriter.rewrite(in.body);
    return out;
}

}  // namespace tw::passes

#include "core/passes/plan_threads.h"

#include <algorithm>
#include <set>

#include "core/analysis/effects.h"
#include "core/analysis/walk.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"

namespace tw::passes {

namespace {

using Storages = std::set<const ir::BufferNode*>;

// Memory that more than one thread sees: what `node` reads and writes of it, by plain stores and otherwise.
class SharedUse : public ir::Visitor {
public:
    Storages read, written;
    bool works = false;  // stores plainly, or runs an operation that moves data: a loop of that kind is no mere waiting

    using ir::Visitor::visit;
    void visit(const ir::Expr& e) override
    {
        if (const auto* load = ir::as<ir::Load>(e))
            note(load->buffer, true, false);
        ir::Visitor::visit(e);
    }
    void visit(const ir::Stmt& s) override
    {
        if (const auto* store = ir::as<ir::Store>(s)) {
            note(store->buffer, false, true);
            works = works || !isPrivate(store->buffer);
        }
        ir::Visitor::visit(s);
    }
    void visit(const ir::OpCall& call) override
    {
        for (std::size_t i = 0; i < call.operands.size(); ++i)
            if (const auto* region = std::get_if<ir::Region>(&call.operands[i]); region && region->buffer) {
                const auto effect = analysis::effectOf(call, i);
                note(region->buffer, effect.reads, effect.writes);
                works = works || (effect.writes && !isPrivate(region->buffer) && ir::info(call.op).cls != ir::OpClass::kAtomic);
            }
        ir::Visitor::visit(call);
    }

private:
    void note(const ir::Buffer& buffer, bool reads, bool writes)
    {
        if (isPrivate(buffer))
            return;
        if (reads)
            read.insert(analysis::storageOf(buffer.get()));
        if (writes)
            written.insert(analysis::storageOf(buffer.get()));
    }
};

// Loops that do nothing but look at memory that the launch writes: they wait for another thread, perhaps of another block.
class PollSearch : public ir::Visitor {
public:
    explicit PollSearch(const ir::Launch& launch)
    {
        SharedUse all;
        static_cast<ir::Visitor&>(all).visit(launch.body);
        written_ = std::move(all.written);
        static_cast<ir::Visitor&>(*this).visit(launch.body);
    }
    bool found = false;

    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        if (ir::as<ir::While>(s)) {
            SharedUse use;
            static_cast<ir::Visitor&>(use).visit(s);
            const bool looks = std::any_of(use.read.begin(), use.read.end(), [&](const ir::BufferNode* storage) { return written_.contains(storage); });
            found = found || (looks && !use.works);
        }
        ir::Visitor::visit(s);
    }

private:
    Storages written_;
};

// What in a launch tells threads apart.
class ThreadUse : public ir::Visitor {
public:
    explicit ThreadUse(const ir::Launch& launch)
    {
        for (const ir::Var& var : launch.threadVars)
            if (var)
                threadVars_.insert(var.get());
        visit(launch.body);
    }

    bool byThread = false;    // a thread index, an exchange between threads, an effect once a thread
    bool gridBarrier = false;
    bool cluster = false;     // blocks of a cluster work together

    using ir::Visitor::visit;
    void visit(const ir::Expr& e) override
    {
        byThread = byThread || (e && threadVars_.contains(e.get()));
        ir::Visitor::visit(e);
    }
    void visit(const ir::Stmt& s) override
    {
        const auto* loop = ir::as<ir::For>(s);
        const bool parallel = loop && loop->loop == ir::ForKind::kParallel;
        parallelDepth_ += parallel;
        ir::Visitor::visit(s);
        parallelDepth_ -= parallel;
    }
    void visit(const ir::OpCall& call) override
    {
        using ir::OpClass;
        using ir::OpId;
        switch (ir::info(call.op).cls) {
        case OpClass::kThread:
            (call.op == OpId::kBlockRank ? cluster : byThread) = true;
            break;
        case OpClass::kWarp: case OpClass::kRandom:
            byThread = true;
            break;
        case OpClass::kBarrier:
            visitBarrier(call);
            break;
        case OpClass::kAtomic:
            // Element form outside a parallel loop: once for each thread.
            byThread = byThread || (parallelDepth_ == 0 && isElementUpdate(call));
            break;
        case OpClass::kDebug:
            byThread = byThread || (call.op == OpId::kPrint && parallelDepth_ == 0 && printsValue(call));
            break;
        case OpClass::kCopy:
            cluster = cluster || call.op == OpId::kCopyCluster || call.attrs.contains("cluster_mask");
            break;
        default:
            break;
        }
        ir::Visitor::visit(call);
    }

private:
    void visitBarrier(const ir::OpCall& call)
    {
        using ir::OpId;
        switch (call.op) {
        case OpId::kSyncGrid: case OpId::kSyncGlobal: gridBarrier = true; break;
        case OpId::kSyncCount: case OpId::kSyncAnd: case OpId::kSyncOr: byThread = true; break;
        case OpId::kClusterSync: case OpId::kClusterWait: cluster = true; break;
        case OpId::kBarrierArrive: cluster = cluster || !!ir::exprOperand(call, "cta_id"); break;
        default: break;
        }
    }
    static bool isElementUpdate(const ir::OpCall& call)
    {
        if (call.op == ir::OpId::kAtomicLoad || call.op == ir::OpId::kAtomicStore)
            return false;
        for (std::size_t i = 1; i < call.operands.size(); ++i)
            if (const auto* source = std::get_if<ir::Region>(&call.operands[i]); source && source->buffer)
                return call.op == ir::OpId::kAtomicAddX2 || call.op == ir::OpId::kAtomicAddX4;
        return true;
    }
    // A shared or fragment buffer is printed once, everything else by every thread.
    static bool printsValue(const ir::OpCall& call)
    {
        const auto* region = ir::regionOperand(call, "buffer");
        return !region || !region->buffer || isPrivate(region->buffer) || region->buffer->scope == ir::MemoryScope::kGlobal;
    }

    std::set<const ir::ExprNode*> threadVars_;
    int parallelDepth_ = 0;
};

class ThreadPlanner : public ir::Rewriter {
public:
    using ir::Rewriter::rewrite;
    ir::Stmt rewrite(const ir::Stmt& s) override
    {
        const auto* launch = ir::as<ir::Launch>(s);
        if (!launch)
            return rewriteChildren(s);
        const ThreadUse use(*launch);
        std::int64_t blocks = 1;
        for (const std::int64_t extent : launch->cluster)
            blocks *= extent;
        const bool polls = PollSearch(*launch).found;
        const bool together = use.gridBarrier || polls || (use.cluster && blocks > 1);
        auto next = std::make_shared<ir::Launch>(*launch);
        if (polls)
            next->attrs["polls"] = true;
        next->attrs["execution"] = std::string(use.gridBarrier ? "grid" : use.byThread || together ? "threads" : "block");
        // Where only blocks are told apart, one thread stands for all of a block.
        if (!use.byThread)
            next->threads = {1, 1, 1};
        return next;
    }
};

}  // namespace

bool runsThreads(const ir::Launch& launch)
{
    const auto found = launch.attrs.find("execution");
    return found != launch.attrs.end() && std::get<std::string>(found->second) != "block";
}

bool isPrivate(const ir::Buffer& buffer)
{
    const ir::Buffer* b = &buffer;
    while ((*b)->viewOf)
        b = &(*b)->viewOf;
    return (*b)->scope == ir::MemoryScope::kLocal || (*b)->scope == ir::MemoryScope::kVar;
}

ir::Function planThreads(const ir::Function& in, PassContext&)
{
    ir::Function out = in;
    ThreadPlanner planner;
    out.body = planner.rewrite(in.body);
    return out;
}

}  // namespace tw::passes

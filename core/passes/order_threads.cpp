// One walk over the statements with the accesses since the last meeting:
//   s[tx] = x; y = s[31 - tx]      ->  s[tx] = x; meet; y = s[31 - tx]
// A loop's body is walked twice, so that what its end leaves is compared with what its start does.
#include "core/passes/order_threads.h"

#include <set>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/plan_threads.h"

namespace tw::passes {

namespace {

using ir::Stmt;

struct OrderedAccess {
    const ir::BufferNode* storage = nullptr;  // views count as what they look at
    std::vector<ir::Expr> indices;
    bool write = false;
};

const ir::BufferNode* memoryBehind(const ir::Buffer& buffer)
{
    const ir::BufferNode* b = buffer.get();
    while (b->viewOf)
        b = b->viewOf.get();
    return b;
}

// Element accesses of threads to shared memory below a node.
class AccessCollector : public ir::Visitor {
public:
    std::vector<OrderedAccess> accesses;
    using ir::Visitor::visit;
    void visit(const ir::Expr& e) override
    {
        if (const auto* load = ir::as<ir::Load>(e))
            note(load->buffer, load->indices, false);
        ir::Visitor::visit(e);
    }
    void visit(const Stmt& s) override
    {
        if (const auto* store = ir::as<ir::Store>(s))
            note(store->buffer, store->indices, true);
        ir::Visitor::visit(s);
    }
    void visit(const ir::OpCall& call) override
    {
        const auto& roles = ir::info(call.op).operands;
        for (std::size_t i = 0; i < call.operands.size() && !roles.empty(); ++i)
            if (const auto* region = std::get_if<ir::Region>(&call.operands[i]); region && region->buffer) {
                const ir::Role role = roles[std::min(i, roles.size() - 1)].role;
                if (ir::info(call.op).cls == ir::OpClass::kAtomic && role != ir::Role::kRead)
                    continue;  // atomics order themselves
                note(region->buffer, {}, role != ir::Role::kRead);
            }
        ir::Visitor::visit(call);
    }

private:
    void note(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, bool write)
    {
        const ir::BufferNode* storage = memoryBehind(buffer);
        if (storage->scope == ir::MemoryScope::kShared || storage->scope == ir::MemoryScope::kFragment)
            accesses.push_back({storage, indices, write});
    }
};

// Whether a statement makes all threads that reach it meet.
bool meets(const Stmt& s)
{
    if (const auto* op = ir::as<ir::OpStmt>(s)) {
        const auto cls = ir::info(op->call.op).cls;
        using ir::OpClass;
        if (op->call.op == ir::OpId::kSyncThreads)
            return !ir::exprOperand(op->call, "barrier_id");
        return cls == OpClass::kCopy || cls == OpClass::kFill || cls == OpClass::kReduce || cls == OpClass::kScan || cls == OpClass::kReducer ||
               (cls == OpClass::kProduct && op->call.op != ir::OpId::kDp4a);
    }
    const auto* loop = ir::as<ir::For>(s);
    return loop && loop->loop == ir::ForKind::kParallel;
}

class Orderer {
public:
    explicit Orderer(const ir::Launch& launch)
    {
        for (const ir::Var& var : launch.threadVars)
            threadVars_.insert(var.get());
    }

    Stmt run(const Stmt& s) { return walk(s); }

private:
    Stmt walk(const Stmt& s)
    {
        switch (s->kind) {
        case ir::StmtKind::kSeq: {
            std::vector<Stmt> out;
            for (const Stmt& child : static_cast<const ir::Seq&>(*s).stmts)
                step(child, out);
            return ir::sequence(std::move(out));
        }
        default: {
            std::vector<Stmt> out;
            step(s, out);
            return ir::sequence(std::move(out));
        }
        }
    }

    void step(const Stmt& s, std::vector<Stmt>& out)
    {
        if (meets(s)) {
            pending_.clear();
            out.push_back(s);
            return;
        }
        switch (s->kind) {
        case ir::StmtKind::kIf: {
            const auto& branch = static_cast<const ir::If&>(*s);
            touch(accessesOf(branch.condition), out);
            const auto before = pending_;
            auto next = std::make_shared<ir::If>(branch);
            next->then = walk(branch.then);
            const auto afterThen = pending_;
            pending_ = before;
            if (branch.otherwise)
                next->otherwise = walk(branch.otherwise);
            pending_.insert(pending_.end(), afterThen.begin(), afterThen.end());
            out.push_back(next);
            return;
        }
        case ir::StmtKind::kFor: {
            auto next = std::make_shared<ir::For>(static_cast<const ir::For&>(*s));
            next->body = walkLoop(next->body);
            out.push_back(next);
            return;
        }
        case ir::StmtKind::kWhile: {
            auto next = std::make_shared<ir::While>(static_cast<const ir::While&>(*s));
            touch(accessesOf(next->condition), out);
            next->body = walkLoop(next->body);
            out.push_back(next);
            return;
        }
        default: {
            AccessCollector collector;
            collector.visit(s);
            touch(collector.accesses, out);
            out.push_back(s);
        }
        }
    }

    Stmt walkLoop(const Stmt& body)
    {
        walk(body);  // what one iteration leaves for the next
        return walk(body);
    }

    static std::vector<OrderedAccess> accessesOf(const ir::Expr& e)
    {
        AccessCollector collector;
        collector.visit(e);
        return collector.accesses;
    }

    void touch(const std::vector<OrderedAccess>& accesses, std::vector<Stmt>& out)
    {
        bool conflict = false;
        for (const OrderedAccess& now : accesses)
            for (const OrderedAccess& earlier : pending_)
                conflict = conflict || (now.storage == earlier.storage && (now.write || earlier.write) && !sameThread(now, earlier));
        if (conflict) {
            const ir::Expr enter = ir::call(ir::kBool, ir::OpCall{ir::OpId::kTileEnter, {}, {}});
            const Stmt leave = std::make_shared<ir::OpStmt>(ir::OpCall{ir::OpId::kTileLeave, {}, {}});
            out.push_back(std::make_shared<ir::If>(enter, leave));
            pending_.clear();
        }
        pending_.insert(pending_.end(), accesses.begin(), accesses.end());
    }

    // Equal indices that name the thread: each thread comes back to its own element.
    bool sameThread(const OrderedAccess& a, const OrderedAccess& b) const
    {
        if (a.indices.empty() || a.indices.size() != b.indices.size())
            return false;
        bool named = false;
        for (std::size_t i = 0; i < a.indices.size(); ++i) {
            if (!ir::equal(a.indices[i], b.indices[i]))
                return false;
            named = named || threadVars_.contains(a.indices[i].get());
            if (const auto* sum = ir::as<ir::Binary>(a.indices[i]); sum && (sum->op == ir::BinaryOp::kAdd || sum->op == ir::BinaryOp::kSub))
                named = named || threadVars_.contains(sum->a.get()) || threadVars_.contains(sum->b.get());
        }
        return named;
    }

    std::set<const ir::ExprNode*> threadVars_;
    std::vector<OrderedAccess> pending_;
};

class LaunchOrderer : public ir::Rewriter {
public:
    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        const auto* launch = ir::as<ir::Launch>(s);
        if (!launch)
            return rewriteChildren(s);
        if (!runsThreads(*launch))
            return s;
        auto next = std::make_shared<ir::Launch>(*launch);
        next->body = Orderer(*launch).run(launch->body);
        return next;
    }
};

}  // namespace

ir::Function orderThreads(const ir::Function& in, PassContext&)
{
    const auto off = in.passConfigs.find("tl.disable_thread_storage_sync");
    if (off != in.passConfigs.end() && std::holds_alternative<bool>(off->second) && std::get<bool>(off->second))
        return in;
    ir::Function out = in;
    LaunchOrderer orderer;
    out.body = orderer.rewrite(in.body);
    return out;
}

}  // namespace tw::passes

// One walk over the statements with the accesses since the last meeting:
//   s[tx] = x; y = s[31 - tx]      ->  s[tx] = x; meet; y = s[31 - tx]
// A loop's body is walked twice, so that what its end leaves is compared with what its start does; what was done before the loop is
// compared with what the body does up to its first meeting.
#include "core/passes/order_threads.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/analysis/uniform.h"
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
    bool earlierRound = false;  // of a loop around: its variables had other values
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
    explicit Orderer(const ir::Launch& launch) : uniformity_(launch)
    {
        for (std::size_t axis = 0; axis < launch.threadVars.size(); ++axis) {
            threadVars_.insert(launch.threadVars[axis].get());
            if (launch.threads[axis] > 1)
                telling_.insert(launch.threadVars[axis].get());
        }
    }

    Stmt run(const Stmt& s) { return walk(s); }

private:
    using Accesses = std::vector<OrderedAccess>;

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
            meet();
            out.push_back(s);
            return;
        }
        switch (s->kind) {
        case ir::StmtKind::kIf: {
            const auto& branch = static_cast<const ir::If&>(*s);
            touch(accessesOf(branch.condition), out);
            out.push_back(uniformity_.isUniform(branch.condition) ? stepUniform(branch) : stepDivergent(branch, out));
            return;
        }
        case ir::StmtKind::kFor: {
            auto next = std::make_shared<ir::For>(static_cast<const ir::For&>(*s));
            const auto *begin = ir::asInt(next->axes[0].begin), *end = ir::asInt(next->axes[0].end);
            next->body = walkLoop(next->body, {}, begin && end && *begin < *end, out);
            out.push_back(next);
            return;
        }
        case ir::StmtKind::kWhile: {
            auto next = std::make_shared<ir::While>(static_cast<const ir::While&>(*s));
            next->body = walkLoop(next->body, accessesOf(next->condition), false, out);
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

    Stmt stepUniform(const ir::If& branch)
    {
        const Accesses before = pending_;
        const bool metBefore = met_;
        auto next = std::make_shared<ir::If>(branch);
        next->then = walk(branch.then);
        const Accesses afterThen = std::exchange(pending_, before);
        const bool metThen = std::exchange(met_, metBefore);
        if (branch.otherwise)
            next->otherwise = walk(branch.otherwise);
        met_ = met_ && metThen;
        addAll(pending_, afterThen);
        return next;
    }

    // Some threads' code: what they meet at orders them among each other only.
    Stmt stepDivergent(const ir::If& branch, std::vector<Stmt>& out)
    {
        AccessCollector collector;
        for (const Stmt& arm : {branch.then, branch.otherwise})
            if (arm)
                static_cast<ir::Visitor&>(collector).visit(arm);
        touch(collector.accesses, out);
        const Accesses after = pending_, front = front_;
        const bool met = met_;
        auto next = std::make_shared<ir::If>(branch);
        for (Stmt* arm : {&next->then, &next->otherwise}) {
            pending_.clear();
            if (*arm)
                *arm = walk(*arm);
        }
        pending_ = after;
        front_ = front;
        met_ = met;
        return next;
    }

    // `condition`: what is read before each iteration. `runs`: there certainly is one.
    Stmt walkLoop(const Stmt& body, const std::vector<OrderedAccess>& condition, bool runs, std::vector<Stmt>& out)
    {
        const Accesses before = std::exchange(pending_, condition), frontBefore = std::exchange(front_, condition);
        const bool metBefore = std::exchange(met_, false);
        walk(body);  // what one iteration leaves for the next
        for (OrderedAccess& access : pending_)
            access.earlierRound = true;
        if (conflicts(condition, pending_))
            meet();
        addAll(pending_, condition);
        front_ = condition;
        met_ = false;
        Stmt result = walk(body);
        if (conflicts(condition, pending_))
            result = ir::sequence({result, meeting()});
        const Accesses inside = std::exchange(front_, frontBefore);
        const bool met = std::exchange(met_, metBefore) && runs;
        if (conflicts(inside, before)) {
            const Accesses atEnd = pending_;
            out.push_back(meeting());
            pending_ = atEnd;
        } else if (!met) {
            addAll(pending_, before);
        }
        if (!met_)
            addAll(front_, inside);
        met_ = met_ || met;
        return result;
    }

    static std::vector<OrderedAccess> accessesOf(const ir::Expr& e)
    {
        AccessCollector collector;
        collector.visit(e);
        return collector.accesses;
    }

    void touch(const Accesses& accesses, std::vector<Stmt>& out)
    {
        if (conflicts(accesses, pending_))
            out.push_back(meeting());
        addAll(pending_, accesses);
        if (!met_)
            addAll(front_, accesses);
    }

    bool conflicts(const Accesses& accesses, const Accesses& before) const
    {
        for (const OrderedAccess& now : accesses)
            for (const OrderedAccess& earlier : before)
                if (now.storage == earlier.storage && (now.write || earlier.write) && !sameThread(now, earlier))
                    return true;
        return false;
    }

    Stmt meeting()
    {
        meet();
        const ir::Expr enter = ir::call(ir::kBool, ir::OpCall{ir::OpId::kTileEnter, {}, {}});
        return std::make_shared<ir::If>(enter, std::make_shared<ir::OpStmt>(ir::OpCall{ir::OpId::kTileLeave, {}, {}}));
    }

    void meet()
    {
        pending_.clear();
        met_ = true;
    }

    static void addAll(Accesses& to, const Accesses& from) { to.insert(to.end(), from.begin(), from.end()); }

    // Whether an axis tells for each index of the threads which thread it is: each comes back to its own elements.
    bool sameThread(const OrderedAccess& a, const OrderedAccess& b) const
    {
        if (a.indices.empty() || a.indices.size() != b.indices.size())
            return false;
        std::set<const ir::ExprNode*> told;
        for (std::size_t i = 0; i < a.indices.size(); ++i) {
            const ir::Expr& index = a.indices[i];
            if (!ir::equal(index, b.indices[i]) || ((a.earlierRound || b.earlierRound) && changes(index)))
                continue;
            told.insert(index.get());
            if (const auto* sum = ir::as<ir::Binary>(index); sum && (sum->op == ir::BinaryOp::kAdd || sum->op == ir::BinaryOp::kSub))
                told.insert({sum->a.get(), sum->b.get()});
        }
        return std::ranges::all_of(telling_, [&](const ir::ExprNode* var) { return told.contains(var); });
    }

    // Whether an index may differ from one round of a loop to the next.
    bool changes(const ir::Expr& index) const
    {
        struct Finder final : ir::Visitor {
            const std::set<const ir::ExprNode*>* threadVars = nullptr;
            bool found = false;
            using ir::Visitor::visit;
            void visit(const ir::Expr& e) override
            {
                found = found || (e && e->kind == ir::ExprKind::kLoad) || (e && e->kind == ir::ExprKind::kVar && !threadVars->contains(e.get()));
                ir::Visitor::visit(e);
            }
        } finder;
        finder.threadVars = &threadVars_;
        finder.visit(index);
        return finder.found;
    }

    analysis::Uniformity uniformity_;
    std::set<const ir::ExprNode*> telling_;  // thread indices that have more than one value
    std::set<const ir::ExprNode*> threadVars_;
    Accesses pending_;   // since the last meeting
    Accesses front_;     // of the innermost loop's body up to its first meeting
    bool met_ = false;   // in the body
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

#include "profiler/timeline/work.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "profiler/timeline/cost.h"

namespace tw::timeline {

namespace {

using ir::as;
using ir::OpId;
using ir::Stmt;

constexpr double kLoopInstructions = 4;  // of an iteration: counting, comparing, branching

// Whether the order of what is below matters: records, and what waits for others or tells them.
class Orders final : public ir::Visitor {
public:
    bool found = false;
    using ir::Visitor::visit;
    void visit(const ir::OpCall& call) override
    {
        const ir::OpClass cls = ir::info(call.op).cls;
        found = found || call.op == OpId::kStageRecord || cls == ir::OpClass::kBarrier || cls == ir::OpClass::kAsync || call.op == OpId::kTmaLoad;
        ir::Visitor::visit(call);
    }
};

class RoleWalk {
public:
    RoleWalk(const ir::Launch& launch, std::int64_t leader, std::int64_t threads, Values values, const Machine& machine, std::size_t limit,
             std::map<std::pair<const ir::BufferNode*, std::int64_t>, int>& barriers, std::vector<std::string>& remarks)
        : launch_(launch), leader_(leader), active_(threads), values_(std::move(values)), machine_(machine), limit_(limit), barriers_(barriers), remarks_(remarks)
    {
        out_.leader = leader;
        out_.threads = threads;
        setThread(leader);
    }

    RoleWork run()
    {
        statement(launch_.body);
        return std::move(out_);
    }

private:
    void setThread(std::int64_t thread)
    {
        const auto [x, y, z] = launch_.threads;
        const std::int64_t at[] = {thread % x, thread / x % y, thread / x / y};
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (launch_.threadVars[axis])
                threadValues_[launch_.threadVars[axis].get()] = ir::intImm(at[axis]);
        thread_ = thread;
    }

    // With everything known but the thread.
    ir::Expr resolved(const ir::Expr& e) const { return ir::substitute(e, values_); }

    // The thread's value of a resolved integer; lane and warp indices become numbers.
    std::optional<std::int64_t> ofThread(const ir::Expr& e) const
    {
        if (const std::int64_t* n = ir::asInt(e))
            return *n;
        struct Lanes final : ir::Rewriter {
            std::int64_t thread = 0;
            using ir::Rewriter::rewrite;
            ir::Expr rewrite(const ir::Expr& x) override
            {
                const auto* call = as<ir::Call>(x);
                if (!call)
                    return rewriteChildren(x);
                switch (call->call.op) {
                case OpId::kLaneIdx: return ir::intImm(thread % 32);
                case OpId::kWarpIdx: case OpId::kWarpIdxSync: return ir::intImm(thread / 32);
                case OpId::kWarpGroupIdx: return ir::intImm(thread / 128);
                default: return x;
                }
            }
        } lanes;
        lanes.thread = thread_;
        const ir::Expr folded = lanes.rewrite(ir::substitute(e, threadValues_));
        const std::int64_t* n = ir::asInt(folded);
        return n ? std::optional(*n) : std::nullopt;
    }
    std::optional<std::int64_t> value(const ir::Expr& e) const { return ofThread(resolved(e)); }

    void remark(const std::string& text)
    {
        if (std::ranges::find(remarks_, text) == remarks_.end())
            remarks_.push_back(text);
    }
    bool isFull()
    {
        if (out_.steps.size() < limit_)
            return false;
        remark(fmt::format("the model follows each role for {} steps", limit_));
        return true;
    }
    void add(Step step)
    {
        step.warp = static_cast<int>(thread_ / 32);
        step.warps = static_cast<int>((active_ + 31) / 32);
        const Step* last = out_.steps.empty() ? nullptr : &out_.steps.back();
        if (step.kind == StepKind::kWork && last && last->kind == StepKind::kWork && last->warp == step.warp && last->warps == step.warps)
            out_.steps.back().cost += step.cost;
        else
            out_.steps.push_back(step);
    }
    void add(const Cost& cost)
    {
        if (!cost.isNothing())
            add({StepKind::kWork, 0, 0, cost, {}, 0, 1});
    }

    void statement(const Stmt& s)
    {
        if (!s || isFull() || left_)
            return;
        if (const auto* seq = as<ir::Seq>(s))
            for (const Stmt& child : seq->stmts)
                statement(child);
        else if (const auto* bind = as<ir::Bind>(s))
            values_[bind->var.get()] = resolved(bind->value);
        else if (const auto* branch = as<ir::If>(s))
            ifElse(*branch);
        else if (const auto* loop = as<ir::For>(s))
            forLoop(*loop);
        else if (const auto* endless = as<ir::While>(s)) {
            remark("a while loop is taken to run once");
            statement(endless->body);
        } else if (const auto* store = as<ir::Store>(s)) {
            Cost cost = costOf(store->value, active_, machine_);
            cost += accessCost(store->buffer, true, active_);
            add(cost);
        } else if (const auto* op = as<ir::OpStmt>(s))
            operation(op->call);
        else if (s->kind == ir::StmtKind::kReturn)
            left_ = true;
    }

    // Which of the role's active threads go where.
    void ifElse(const ir::If& branch)
    {
        const std::int64_t leader = thread_, active = active_;
        const ir::Expr condition = resolved(branch.condition);
        if (const auto own = ofThread(condition); own && (active == 1 || ir::asInt(condition)))
            return statement(*own ? branch.then : branch.otherwise);
        std::int64_t taken = 0, first = -1, other = -1;
        bool known = true;
        for (std::int64_t t = leader_; known && t < leader_ + out_.threads; ++t) {
            setThread(t);
            const auto holds = ofThread(condition);
            known = holds.has_value();
            taken += holds.value_or(0) ? 1 : 0;
            std::int64_t& chosen = holds.value_or(0) ? first : other;
            chosen = chosen < 0 ? t : chosen;
        }
        if (!known) {
            setThread(leader);
            remark("conditions on values of memory are taken to hold");
            return statement(branch.then);
        }
        const std::int64_t total = out_.threads;
        if (taken > 0) {
            setThread(first);
            active_ = taken == total ? active : std::min(active, taken);
            statement(branch.then);
        }
        if (taken < total) {
            setThread(other);
            active_ = taken == 0 ? active : std::min(active, total - taken);
            statement(branch.otherwise);
        }
        setThread(leader);
        active_ = active;
    }

    void forLoop(const ir::For& loop)
    {
        const ir::Axis& axis = loop.axes.front();
        const auto begin = value(axis.begin), end = value(axis.end), step = axis.step ? value(axis.step) : std::optional<std::int64_t>(1);
        std::int64_t trips = 1;
        if (begin && end && step && *step != 0)
            trips = std::max<std::int64_t>(0, (*end - *begin + *step - (*step > 0 ? 1 : -1)) / *step);
        else
            remark("a loop whose bounds depend on values of memory is taken to run once");
        Orders orders;
        orders.visit(loop.body);
        const auto at = [&](std::int64_t i) { values_[axis.var.get()] = ir::intImm(begin.value_or(0) + i * step.value_or(1), axis.var->dtype); };
        if (orders.found) {
            Cost counting;
            counting.narrow = loop.loop == ir::ForKind::kUnrolled ? 0 : kLoopInstructions;
            for (std::int64_t i = 0; i < trips && !isFull() && !left_; ++i) {
                at(i);
                statement(loop.body);
                add(counting);
            }
            return;
        }
        if (trips == 0)
            return;
        // All iterations cost what the first one does.
        std::vector<Step> before = std::exchange(out_.steps, {});
        at(0);
        statement(loop.body);
        std::swap(before, out_.steps);
        Cost cost;
        for (const Step& s : before)
            cost += s.cost;
        add(cost.times(static_cast<double>(trips), loop.loop == ir::ForKind::kVectorized, isCarried(loop.body, axis.var)));
    }

    int barrierOf(const ir::OpCall& call)
    {
        const ir::Region* region = ir::regionOperand(call, "barrier");
        if (!region)
            return -1;
        const ir::BufferNode* storage = region->buffer.get();
        while (storage->viewOf)
            storage = storage->viewOf.get();
        const auto index = value(region->mins.front());
        if (!index)
            return -1;
        return barriers_.try_emplace({storage, *index}, static_cast<int>(barriers_.size())).first->second;
    }

    void operation(const ir::OpCall& call)
    {
        if (call.op == OpId::kStageRecord)
            return add({StepKind::kRecord, static_cast<int>(value(ir::exprOperand(call, "event")).value_or(0)), 0, {}, {}, 0, 1});
        const auto number = [&](const char* name, std::int64_t otherwise) {
            const ir::Expr e = ir::exprOperand(call, name);
            return e ? value(e).value_or(otherwise) : otherwise;
        };
        const auto onBarrier = [&](StepKind kind, std::int64_t count, const Cost& cost = {}) {
            if (const int id = barrierOf(call); id >= 0)
                add({kind, id, count, cost, {}, 0, 1});
            else
                remark("a barrier whose index depends on values of memory is left out");
        };
        const auto group = [&](StepKind kind, std::int64_t count, interp::Engine engine) { add({kind, 0, count, {}, engine, 0, 1}); };
        switch (call.op) {
        case OpId::kBarrierInit: return onBarrier(StepKind::kInit, number("count", 1));
        case OpId::kBarrierArrive: case OpId::kBarrierArriveExpectTx: return onBarrier(StepKind::kArrive, active_);
        case OpId::kCpAsyncBarrier: return onBarrier(StepKind::kArriveCopies, active_);
        case OpId::kBarrierWait: return onBarrier(StepKind::kWait, number("parity", 0) & 1);
        case OpId::kTmaLoad: {
            Cost cost;
            cost.copied = bytesOf(*ir::regionOperand(call, "src"));
            return onBarrier(StepKind::kBulk, 0, cost);
        }
        case OpId::kCommitGroup: return group(StepKind::kCommit, 0, interp::Engine::kCpAsync);
        case OpId::kWaitGroup: return group(StepKind::kWaitGroups, number("n", 0), interp::Engine::kCpAsync);
        case OpId::kWarpgroupCommit: return group(StepKind::kCommit, 0, interp::Engine::kWgmma);
        case OpId::kWaitWgmma: case OpId::kWarpgroupWait: return group(StepKind::kWaitGroups, number("n", 0), interp::Engine::kWgmma);
        case OpId::kTmaStoreArrive: return group(StepKind::kCommit, 0, interp::Engine::kBulkStore);
        case OpId::kTmaStoreWait: return group(StepKind::kWaitGroups, number("count", 0), interp::Engine::kBulkStore);
        case OpId::kFenceProxyAsync: return add({StepKind::kFence, 0, 0, {}, {}, 0, 1});
        case OpId::kSyncThreads: {
            const std::int64_t all = launch_.threads[0] * launch_.threads[1] * launch_.threads[2];
            return add({StepKind::kMeet, static_cast<int>(number("barrier_id", 0)), number("arrive_count", all), {}, {}, 0, 1});
        }
        case OpId::kSyncCount: case OpId::kSyncAnd: case OpId::kSyncOr:
            return add({StepKind::kMeet, 0, launch_.threads[0] * launch_.threads[1] * launch_.threads[2], {}, {}, 0, 1});
        default: add(costOf(call, active_, machine_));
        }
    }

    const ir::Launch& launch_;
    std::int64_t leader_, active_, thread_ = 0;
    Values values_, threadValues_;
    const Machine& machine_;
    std::size_t limit_;
    std::map<std::pair<const ir::BufferNode*, std::int64_t>, int>& barriers_;  // shared by the roles
    std::vector<std::string>& remarks_;
    bool left_ = false;
    RoleWork out_;
};

}  // namespace

std::vector<RoleWork> workOf(const ir::Launch& launch, const gpu::StageRecords& table, const Values& values, const Machine& machine, std::size_t limit,
                             std::vector<std::string>& remarks)
{
    std::map<std::pair<const ir::BufferNode*, std::int64_t>, int> barriers;
    std::vector<RoleWork> out;
    const std::int64_t total = launch.threads[0] * launch.threads[1] * launch.threads[2];
    for (std::size_t i = 0; i < table.roles.size(); ++i) {
        const std::int64_t end = i + 1 < table.roles.size() ? table.roles[i + 1].leader : total;
        out.push_back(RoleWalk(launch, table.roles[i].leader, end - table.roles[i].leader, values, machine, limit, barriers, remarks).run());
    }
    return out;
}

}  // namespace tw::timeline

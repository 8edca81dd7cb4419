#include "core/passes/tile_accesses.h"

#include <algorithm>
#include <optional>

#include "core/analysis/effects.h"
#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"

namespace tw::passes {

using analysis::storageOf;
using ir::as;
using ir::Stmt;

namespace {

bool meetsOthers(const ir::OpCall& call)
{
    using ir::OpId;
    switch (call.op) {
    case OpId::kSyncGrid: case OpId::kSyncGlobal: case OpId::kBarrierWait: case OpId::kClusterSync: case OpId::kClusterWait:
    case OpId::kPdlSync: case OpId::kAtomicLoad: case OpId::kNamedBarrierArrive: return true;
    case OpId::kSyncThreads: return static_cast<bool>(ir::exprOperand(call, "barrier_id"));
    case OpId::kCallExtern: return !ir::boolAttr(call.attrs, "pure", false);
    default: return false;
    }
}

bool countsGroups(const ir::OpCall& call)
{
    return call.op == ir::OpId::kAsyncCopy || call.op == ir::OpId::kCpAsync || call.op == ir::OpId::kCommitGroup ||
           call.op == ir::OpId::kWaitGroup;
}

class AccessVisitor final : public ir::Visitor {
public:
    TileAccesses found;
    using ir::Visitor::visit;

    void visit(const Stmt& s) override
    {
        if (!s)
            return;
        const ir::StmtNode* outer = statement_;
        if (s->kind != ir::StmtKind::kSeq)
            statement_ = s.get();
        visitStatement(s);
        statement_ = outer;
    }

    void visit(const ir::Expr& e) override
    {
        ir::Visitor::visit(e);
        if (const auto* load = as<ir::Load>(e))
            note(load->buffer.get(), {}, {}, {true, false});
    }

    void visit(const ir::OpCall& call) override
    {
        ir::Visitor::visit(call);
        found.meetsOthers = found.meetsOthers || meetsOthers(call);
        found.groups = found.groups || countsGroups(call);
        for (std::size_t i = 0; i < call.operands.size(); ++i)
            if (const auto* region = std::get_if<ir::Region>(&call.operands[i]); region && region->buffer) {
                note(region->buffer.get(), region->mins, region->extents, analysis::effectOf(call, i));
                if (!found.all.empty()) {
                    found.all.back().op = call.op;
                    found.all.back().isOperand = true;
                }
            }
    }

private:
    void visitStatement(const Stmt& s)
    {
        if (const auto* branch = as<ir::If>(s)) {
            visit(branch->condition);
            arms_.push_back({branch, true});
            visit(branch->then);
            arms_.back().then = false;
            visit(branch->otherwise);
            arms_.pop_back();
            return;
        }
        const auto* loop = as<ir::For>(s);
        found.loopsPipelined = found.loopsPipelined || (loop && loop->loop == ir::ForKind::kPipelined);
        const bool ownsJumps = loop || s->kind == ir::StmtKind::kWhile;
        loops_ += ownsJumps ? 1 : 0;
        ir::Visitor::visit(s);
        loops_ -= ownsJumps ? 1 : 0;
        if (const auto* store = as<ir::Store>(s))
            note(store->buffer.get(), {}, {}, {false, true});
        if (s->kind == ir::StmtKind::kReturn)
            found.jumps = true;
        if (loops_ == 0 && (s->kind == ir::StmtKind::kBreak || s->kind == ir::StmtKind::kContinue))
            found.jumps = true;
    }

    void note(const ir::BufferNode* buffer, const std::vector<ir::Expr>& mins, const std::vector<ir::Expr>& extents,
              analysis::Effect effect)
    {
        if (effect.reads || effect.writes)
            found.all.push_back({buffer, storageOf(buffer), mins, extents, effect.reads, effect.writes, statement_, {}, false, arms_});
    }

    const ir::StmtNode* statement_ = nullptr;
    std::vector<Arm> arms_;
    int loops_ = 0;
};

bool runsAtLeastOnce(const ir::For& loop)
{
    return std::ranges::all_of(loop.axes, [](const ir::Axis& axis) {
        const auto *begin = ir::asInt(axis.begin), *end = ir::asInt(axis.end);
        return begin && end && *begin < *end;
    });
}

// A nest that stores to storage[i, j, …] with i, j, … its own axes over all of the storage.
bool fillsAll(const ir::For& nest, const ir::BufferNode* storage)
{
    const auto* seq = as<ir::Seq>(nest.body);
    const std::vector<Stmt> body = seq ? seq->stmts : std::vector<Stmt>{nest.body};
    for (const Stmt& s : body) {
        const auto* store = as<ir::Store>(s);
        if (!store || store->buffer.get() != storage || store->indices.size() != nest.axes.size())
            continue;
        bool all = true;
        for (std::size_t k = 0; k < nest.axes.size() && all; ++k) {
            const auto axis = std::ranges::find_if(nest.axes, [&](const ir::Axis& a) { return a.var.get() == store->indices[k].get(); });
            all = axis != nest.axes.end() && ir::asInt(axis->begin) && *ir::asInt(axis->begin) == 0 && ir::equal(axis->end, storage->shape[k]) &&
                  std::ranges::count(store->indices, store->indices[k]) == 1;
        }
        if (all)
            return true;
    }
    return false;
}

bool coversAll(const TileAccess& a)
{
    for (std::size_t k = 0; k < a.mins.size(); ++k)
        if (!ir::isZero(a.mins[k]) || !ir::equal(a.extents[k], a.storage->shape[k]))
            return false;
    return !a.mins.empty();
}

Flow flowOfLeaf(const Stmt& s, const ir::BufferNode* storage)
{
    AccessVisitor visitor;
    visitor.visit(s);
    Flow flow;
    for (const TileAccess& a : visitor.found.all) {
        if (a.storage != storage)
            continue;
        flow.exposed = flow.exposed || a.reads;
        flow.killed = flow.killed || (a.writes && !a.reads && a.arms.empty() && a.buffer == storage && coversAll(a));
    }
    return flow;
}

}  // namespace

bool TileAccesses::writes(const ir::BufferNode* storage) const
{
    return std::ranges::any_of(all, [&](const TileAccess& a) { return a.storage == storage && a.writes; });
}

bool TileAccesses::touches(const ir::BufferNode* storage) const
{
    return std::ranges::any_of(all, [&](const TileAccess& a) { return a.storage == storage; });
}

TileAccesses accessesOf(const Stmt& s)
{
    AccessVisitor visitor;
    visitor.visit(s);
    return std::move(visitor.found);
}

Flow flowOf(const Stmt& s, const ir::BufferNode* storage)
{
    if (!s)
        return {};
    if (const auto* seq = as<ir::Seq>(s)) {
        Flow all;
        bool jumped = false;  // what stands behind a break may never run
        for (const Stmt& child : seq->stmts) {
            const Flow flow = flowOf(child, storage);
            all.exposed = all.exposed || (flow.exposed && !all.killed);
            all.killed = all.killed || (flow.killed && !jumped);
            jumped = jumped || accessesOf(child).jumps;
        }
        return all;
    }
    if (const auto* branch = as<ir::If>(s)) {
        const Flow then = flowOf(branch->then, storage), otherwise = flowOf(branch->otherwise, storage);
        AccessVisitor condition;
        condition.visit(branch->condition);
        return {condition.found.touches(storage) || then.exposed || otherwise.exposed, then.killed && otherwise.killed};
    }
    if (const auto* loop = as<ir::For>(s)) {
        const bool parallel = loop->loop == ir::ForKind::kParallel;
        Flow body = parallel ? flowOfLeaf(s, storage) : flowOf(loop->body, storage);
        AccessVisitor bounds;
        for (const ir::Axis& axis : loop->axes) {
            bounds.visit(axis.begin);
            bounds.visit(axis.end);
        }
        body.exposed = body.exposed || bounds.found.touches(storage);
        body.killed = runsAtLeastOnce(*loop) && (parallel ? fillsAll(*loop, storage) : body.killed);
        return body;
    }
    if (const auto* loop = as<ir::While>(s)) {
        AccessVisitor condition;
        condition.visit(loop->condition);
        return {condition.found.touches(storage) || flowOf(loop->body, storage).exposed, false};
    }
    if (const auto* launch = as<ir::Launch>(s))
        return flowOf(launch->body, storage);
    return flowOfLeaf(s, storage);
}

namespace {

enum class Fate : std::uint8_t { kElsewhere, kOpen, kLive, kDead };

Fate judge(const Flow& flow)
{
    return flow.exposed ? Fate::kLive : flow.killed ? Fate::kDead : Fate::kOpen;
}

Fate fateAfter(const Stmt& s, const ir::StmtNode* loop, const ir::BufferNode* storage)
{
    if (!s)
        return Fate::kElsewhere;
    if (s.get() == loop)
        return Fate::kOpen;
    if (const auto* seq = as<ir::Seq>(s)) {
        Fate fate = Fate::kElsewhere;
        for (const Stmt& child : seq->stmts)
            if (fate == Fate::kElsewhere)
                fate = fateAfter(child, loop, storage);
            else if (fate == Fate::kOpen)
                fate = judge(flowOf(child, storage));
        return fate;
    }
    if (const auto* branch = as<ir::If>(s)) {
        const Fate fate = fateAfter(branch->then, loop, storage);
        return fate != Fate::kElsewhere ? fate : fateAfter(branch->otherwise, loop, storage);
    }
    Stmt body;
    if (const auto* outer = as<ir::For>(s))
        body = outer->body;
    else if (const auto* outer2 = as<ir::While>(s))
        body = outer2->body;
    else if (const auto* launch = as<ir::Launch>(s))
        return fateAfter(launch->body, loop, storage);
    const Fate fate = fateAfter(body, loop, storage);
    // The next iteration may read it; the loop may also have ended.
    if (fate == Fate::kOpen && flowOf(body, storage).exposed)
        return Fate::kLive;
    return fate;
}

}  // namespace

bool isLiveAfter(const Stmt& root, const ir::StmtNode* loop, const ir::BufferNode* storage)
{
    return fateAfter(root, loop, storage) == Fate::kLive;
}

}  // namespace tw::passes

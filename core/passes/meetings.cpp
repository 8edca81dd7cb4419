#include "core/passes/meetings.h"

#include "core/analysis/effects.h"
#include "core/analysis/walk.h"
#include "core/ir/call.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"
#include "core/passes/engines.h"

namespace tw::passes {

using analysis::storageOf;
using ir::as;
using ir::OpId;
using ir::Stmt;

namespace {

constexpr int kFirstName = 1;  // barrier 0 is that of all threads
constexpr int kNames = 16;

Meeting meetingOf(const ir::OpCall& call)
{
    switch (call.op) {
    case OpId::kSyncThreads: case OpId::kSyncCount: case OpId::kSyncAnd: case OpId::kSyncOr: case OpId::kSyncGrid: case OpId::kClusterSync:
    case OpId::kClusterWait: return Meeting::kAll;
    case OpId::kSyncWarp: return Meeting::kWarp;
    default: return Meeting::kNone;
    }
}

bool isNamed(const ir::OpCall& call)
{
    return call.op == OpId::kSyncThreads && ir::exprOperand(call, "barrier_id");
}

}  // namespace

Meetings::Meetings(const ir::Launch& launch)
{
    ir::forEachCall(launch.body, [&](const ir::OpCall& call) {
        if (!isNamed(call) && call.op != OpId::kNamedBarrierArrive)
            return;
        if (const auto* id = ir::asInt(ir::exprOperand(call, "barrier_id")))
            taken_.insert(*id);
        else
            for (int i = 0; i < kNames; ++i)  // the author computes it: it may be any
                taken_.insert(i);
    });
}

Meeting Meetings::of(const Stmt& s) const
{
    Meeting strongest = Meeting::kNone;
    ir::forEachCall(s, [&](const ir::OpCall& call) { strongest = std::max(strongest, meetingOf(call)); });
    return strongest;
}

bool Meetings::isIn(const Stmt& s) const
{
    bool found = false;
    ir::forEachCall(s, [&](const ir::OpCall& call) {
        found = found || meetingOf(call) != Meeting::kNone || call.op == OpId::kBarrierWait || call.op == OpId::kNamedBarrierArrive;
    });
    return found;
}

bool Meetings::waitsForRoles(const Stmt& s) const
{
    return ir::anyCall(s, [](const ir::OpCall& call) { return call.op == OpId::kBarrierWait || isNamed(call); });
}

std::optional<int> Meetings::nameFor(std::int64_t first, std::int64_t last)
{
    if (const auto found = names_.find({first, last}); found != names_.end())
        return found->second;
    for (int id = kFirstName; id < kNames; ++id)
        if (taken_.insert(id).second)
            return names_[{first, last}] = id;
    return {};
}

std::set<const ir::BufferNode*> exchangedGlobals(const ir::Launch& launch)
{
    struct Finder final : ir::Visitor {
        std::map<const ir::BufferNode*, std::set<const void*>> places;  // statements and expressions that access a tensor
        std::set<const ir::BufferNode*> written;
        using ir::Visitor::visit;
        void note(const ir::Buffer& buffer, const void* place, bool writes)
        {
            const ir::BufferNode* storage = storageOf(buffer.get());
            if (storage->scope != ir::MemoryScope::kGlobal)
                return;
            places[storage].insert(place);
            if (writes)
                written.insert(storage);
        }
        void visit(const ir::Expr& e) override
        {
            if (const auto* load = as<ir::Load>(e))
                note(load->buffer, load, false);
            ir::Visitor::visit(e);
        }
        void visit(const Stmt& s) override
        {
            if (const auto* store = as<ir::Store>(s))
                note(store->buffer, store, true);
            ir::Visitor::visit(s);
        }
        void visit(const ir::OpCall& call) override
        {
            for (std::size_t i = 0; i < call.operands.size(); ++i)
                if (const auto* region = std::get_if<ir::Region>(&call.operands[i]); region && region->buffer)
                    if (const auto effect = analysis::effectOf(call, i); effect.reads || effect.writes)
                        note(region->buffer, &call, effect.writes);
            ir::Visitor::visit(call);
        }
    };
    Finder finder;
    static_cast<ir::Visitor&>(finder).visit(launch.body);
    std::set<const ir::BufferNode*> exchanged;
    for (const ir::BufferNode* storage : finder.written)
        if (finder.places[storage].size() > 1)
            exchanged.insert(storage);
    return exchanged;
}

bool usesAsyncProxy(const ir::Launch& launch)
{
    return ir::anyCall(launch.body, [](const ir::OpCall& call) { return usesAsyncProxy(engineOf(call.op)); });
}

}  // namespace tw::passes

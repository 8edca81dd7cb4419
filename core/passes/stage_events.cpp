#include "core/passes/stage_events.h"

#include "core/analysis/walk.h"
#include "core/ir/visit.h"

namespace tw::passes {

using ir::as;
using ir::OpClass;
using ir::OpId;
using ir::Stmt;

const char* stageKindName(StageKind kind)
{
    switch (kind) {
    case StageKind::kSetup: return "setup";
    case StageKind::kIssue: return "issue";
    case StageKind::kCopy: return "copy";
    case StageKind::kWait: return "wait";
    case StageKind::kTensor: return "tensor";
    case StageKind::kReduce: return "reduce";
    case StageKind::kCompute: return "compute";
    case StageKind::kStore: return "store";
    case StageKind::kEpilogue: return "epilogue";
    }
    return "";
}

// What the code of each tile operation does.
class StageEvents::Scan final : public ir::Visitor {
public:
    explicit Scan(std::map<std::uint32_t, Traits>& traits) : traits_(traits) {}
    using ir::Visitor::visit;

    void visit(const Stmt& s) override
    {
        if (!s)
            return;
        const std::uint32_t outer = op_;
        op_ = s->where.op;
        if (const auto* store = as<ir::Store>(s))
            writes(store->buffer);
        ir::Visitor::visit(s);
        op_ = outer;
    }
    void visit(const ir::Expr& e) override
    {
        if (const auto* load = as<ir::Load>(e); load && scopeOf(load->buffer) == ir::MemoryScope::kGlobal)
            traits_[op_].readsGlobal = true;
        ir::Visitor::visit(e);
    }
    void visit(const ir::OpCall& call) override
    {
        Traits& traits = traits_[op_];
        const ir::OpInfo& info = ir::info(call.op);
        traits.multiplies |= info.cls == OpClass::kProduct;
        traits.startsCopies |= call.op == OpId::kCpAsync || call.op == OpId::kTmaLoad || call.op == OpId::kTmaStore;
        traits.combines |= info.cls == OpClass::kWarp;
        for (std::size_t i = 0; i < call.operands.size() && !info.operands.empty(); ++i) {
            const auto* region = std::get_if<ir::Region>(&call.operands[i]);
            const ir::Role role = info.operands[std::min(i, info.operands.size() - 1)].role;
            if (region && region->buffer && (role == ir::Role::kWrite || role == ir::Role::kReadWrite))
                writes(region->buffer);
        }
        ir::Visitor::visit(call);
    }

private:
    static ir::MemoryScope scopeOf(const ir::Buffer& buffer) { return analysis::storageOf(buffer.get())->scope; }
    void writes(const ir::Buffer& buffer)
    {
        traits_[op_].writesGlobal |= scopeOf(buffer) == ir::MemoryScope::kGlobal;
        traits_[op_].writesShared |= scopeOf(buffer) == ir::MemoryScope::kShared;
    }

    std::map<std::uint32_t, Traits>& traits_;
    std::uint32_t op_ = 0;
};

StageEvents::StageEvents(const ir::Launch& launch)
{
    Scan(traits_).visit(launch.body);
}

bool StageEvents::writesGlobal(std::uint32_t op) const
{
    const auto found = traits_.find(op);
    return found != traits_.end() && found->second.writesGlobal;
}

StageKind StageEvents::kindOf(std::uint32_t op) const
{
    const auto found = traits_.find(op);
    if (op == 0 || found == traits_.end())
        return StageKind::kCompute;
    const Traits& t = found->second;
    return t.multiplies                      ? StageKind::kTensor
           : t.startsCopies                  ? StageKind::kIssue
           : t.combines                      ? StageKind::kReduce
           : t.writesGlobal                  ? StageKind::kStore
           : t.readsGlobal && t.writesShared ? StageKind::kCopy
                                             : StageKind::kCompute;
}

std::optional<StageKind> StageEvents::ofOperation(const ir::OpCall& call, std::uint32_t op) const
{
    switch (call.op) {
    case OpId::kSyncThreads: case OpId::kSyncCount: case OpId::kSyncAnd: case OpId::kSyncOr: case OpId::kSyncGrid: case OpId::kSyncGlobal:
    case OpId::kBarrierWait: case OpId::kClusterSync: case OpId::kClusterWait: case OpId::kWaitGroup: case OpId::kTmaStoreWait: case OpId::kPdlSync:
        return StageKind::kWait;
    // The tensor core works while a warp group waits for it.
    case OpId::kWaitWgmma: case OpId::kWarpgroupWait: return StageKind::kTensor;
    default: break;
    }
    switch (ir::info(call.op).cls) {
    case OpClass::kBarrier: case OpClass::kAsync: case OpClass::kAnnotation: case OpClass::kThread: return std::nullopt;
    default: return kindOf(op);
    }
}

std::optional<StageEvent> StageEvents::ofLeaf(const Stmt& s) const
{
    const std::uint32_t op = s->where.op;
    if (const auto* call = as<ir::OpStmt>(s)) {
        const auto kind = ofOperation(call->call, op);
        return kind ? std::optional(StageEvent{*kind, op}) : std::nullopt;
    }
    const auto* store = as<ir::Store>(s);
    if (!store || store->buffer->scope == ir::MemoryScope::kVar)
        return std::nullopt;
    return StageEvent{kindOf(op), op};
}

const std::set<StageEvent>& StageEvents::below(const Stmt& s)
{
    static const std::set<StageEvent> none;
    if (!s)
        return none;
    if (const auto found = below_.find(s.get()); found != below_.end())
        return found->second;
    std::set<StageEvent> all;
    const auto add = [&](const Stmt& child) { all.insert(below(child).begin(), below(child).end()); };
    if (const auto* seq = as<ir::Seq>(s))
        for (const Stmt& child : seq->stmts)
            add(child);
    else if (const auto* loop = as<ir::For>(s))
        add(loop->body);
    else if (const auto* repeat = as<ir::While>(s))
        add(repeat->body);
    else if (const auto* branch = as<ir::If>(s)) {
        add(branch->then);
        add(branch->otherwise);
    } else if (const auto event = ofLeaf(s)) {
        all.insert(*event);
    }
    return below_[s.get()] = std::move(all);
}

}  // namespace tw::passes

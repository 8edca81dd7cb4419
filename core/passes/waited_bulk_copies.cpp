#include "core/passes/waited_bulk_copies.h"

#include <fmt/format.h>

#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/passes/lower_steps.h"

namespace tw::passes {

using ir::OpId;
using ir::Stmt;

namespace {

struct SafeValues final : ir::Visitor {
    std::set<const ir::BufferNode*> tensors;
    using ir::Visitor::visit;
    void visit(const ir::OpCall& call) override
    {
        if (call.op == OpId::kAnnotateSafeValue)
            if (const auto* region = std::get_if<ir::Region>(&call.operands[0]))
                tensors.insert(analysis::storageOf(region->buffer.get()));
        ir::Visitor::visit(call);
    }
};

ir::Buffer one(const std::string& name, ir::DType type, ir::MemoryScope scope, const ir::Provenance& where, std::vector<std::int64_t> arrivals)
{
    auto buffer = std::make_shared<ir::BufferNode>();
    buffer->name = name;
    buffer->dtype = type;
    buffer->shape = {ir::intImm(1)};
    buffer->scope = scope;
    buffer->where = where;
    buffer->arrivals = std::move(arrivals);
    return buffer;
}

}  // namespace

WaitedBulkCopies::WaitedBulkCopies(const ir::Function& function)
{
    SafeValues values;
    static_cast<ir::Visitor&>(values).visit(function.body);
    safeValues_ = std::move(values.tensors);
}

std::string WaitedBulkCopies::problemOf(const ir::Region& src) const
{
    return safeValues_.contains(analysis::storageOf(src.buffer.get())) ? fmt::format("outside of {} the TMA unit reads zero", src.buffer->name) : std::string();
}

Stmt WaitedBulkCopies::make(const ir::OpCall& copy, const ir::Region& src, const ir::Region& dst, std::int64_t threads, const ir::Provenance& where)
{
    const auto op = [&](OpId id, std::vector<ir::Operand> operands, ir::Attrs attrs = {}) -> Stmt {
        return std::make_shared<ir::OpStmt>(ir::OpCall{id, std::move(operands), std::move(attrs)}, where);
    };
    ir::Attrs attrs;
    if (const auto policy = copy.attrs.find("eviction_policy"); policy != copy.attrs.end())
        attrs.insert(*policy);
    if (dst.buffer->scope == ir::MemoryScope::kGlobal)
        return ir::sequence({op(OpId::kTmaCopy, {src, dst}, attrs), op(OpId::kTmaStoreWait, {ir::intImm(0)}, {{"read", false}})});
    const ir::Buffer barrier = one(dst.buffer->name + "_full", ir::kUInt64, ir::MemoryScope::kBarrier, where, {threads});
    const ir::Buffer phase = one(dst.buffer->name + "_phase", ir::kInt32, ir::MemoryScope::kVar, where, {});
    barriers_.push_back(std::make_shared<ir::Allocate>(barrier, where));
    phases_.push_back(std::make_shared<ir::Allocate>(phase, where));
    phases_.push_back(storeAt(phase, {ir::intImm(0)}, ir::intImm(0), where));
    const ir::Region full{barrier, {ir::intImm(0)}, {ir::intImm(1)}};
    const ir::Expr parity = loadAt(phase, {ir::intImm(0)});
    return ir::sequence({op(OpId::kTmaCopy, {src, dst, full}, attrs), op(OpId::kBarrierArrive, {full}), op(OpId::kBarrierWait, {full, parity}),
                         storeAt(phase, {ir::intImm(0)}, ir::sub(ir::intImm(1), parity), where)});
}

Stmt WaitedBulkCopies::finish(const Stmt& launch)
{
    if (barriers_.empty())
        return launch;
    auto whole = std::make_shared<ir::Launch>(static_cast<const ir::Launch&>(*launch));
    std::vector<Stmt> body = std::move(barriers_);
    body.insert(body.end(), phases_.begin(), phases_.end());
    body.push_back(whole->body);
    whole->body = ir::sequence(std::move(body));
    barriers_.clear();
    phases_.clear();
    return whole;
}

}  // namespace tw::passes

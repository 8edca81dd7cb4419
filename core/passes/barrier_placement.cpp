#include "core/passes/barrier_placement.h"

namespace tw::passes {

using ir::OpId;
using ir::Stmt;

namespace {

bool ordersRegisters(const Stmt& s)
{
    const auto* op = ir::as<ir::OpStmt>(s);
    return op && (op->call.op == OpId::kWarpgroupArrive || op->call.op == OpId::kWarpgroupFence);
}

bool isFence(const Stmt& s)
{
    const auto* op = ir::as<ir::OpStmt>(s);
    return op && op->call.op == OpId::kFenceProxyAsync;
}

}  // namespace

std::size_t BarrierPlacement::put(const Stmt& s, Out& out)
{
    auto at = out.end();
    while (at != out.begin() && ordersRegisters(at[-1]))
        --at;
    ++inserted_;
    const auto put = out.insert(at, s);  // before begin() is asked for: the insertion may move everything
    return static_cast<std::size_t>(put - out.begin());
}

bool BarrierPlacement::putFence(const Stmt& fence, Out& out)
{
    if (last_.at > 0 && isFence(out[last_.at - 1]))
        return false;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(last_.at), fence);
    ++last_.at;
    ++inserted_;
    return true;
}

Stmt operationAt(OpId id, std::vector<ir::Operand> operands, const Stmt& at)
{
    return std::make_shared<ir::OpStmt>(ir::OpCall{id, std::move(operands), {}}, at->where);
}

}  // namespace tw::passes

#include "core/passes/crew.h"

#include "core/ir/build.h"
#include "core/passes/hardware.h"

namespace tw::passes {

namespace {

ir::Stmt meet(ir::OpId id, std::vector<ir::Operand> operands, const ir::Provenance& where)
{
    return std::make_shared<ir::OpStmt>(ir::OpCall{id, std::move(operands), {}}, where);
}

}  // namespace

std::optional<std::pair<std::int64_t, std::int64_t>> Crew::span() const
{
    if (!known || threads->count() == 0)
        return {};
    std::int64_t first = 0, last = threads->total() - 1;
    while (!threads->contains(first))
        ++first;
    while (!threads->contains(last))
        --last;
    if (last - first + 1 != threads->count())
        return {};
    return std::pair{first, last};
}

bool Crew::isWholeWarps() const
{
    const auto s = span();
    return s && s->first % kWarpSize == 0 && (s->second + 1) % kWarpSize == 0;
}

ir::Stmt Crew::meeting(Meetings& meetings, const ir::Provenance& where) const
{
    if (isWholeBlock())
        return meet(ir::OpId::kSyncThreads, {}, where);
    const auto s = span();
    if (!s)
        return {};
    const auto [first, last] = *s;
    if (first / kWarpSize == last / kWarpSize) {
        const std::int64_t mask = ((std::int64_t{1} << (last - first + 1)) - 1) << (first % kWarpSize);
        return meet(ir::OpId::kSyncWarp, {ir::constant(ir::kUInt32, mask)}, where);
    }
    const auto name = isWholeWarps() ? meetings.nameFor(first, last) : std::nullopt;
    if (!name)
        return {};
    return meet(ir::OpId::kSyncThreads, {ir::intImm(*name), ir::intImm(last - first + 1)}, where);
}

}  // namespace tw::passes

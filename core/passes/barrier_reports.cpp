#include "core/passes/barrier_reports.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ir/call.h"

namespace tw::passes {

void BarrierReports::explain(const ir::Stmt& inserted, const MemoryAccess& a, const MemoryAccess& b, bool certain)
{
    if (const auto* op = ir::as<ir::OpStmt>(inserted))
        context_.syncReasons.push_back({op->call.op, b.view->name, a.writes, b.writes, certain, op->where, a.where, b.where});
}

bool BarrierReports::impossible(const FoundHazard& found, bool isKnown)
{
    const MemoryAccess &a = *found.earlier, &b = *found.later;
    const std::string message =
        fmt::format("threads of one block exchange {} here, under a condition that not all threads of whole warps satisfy, so no "
                    "barrier can stand between; take the exchange out of the branch",
                    b.view->name);
    const bool certain = found.worst != Hazard::kUnknown || isKnown;
    if (!certain && b.storage->scope == ir::MemoryScope::kGlobal)
        return false;  // threads mostly keep to their own elements there, in ways that indices do not show
    Diagnostic& d = certain ? context_.diagnostics.error(Code::kDivergentBarrier, b.where.range, message)
                            : context_.diagnostics.warning(Code::kRace, b.where.range, message);
    Note before;
    before.range = a.where.range;
    before.message = "the access before";
    d.notes.assign(1, before);
    return true;
}

bool BarrierReports::isNewOverwrite(const FoundHazard& found) const
{
    const MemoryAccess &a = *found.earlier, &b = *found.later;
    const bool isOverwrite = b.storage->scope == ir::MemoryScope::kGlobal && !a.writes && b.writes && !b.reads;
    return isOverwrite && found.worst != Hazard::kUnknown && a.where.range != b.where.range && b.engine == Engine::kNone &&
           std::ranges::none_of(overwrites_, [&](const Diagnostic& d) { return d.range == b.where.range; });
}

void BarrierReports::overwrite(const FoundHazard& found)
{
    const MemoryAccess &a = *found.earlier, &b = *found.later;
    Diagnostic& d = overwrites_.emplace_back();
    d.code = Code::kRace;
    d.severity = Severity::kWarning;
    d.range = b.where.range;
    d.message = fmt::format("threads overwrite elements of {} here that other threads of the block read before, with no barrier between: a race, "
                            "except where the compiler puts a barrier in by itself, as this one does; T.sync_threads() makes it certain",
                            b.view->name);
    Note& before = d.notes.emplace_back();
    before.range = a.where.range;
    before.message = "read here";
}

}  // namespace tw::passes

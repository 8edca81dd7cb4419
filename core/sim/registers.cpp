// Registers that wgmma uses while its threads go on: accumulators are read and written, an A operand is read.
#include <fmt/format.h>

#include "core/sim/watcher.h"

namespace tw::sim {

using interp::RegisterUse;

void Watcher::holds(const RegisterUse& use)
{
    if (!options_.findRaces)
        return;
    noteSite(use.act);
    Resident& r = residentOf(use.act.block);
    for (std::size_t k = 0; k < use.at.size(); ++k) {
        const int group = use.act.threads[k] / 128;
        const Held held{group, use.storage, use.act.site, use.at[k], use.at[k] + use.bytes, r.batches[group], use.writes};
        held_ += r.held.insert(held).second ? 1 : 0;
    }
}

// At most `pending` groups of the warp group's instructions are left.
void Watcher::letGo(Resident& r, int group, std::int64_t pending)
{
    const std::int64_t done = r.batches[group] - pending;
    held_ -= std::erase_if(r.held, [&](const Held& h) { return h.group == group && h.batch < done; });
}

void Watcher::uses(const RegisterUse& use)
{
    const Resident& r = residentOf(use.act.block);
    for (const Held& held : r.held)
        for (std::size_t k = 0; k < use.at.size(); ++k) {
            const bool meet = use.act.threads[k] / 128 == held.group && use.storage == held.storage && use.at[k] < held.end &&
                              use.at[k] + use.bytes > held.first;
            if (meet && (use.writes || held.writes)) {
                collide(use, k, held);
                break;
            }
        }
}

void Watcher::collide(const RegisterUse& use, std::size_t index, const Held& held)
{
    if (findings_.isKnown(FindingKind::kInFlight, held.site, use.act.site))
        return;
    const ir::Provenance& started = sites_.at(held.site);
    Finding f;
    f.buffer = use.buffer->name;
    f.firstByte = use.at[index];
    f.bytes = use.bytes;
    f.earlier = {started.range, started.op, fmt::format("the wgmma of threads {} to {}", held.group * 128, held.group * 128 + 127),
                 held.writes ? "updates" : "reads"};
    f.later = {use.act.where->range, use.act.where->op, threadName(use.act.block, use.act.threads[index]), use.writes ? "writes" : "reads"};
    findings_.add(FindingKind::kInFlight, held.site, use.act.site, std::move(f));
}

}  // namespace tw::sim

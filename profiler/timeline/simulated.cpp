#include "profiler/timeline/simulated.h"

#include <algorithm>

#include "profiler/timeline/spans.h"

namespace tw::timeline {

tl::expected<Simulated, std::string> simulate(const driver::RecordedProgram& recorded, const target::Target& target, interp::Arguments& arguments,
                                              const sim::TimelineOptions& options, std::stop_token stop)
{
    DiagnosticSink found;
    sim::TimelineResult run = sim::simulateTimeline(*recorded.function, arguments, target, options, found, std::move(stop));
    if (!run.ok) {
        const auto error = std::ranges::find(found.all(), Severity::kError, &Diagnostic::severity);
        return tl::unexpected(error == found.all().end() ? std::string("the simulation was stopped") : error->message);
    }
    Simulated out;
    out.timeline.origin = capture::Origin::kSimulated;
    out.timeline.clockMHz = run.clockMHz;
    out.remarks = std::move(run.remarks);
    std::ranges::stable_sort(run.blocks, {}, &sim::BlockTimeline::launch);
    const double ns = 1000 / run.clockMHz;
    double start = 0, end = 0;
    int launch = -1;
    for (const sim::BlockTimeline& block : run.blocks) {
        if (block.launch != launch)
            start = end;
        launch = block.launch;
        end = std::max(end, start + block.times.clocks * ns);
        const auto table = std::ranges::find(recorded.records, launch, &gpu::StageRecords::launch);
        if (table == recorded.records.end())
            continue;
        for (std::size_t role = 0; role < table->roles.size(); ++role) {
            const auto warp = static_cast<std::size_t>(table->roles[role].leader / 32);
            if (warp >= block.times.warps.size())
                continue;
            std::vector<Moment> moments;
            for (const sim::Mark& mark : block.times.warps[warp].marks)
                moments.push_back({mark.event, start + mark.clock * ns});
            addTrack(out.timeline, *table, role, block.block, moments, start + block.times.warps[warp].end * ns);
        }
    }
    if (out.timeline.tracks.empty())
        return tl::unexpected(std::string("no launch of this kernel makes stage records"));
    return out;
}

}  // namespace tw::timeline

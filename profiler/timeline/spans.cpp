#include "profiler/timeline/spans.h"

#include "profiler/timeline/iterations.h"

namespace tw::timeline {

void addTrack(capture::Timeline& timeline, const gpu::StageRecords& table, std::size_t role, std::int64_t block, const std::vector<Moment>& moments, double endNs)
{
    const int track = static_cast<int>(timeline.tracks.size());
    timeline.tracks.push_back({table.roles[role].name, table.launch, block, -1, static_cast<int>(table.roles[role].leader / 32)});
    Iterations iterations(table);
    for (std::size_t i = 0; i < moments.size(); ++i) {
        const int number = moments[i].event;
        if (number <= 0 || number > static_cast<int>(table.events.size()))
            continue;
        const gpu::RecordedEvent& event = table.events[static_cast<std::size_t>(number) - 1];
        const std::int64_t iteration = iterations.begin(number - 1);
        const double to = i + 1 < moments.size() ? moments[i + 1].ns : endNs;
        if (to > moments[i].ns)
            timeline.spans.push_back({track, event.kind, event.op, iteration, -1, moments[i].ns, to});
    }
}

}  // namespace tw::timeline

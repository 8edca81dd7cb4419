#include "app/gui/models/memory_map.h"

#include <algorithm>

namespace tw::gui {
namespace {

int lineOf(const driver::CompileSnapshot& snapshot, const ir::Provenance& where)
{
    return where.range.isKnown() && where.range.file == 0 ? snapshot.source->lineColumn(where.range.begin).line : 0;
}

// Positions in program order with the column that each begins.
struct Columns {
    std::vector<int> positions;
    int at(int position) const
    {
        const auto found = std::upper_bound(positions.begin(), positions.end(), position);
        return std::max(0, static_cast<int>(found - positions.begin()) - 1);
    }
};

void measure(MemoryMap& map)
{
    for (const auto& entry : map.entries)
        map.size = std::max(map.size, entry.offset + entry.bytes);
    for (int step = 0; step < static_cast<int>(map.steps.size()); ++step) {
        std::int64_t use = 0;
        for (const auto& entry : map.entries)
            use += entry.first <= step && step <= entry.last ? entry.bytes : 0;
        map.largestUse = std::max(map.largestUse, use);
    }
}

}  // namespace

std::vector<MemoryMap> collectMemory(const driver::CompileSnapshot& snapshot)
{
    std::vector<MemoryMap> maps;
    std::vector<Columns> columns;
    for (const auto& step : snapshot.steps) {
        maps.resize(std::max(maps.size(), static_cast<std::size_t>(step.launch) + 1));
        columns.resize(maps.size());
        auto& map = maps.back();
        const int line = lineOf(snapshot, step.where);
        if (!map.steps.empty() && (map.steps.back().line == line || line == 0))
            continue;
        map.steps.push_back({line, step.where});
        columns.back().positions.push_back(step.position);
    }
    for (const auto& p : snapshot.placements) {
        if (static_cast<std::size_t>(p.launch) >= maps.size())
            continue;
        const auto& c = columns[static_cast<std::size_t>(p.launch)];
        maps[static_cast<std::size_t>(p.launch)].entries.push_back(
            {QString::fromStdString(p.buffer), p.offset, p.bytes, c.at(p.first), c.at(p.last), p.allocated});
    }
    for (auto& map : maps)
        measure(map);
    return maps;
}

}  // namespace tw::gui

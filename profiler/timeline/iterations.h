// Which iteration a stage belongs to, from the order in which a role begins its stages.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/gpu_c/stage_records.h"

namespace tw::timeline {

class Iterations {
public:
    explicit Iterations(const gpu::StageRecords& table) : table_(table), begun_(table.events.size(), 0) {}

    // The role begins `event` (index into the table): the times that it did so before, since the loop around the event's loop went
    // on; -1 for an event outside of loops, and for one that marks an iteration.
    std::int64_t begin(int event)
    {
        const int depth = table_.events[static_cast<std::size_t>(event)].depth;
        if (depth > 0)
            return begun_[static_cast<std::size_t>(event)]++;
        for (std::size_t k = 0; depth < 0 && k < begun_.size(); ++k)
            if (table_.events[k].depth > -depth)
                begun_[k] = 0;
        return -1;
    }

private:
    const gpu::StageRecords& table_;
    std::vector<std::int64_t> begun_;
};

}  // namespace tw::timeline

// The threads of a block that come to a place, and how they can meet there.
#pragma once

#include <memory>
#include <optional>

#include "core/analysis/thread_set.h"
#include "core/passes/meetings.h"

namespace tw::passes {

struct Crew {
    std::shared_ptr<const analysis::ThreadSet> threads;  // no fewer than these …
    bool known = true;                                   // … and exactly these

    [[nodiscard]] bool isWholeBlock() const { return known && threads->count() == threads->total(); }
    // First and last thread; empty unless they are known and without gaps.
    [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> span() const;
    [[nodiscard]] bool isWholeWarps() const;
    // The statement by which they meet: the block's barrier, a named barrier of whole warps, or the lanes of one warp. Empty
    // if there is none.
    [[nodiscard]] ir::Stmt meeting(Meetings& meetings, const ir::Provenance& where) const;
};

}  // namespace tw::passes

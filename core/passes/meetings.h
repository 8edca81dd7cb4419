// Operations by which threads of a block meet, as a launch's author or an earlier pass wrote them.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "core/ir/stmt.h"

namespace tw::passes {

enum class Meeting : std::uint8_t {
    kNone,
    kWarp,  // lanes of a warp
    kAll    // all threads that come to the place
};

class Meetings {
public:
    explicit Meetings(const ir::Launch& launch);

    // What one statement without statements inside does.
    [[nodiscard]] Meeting of(const ir::Stmt& s) const;
    // Whether there is any meeting, or a wait for one, below `s`.
    [[nodiscard]] bool isIn(const ir::Stmt& s) const;
    // Whether the code waits for threads of another role: on an mbarrier or at a named barrier.
    [[nodiscard]] bool waitsForRoles(const ir::Stmt& s) const;

    // The named barrier of the threads first … last, the same for the same threads. Empty: the hardware has no more.
    [[nodiscard]] std::optional<int> nameFor(std::int64_t first, std::int64_t last);

private:
    std::set<std::int64_t> taken_;  // by the author
    std::map<std::pair<std::int64_t, std::int64_t>, int> names_;
};

// Global tensors through which threads of one block may exchange values: the launch writes them and accesses them elsewhere.
[[nodiscard]] std::set<const ir::BufferNode*> exchangedGlobals(const ir::Launch& launch);

// Whether an engine that uses the async proxy accesses shared memory in the launch.
[[nodiscard]] bool usesAsyncProxy(const ir::Launch& launch);

}  // namespace tw::passes

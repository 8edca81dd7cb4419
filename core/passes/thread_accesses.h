// What the statements of the thread stage do to shared and global memory.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/analysis/thread_set.h"
#include "core/ir/stmt.h"
#include "core/passes/engines.h"

namespace tw::passes {

inline constexpr int kManyIterationsAgo = 4;  // this many or more

struct MemoryAccess {
    const ir::BufferNode* storage = nullptr;
    const ir::BufferNode* view = nullptr;   // as it is named; its element type and offset count
    std::vector<ir::Expr> index;            // of the first element, with bindings expanded; empty: anywhere in the view
    std::int64_t elements = 1;              // consecutive ones along the last axis
    bool reads = false, writes = false, atomic = false;
    Engine engine = Engine::kNone;
    const ir::StmtNode* statement = nullptr;
    int ordinal = 0;                        // among the accesses of its statement
    ir::Provenance where;
    std::vector<ir::Axis> loops;             // around it, outermost first
    std::vector<std::uint32_t> loopOps;     // the tile operations that the loops belong to
    std::size_t outerLoops = 0;             // those that the analysis walks; the others are the access's own
    std::shared_ptr<const analysis::ThreadSet> threads;  // that may come to it
    std::map<const ir::ExprNode*, int> ago; // iterations between it and now, by loop variable
    bool warpSynced = false;                // the lanes of each warp have met since
    bool ofRole = false;                    // of a role, which mbarriers order among the others
};

// In order: accesses, and waits for engines.
struct MemoryEvent {
    MemoryAccess access;
    Engine wait = Engine::kNone;
    bool waitsForAll = false;
};

// What the analysis knows where a statement stands.
struct Place {
    std::vector<ir::Axis> loops;
    std::vector<std::uint32_t> loopOps;
    std::shared_ptr<const analysis::ThreadSet> threads;
    const std::map<const ir::ExprNode*, ir::Expr>* bindings = nullptr;
};

// Accesses of shared and global memory below `s` (barrier arrays excluded). Loops below `s` become the accesses' own.
[[nodiscard]] std::vector<MemoryEvent> eventsOf(const ir::Stmt& s, const Place& place);
[[nodiscard]] std::vector<MemoryEvent> eventsOf(const ir::Expr& e, const ir::Stmt& within, const Place& place);

// The threads of a set for which a condition (bindings expanded) holds or not.
[[nodiscard]] std::shared_ptr<const analysis::ThreadSet> restricted(const analysis::ThreadSet& threads, const ir::Expr& condition, bool holds);

[[nodiscard]] ir::Expr expanded(const ir::Expr& e, const std::map<const ir::ExprNode*, ir::Expr>& bindings);

}  // namespace tw::passes

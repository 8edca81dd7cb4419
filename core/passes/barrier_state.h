// What insertBarriers knows at one place of its walk.
#pragma once

#include <set>

#include "core/passes/thread_accesses.h"

namespace tw::passes {

struct BarrierState {
    std::vector<MemoryAccess> pending;   // since the last meeting of all threads that come
    std::vector<MemoryAccess> inFlight;  // of engines, not waited for
    std::vector<MemoryAccess> unfenced;  // ordinary writes to shared memory since the last proxy fence
    std::vector<MemoryAccess> front;     // in front of the first meeting of this walk
    bool met = false;

    // An access of `kind` now.
    void note(const MemoryAccess& a);
    // A wait for an engine: what it has done counts as done by the waiting thread, in front of the next meeting.
    void waited(Engine engine, bool all);
    void meet();
    void syncWarps();
    // The other way into this place.
    void join(const BarrierState& other);
    // One iteration of a loop has passed: `own` is its variable (or null), `inner` are those bound in its body.
    void age(const ir::ExprNode* own, const std::set<const ir::ExprNode*>& inner);
    // Nothing that a loop bound is the same behind it.
    void leave(const ir::ExprNode* own, const std::set<const ir::ExprNode*>& inner);
};

// Adds what is not there yet.
void addAccess(std::vector<MemoryAccess>& list, const MemoryAccess& a);
void addAll(std::vector<MemoryAccess>& list, const std::vector<MemoryAccess>& more);

// Variables that loops and bindings below `s` bind.
[[nodiscard]] std::set<const ir::ExprNode*> variablesBoundIn(const ir::Stmt& s);

}  // namespace tw::passes

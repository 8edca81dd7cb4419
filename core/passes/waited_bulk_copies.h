#pragma once

#include <set>
#include <vector>

#include "core/passes/pass.h"

namespace tw::passes {

// T.copy by the TMA unit, where the author prefers that: one thread starts it, all that come to it wait for it, as T.copy promises.
// A load has a barrier of its own, a variable for the parity of its next phase; a store is committed and waited for to the end.
class WaitedBulkCopies {
public:
    explicit WaitedBulkCopies(const ir::Function& function);

    // Why a source cannot be read by boxes although its regions fit: what lies outside of it is not zero. Empty: it can.
    [[nodiscard]] std::string problemOf(const ir::Region& src) const;
    // `threads`: the number of those that come to the copy.
    [[nodiscard]] ir::Stmt make(const ir::OpCall& copy, const ir::Region& src, const ir::Region& dst, std::int64_t threads, const ir::Provenance& where);
    // The launch with the barriers and variables of the copies made since the last call at its beginning.
    [[nodiscard]] ir::Stmt finish(const ir::Stmt& launch);

private:
    std::set<const ir::BufferNode*> safeValues_;
    std::vector<ir::Stmt> barriers_, phases_;
};

}  // namespace tw::passes

// What insertBarriers says: why a barrier stands, where none can, where the author's text leaves one to the compiler.
#pragma once

#include "core/passes/hazard_search.h"
#include "core/passes/pass.h"

namespace tw::passes {

class BarrierReports {
public:
    explicit BarrierReports(PassContext& context) : context_(context) {}

    // Why `inserted` stands between two accesses.
    void explain(const ir::Stmt& inserted, const MemoryAccess& earlier, const MemoryAccess& later, bool certain);
    // A barrier is needed and cannot stand here. What is certain is an error; where it only cannot be excluded, a warning.
    // `isKnown`: the threads that come here are exactly known. False where nothing is said.
    bool impossible(const FoundHazard& found, bool isKnown);
    // Elements of a tensor that threads read and others overwrite, which no barrier of the author's separates: to be said once.
    [[nodiscard]] bool isNewOverwrite(const FoundHazard& found) const;
    void overwrite(const FoundHazard& found);
    [[nodiscard]] const std::vector<Diagnostic>& overwrites() const { return overwrites_; }

private:
    PassContext& context_;
    std::vector<Diagnostic> overwrites_;
};

}  // namespace tw::passes

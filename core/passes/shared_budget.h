// How many bytes of shared memory a launch needs at one time, on the tile stage: for passes that may ask for more.
#pragma once

#include <map>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::passes {

class SharedBudget {
public:
    explicit SharedBudget(const ir::Launch& launch);

    // The most bytes in use at one time anywhere in `loop` (the whole launch if null). Values that live from one iteration of
    // a loop to the next live all over that loop.
    [[nodiscard]] std::int64_t peakWithin(const ir::StmtNode* loop) const;

private:
    struct Span {
        int first = 0, last = 0;
    };
    struct Use {
        Span span;
        std::int64_t bytes = 0;
    };
    class Walker;

    std::vector<Use> uses_;
    std::map<const ir::StmtNode*, Span> loops_;
    Span all_;
};

}  // namespace tw::passes

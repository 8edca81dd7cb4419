// What memory has to move at least for one call: every element of its tensors that is touched, once.
#pragma once

#include <map>

#include "core/analysis/effects.h"
#include "profiler/analysis/work.h"

namespace tw::profile_analysis {

class LeastBytes {
public:
    LeastBytes(const ir::Function& function, const Values& values) : function_(function), values_(values) {}

    // In program order. `requested`: bytes of all iterations together.
    void add(const ir::BufferNode& buffer, const Domain& domain, const std::vector<Clip>& clips, analysis::Effect effect, double requested);
    // Of the function's parameters. A tensor that is written first is not read from memory.
    [[nodiscard]] Bytes total() const;

private:
    struct Touched {
        double requested = 0;
        std::vector<Hull> hull;  // of the elements, one an axis
        [[nodiscard]] double elements() const;
    };
    struct Tensor {
        Touched read, written;
        bool writtenFirst = false;
        ir::DType type;
    };

    const ir::Function& function_;
    const Values& values_;
    std::map<const ir::BufferNode*, Tensor> tensors_;  // by the parameter
};

}  // namespace tw::profile_analysis

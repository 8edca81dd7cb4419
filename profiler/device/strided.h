// Tensors that a kernel reaches through a pointer with strides of its own. Arguments are in logical order; a device in host
// memory, which follows the pointer as it is, sees them in the kernel's order while it runs.
#pragma once

#include <string>
#include <vector>

#include "core/interp/tensor.h"
#include "core/ir/stmt.h"
#include "profiler/device/host_values.h"

namespace tw::device {

class PointerOrder {
public:
    // Puts the tensors of strided pointers into memory order: flat, the gaps zero.
    PointerOrder(const ir::Function& function, interp::Arguments& arguments);
    // Back into logical order, after the run.
    void restore(interp::Arguments& arguments) const;

private:
    struct Moved {
        std::string name;
        std::vector<std::int64_t> shape;
        StridedLayout layout;
    };
    std::vector<Moved> moved_;
};

}  // namespace tw::device

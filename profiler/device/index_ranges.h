// Which integer inputs a function uses as indices, and how large they may be.
#pragma once

#include <map>
#include <string>

#include "core/ir/stmt.h"
#include "profiler/device/extents.h"

namespace tw::device {

struct IndexUse {
    std::int64_t largest = 0;    // of the values, so that no access leaves its tensor
    bool isOrdered = false;      // bounds a loop or starts a slice: values must ascend (offsets of rows)
};

// By parameter (integer tensors and integer scalars). What is no index, or bounded by nothing known, is absent.
[[nodiscard]] std::map<std::string, IndexUse> indexRanges(const ir::Function& function, const Extents& extents);

}  // namespace tw::device

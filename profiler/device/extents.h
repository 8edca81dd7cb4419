// Values for the symbolic extents and strides of a function: from the given inputs, from --dim, from the call in the file,
// else chosen.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "core/ir/stmt.h"

namespace tw::device {

using Extents = std::map<std::string, std::int64_t>;

struct ExtentSources {
    Extents given;                                          // --dim; must agree with the inputs
    std::map<std::string, std::vector<std::int64_t>> inputs;  // shapes of given tensors by parameter
    Extents call;                                           // of the instance; yields to the two above
    std::int64_t chosen = 1024;  // for what nobody gave, moved to the nearest value that T.assume and asserts allow;
                                 // less where several of them would make a tensor of more than 2^26 elements
};

struct ResolvedExtents {
    Extents values;                   // every symbol, and every scalar parameter that a shape names
    std::vector<std::string> chosen;  // the symbols that nobody gave
};

// Linear forms such as n * 4 and n + 1 are solved. Fails with one sentence: a contradiction between sources, an input of
// the wrong rank, or no value that fits ("give --dim N").
[[nodiscard]] tl::expected<ResolvedExtents, std::string> resolveExtents(const ir::Function& function, const ExtentSources& sources);

// A tensor parameter's shape with the extents put in.
[[nodiscard]] std::vector<std::int64_t> shapeOf(const ir::Buffer& buffer, const Extents& extents);

}  // namespace tw::device

// What a kernel is called with: given inputs converted, the rest generated, outputs poisoned.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "core/analysis/tensor_roles.h"
#include "core/interp/tensor.h"
#include "core/ir/stmt.h"
#include "profiler/device/extents.h"
#include "profiler/device/npy.h"

namespace tw::device {

// Parsed --input options.
struct GivenInputs {
    std::map<std::string, NpyArray> arrays;
    std::map<std::string, std::string> literals;  // numbers, as written

    [[nodiscard]] std::map<std::string, std::vector<std::int64_t>> shapes() const;
};

enum class Fill {
    kNormal,        // floats standard normal
    kSmallIntegers  // floats −2 … 2, so that every order of summation is exact
};

struct ArgumentOptions {
    std::uint64_t seed = 0;
    Fill fill = Fill::kNormal;
};

struct PreparedArguments {
    interp::Arguments arguments;
    std::vector<analysis::TensorRole> roles;  // one a parameter
    std::vector<std::string> generated;       // integer inputs that were made up, in parameter order
};

// `extents`: of every symbol. Fails with one sentence: an input that fits no parameter, a wrong shape, a bad number.
[[nodiscard]] tl::expected<PreparedArguments, std::string> prepareArguments(const ir::Function& function, const Extents& extents,
                                                                           const GivenInputs& given, const ArgumentOptions& options);

// What the tensors take, in bytes; a double because shapes may ask for more than 2^63.
[[nodiscard]] double tensorBytes(const ir::Function& function, const Extents& extents);

// The parameters that hold the answer, as indices: the written ones in order of the parameters; then, where
// `returnedLast`, the returned ones in order of the return.
[[nodiscard]] std::vector<std::size_t> outputOrder(const ir::Function& function, const std::vector<analysis::TensorRole>& roles,
                                                   bool returnedLast);

}  // namespace tw::device

// A tensor in host memory: what kernels are called with, on every device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/ir/dtype.h"

namespace tw::interp {

// Contiguous, row-major, in logical axis order whatever the parameter's strides. Elements below 8 bits are packed, the first
// in the low bits. bool is one byte, 0 or 1. tf32 is stored as float32.
struct Tensor {
    ir::DType dtype;
    std::vector<std::int64_t> shape;
    std::vector<std::uint8_t> bytes;

    [[nodiscard]] std::int64_t elementCount() const;
    // Element by its linear index: floats as they are, integers exactly up to 2^53.
    [[nodiscard]] double floatAt(std::int64_t index) const;
    [[nodiscard]] std::int64_t intAt(std::int64_t index) const;
    void setFloat(std::int64_t index, double value);  // rounds to dtype
    void setInt(std::int64_t index, std::int64_t value);
    bool operator==(const Tensor&) const = default;
};

[[nodiscard]] Tensor makeTensor(ir::DType dtype, std::vector<std::int64_t> shape);  // zeros
// NaN, or the type's extreme value: what an output holds before the kernel runs.
void poison(Tensor& tensor);

// What a function is called with. Every tensor parameter has a tensor (outputs too, poisoned) and every scalar parameter a
// value; every symbol of the function has an extent.
struct Arguments {
    std::map<std::string, Tensor> tensors;
    std::map<std::string, std::variant<std::int64_t, double>> scalars;
    std::map<std::string, std::int64_t> dims;
};

}  // namespace tw::interp

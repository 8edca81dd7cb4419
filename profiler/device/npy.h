// NumPy's .npy files: versions 1 to 3, C and Fortran order, any endianness.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "core/interp/tensor.h"

namespace tw::device {

// An array as the file holds it, already in C order and little-endian.
struct NpyArray {
    enum class Kind : std::uint8_t { kBool, kInt, kUInt, kFloat, kRaw };  // kRaw: "V2", bytes without meaning
    Kind kind{};
    int itemBytes = 0;  // 1, 2, 4 or 8
    std::vector<std::int64_t> shape;
    std::string data;

    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(data.size()) / itemBytes; }
    [[nodiscard]] std::uint64_t bitsAt(std::int64_t index) const;
    [[nodiscard]] double floatAt(std::int64_t index) const;         // any kind but kRaw
    [[nodiscard]] std::int64_t intAt(std::int64_t index) const;     // kBool, kInt, kUInt (two's complement above INT64_MAX)
    [[nodiscard]] std::string typeName() const;                     // "float32", "V2"
};

// Fails with the reason on anything else, structured, complex and object arrays included. Never allocates more than a
// small multiple of `bytes`.
[[nodiscard]] tl::expected<NpyArray, std::string> parseNpy(std::string_view bytes);

// The file of an output: the tensor's dtype, except that bf16, fp8, fp6 and tf32 are widened to float32 (exact). Packed 4-bit
// tensors keep their storage bytes, two elements a byte along the last axis.
[[nodiscard]] std::string writeNpy(const interp::Tensor& tensor);

// An array as the value of a parameter of type `dtype` and shape `shape`, by the rules of cli.md ("Tensors"): floats take any
// real type and round to nearest even; V2/uint16 for bf16 and V1/uint8 for fp8 are raw bits; integers must fit. Fails with
// one sentence about `name`.
[[nodiscard]] tl::expected<interp::Tensor, std::string> toTensor(const NpyArray& array, const std::string& name, ir::DType dtype,
                                                                 const std::vector<std::int64_t>& shape);

}  // namespace tw::device

// Element types of buffers and expressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tw::ir {

enum class Scalar : std::uint8_t {
#define TW_DTYPE(name, text, bits, family, exponent, mantissa) name,
#include "core/ir/dtypes.def"
#undef TW_DTYPE
};

enum class Family : std::uint8_t { kVoid, kHandle, kBool, kInt, kUInt, kFloat, kBFloat, kTFloat, kFloat8, kFloat6, kFloat4 };

// A scalar type times a number of lanes (1 for almost everything).
struct DType {
    Scalar scalar = Scalar::kVoid;
    std::uint16_t lanes = 1;

    bool operator==(const DType&) const = default;

    [[nodiscard]] Family family() const;
    [[nodiscard]] int bits() const;          // of one lane, as the language counts them: 4 for int4, 8 for bool
    [[nodiscard]] int exponentBits() const;  // 0 unless isFloating()
    [[nodiscard]] int mantissaBits() const;  // 0 unless isFloating()
    [[nodiscard]] bool isBool() const { return scalar == Scalar::kBool; }
    [[nodiscard]] bool isSigned() const { return family() == Family::kInt; }
    [[nodiscard]] bool isUnsigned() const { return family() == Family::kUInt; }
    [[nodiscard]] bool isInteger() const { return isSigned() || isUnsigned(); }
    [[nodiscard]] bool isFloating() const { return family() >= Family::kFloat; }
    [[nodiscard]] bool isHandle() const { return scalar == Scalar::kHandle; }
    [[nodiscard]] bool isVoid() const { return scalar == Scalar::kVoid; }
    [[nodiscard]] DType withLanes(int n) const { return {scalar, static_cast<std::uint16_t>(n)}; }
    [[nodiscard]] DType element() const { return withLanes(1); }
    // Bytes that `count` elements take in memory: types below 8 bits are packed, so never `count` times the bytes of one.
    [[nodiscard]] std::int64_t storageBytes(std::int64_t count) const;
    // "float16", "uint32x4".
    [[nodiscard]] std::string name() const;
};

inline constexpr DType kBool{Scalar::kBool};
inline constexpr DType kInt8{Scalar::kInt8};
inline constexpr DType kInt32{Scalar::kInt32};
inline constexpr DType kInt64{Scalar::kInt64};
inline constexpr DType kUInt8{Scalar::kUInt8};
inline constexpr DType kUInt32{Scalar::kUInt32};
inline constexpr DType kUInt64{Scalar::kUInt64};
inline constexpr DType kFloat16{Scalar::kFloat16};
inline constexpr DType kBFloat16{Scalar::kBFloat16};
inline constexpr DType kFloat32{Scalar::kFloat32};
inline constexpr DType kFloat64{Scalar::kFloat64};
inline constexpr DType kHandle{Scalar::kHandle};
inline constexpr DType kVoid{Scalar::kVoid};

// Accepts canonical names, aliases ("half", "float", "int", "uint", "short", "long", "double", "float8_e4m3",
// "custom[tfloat32]") and lanes ("uint32x4"). Empty for anything else.
[[nodiscard]] std::optional<DType> parseDType(std::string_view text);

// Every name that `T.<name>` exports as a dtype, aliases and vector names included.
[[nodiscard]] const std::vector<std::string>& exportedDTypeNames();

// The common type of a binary operation (language.md c.4), or empty where the types do not match. Equal lanes, or one
// side scalar.
[[nodiscard]] std::optional<DType> promote(DType a, DType b);

}  // namespace tw::ir

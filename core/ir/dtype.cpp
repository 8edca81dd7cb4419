#include "core/ir/dtype.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace tw::ir {

namespace {

struct ScalarInfo {
    std::string_view name;
    int bits;
    Family family;
    int exponentBits;
    int mantissaBits;
};

constexpr ScalarInfo kScalars[] = {
#define TW_DTYPE(name, text, bits, family, exponent, mantissa) {text, bits, Family::family, exponent, mantissa},
#include "core/ir/dtypes.def"
#undef TW_DTYPE
};

constexpr std::pair<std::string_view, Scalar> kAliases[] = {
    {"half", Scalar::kFloat16},
    {"float", Scalar::kFloat32},
    {"double", Scalar::kFloat64},
    {"short", Scalar::kInt16},
    {"int", Scalar::kInt32},
    {"long", Scalar::kInt64},
    {"uint", Scalar::kUInt32},
    {"custom[tfloat32]", Scalar::kTFloat32},
    {"float8_e4m3", Scalar::kFloat8E4M3FN},  // the name torch's CUDA builds give the OCP format
};

constexpr int kMaxLanes = 256;

const ScalarInfo& scalarInfo(Scalar scalar)
{
    return kScalars[static_cast<std::size_t>(scalar)];
}

std::optional<Scalar> parseScalar(std::string_view text)
{
    for (std::size_t i = 0; i < std::size(kScalars); ++i)
        if (kScalars[i].name == text)
            return static_cast<Scalar>(i);
    for (const auto& [name, scalar] : kAliases)
        if (name == text)
            return scalar;
    return {};
}

std::vector<std::string> makeExportedNames()
{
    std::vector<std::string> names;
    const auto addVectors = [&](std::string_view base) {
        for (int lanes : {2, 4, 8, 16, 32, 64})
            names.push_back(fmt::format("{}x{}", base, lanes));
    };
    for (const ScalarInfo& scalar : kScalars) {
        if (scalar.family == Family::kVoid || scalar.family == Family::kHandle)
            continue;
        names.emplace_back(scalar.name);
        if (scalar.name == "bfloat16")
            names.emplace_back("bfloat16x2");
        else if (scalar.bits >= 8 && scalar.name != "bool" && scalar.name != "float4_e2m1_unpacked")
            addVectors(scalar.name);
        else if (scalar.family == Family::kFloat6 || scalar.name == "float4_e2m1fn")
            addVectors(scalar.name);
    }
    for (const auto& [name, scalar] : kAliases)
        if (name.find('[') == std::string_view::npos)
            names.emplace_back(name);
    addVectors("float8_e4m3");
    return names;
}

// float16, float32 and float64: the family whose wider member wins; bfloat16 is none of them.
bool isPlainFloat(DType t)
{
    return t.family() == Family::kFloat;
}

DType wider(DType a, DType b)
{
    return a.bits() >= b.bits() ? a : b;
}

// Language.md c.4, the first rule that fits; both types have one lane.
std::optional<DType> promoteScalars(DType a, DType b)
{
    if (a == b)
        return a;
    if (isPlainFloat(a) && isPlainFloat(b))
        return wider(a, b);
    for (Family family : {Family::kFloat, Family::kBFloat, Family::kFloat8, Family::kFloat6, Family::kFloat4}) {
        const bool isA = a.family() == family;
        const bool isB = b.family() == family;
        const DType other = isA ? b : a;
        if (isA != isB && !other.isHandle() && !other.isVoid())
            return isA ? a : b;
    }
    if (a.isBool() && b.isInteger())
        return b;
    if (b.isBool() && a.isInteger())
        return a;
    if (a.isInteger() && b.isInteger()) {
        if (a.isSigned() == b.isSigned() || a.bits() != b.bits())
            return wider(a, b);
        return a.isUnsigned() ? a : b;
    }
    return {};
}

}  // namespace

Family DType::family() const
{
    return scalarInfo(scalar).family;
}

int DType::bits() const
{
    return scalarInfo(scalar).bits;
}

int DType::exponentBits() const
{
    return scalarInfo(scalar).exponentBits;
}

int DType::mantissaBits() const
{
    return scalarInfo(scalar).mantissaBits;
}

std::int64_t DType::storageBytes(std::int64_t count) const
{
    return (count * lanes * bits() + 7) / 8;
}

std::string DType::name() const
{
    std::string text(scalarInfo(scalar).name);
    return lanes == 1 ? text : fmt::format("{}x{}", text, lanes);
}

std::optional<DType> parseDType(std::string_view text)
{
    if (const auto scalar = parseScalar(text))
        return DType{*scalar};
    const auto x = text.rfind('x');
    if (x == std::string_view::npos)
        return {};
    const auto scalar = parseScalar(text.substr(0, x));
    const std::string_view digits = text.substr(x + 1);
    int lanes = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), lanes);
    const bool isNumber = error == std::errc{} && end == digits.data() + digits.size();
    if (!scalar || !isNumber || lanes < 1 || lanes > kMaxLanes)
        return {};
    return DType{*scalar}.withLanes(lanes);
}

const std::vector<std::string>& exportedDTypeNames()
{
    static const std::vector<std::string> names = makeExportedNames();
    return names;
}

std::optional<DType> promote(DType a, DType b)
{
    if (a.lanes != b.lanes && a.lanes != 1 && b.lanes != 1)
        return {};
    const auto element = promoteScalars(a.element(), b.element());
    if (!element)
        return {};
    return element->withLanes(std::max(a.lanes, b.lanes));
}

}  // namespace tw::ir

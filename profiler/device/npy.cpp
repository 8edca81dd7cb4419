#include "profiler/device/npy.h"

#include <bit>
#include <cstring>
#include <optional>

#include <fmt/ranges.h>

#include "core/ir/number.h"
#include "core/support/check.h"

namespace tw::device {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

tl::unexpected<std::string> bad(std::string reason) { return tl::unexpected("not a usable .npy file: " + std::move(reason)); }

// What follows `key` in the header's Python dict: "'<f4'", "False", "(3, 4)".
std::string_view fieldOf(std::string_view header, std::string_view key)
{
    std::size_t at = header.find("'" + std::string(key) + "'");
    if (at == std::string_view::npos)
        return {};
    at = header.find(':', at);
    if (at == std::string_view::npos)
        return {};
    at = header.find_first_not_of(" \t", at + 1);
    return at == std::string_view::npos ? std::string_view{} : header.substr(at);
}

std::optional<std::vector<std::int64_t>> parseShape(std::string_view text)
{
    if (!text.starts_with('('))
        return std::nullopt;
    const std::size_t close = text.find(')');
    if (close == std::string_view::npos)
        return std::nullopt;
    std::vector<std::int64_t> shape;
    std::int64_t value = -1;
    for (const char c : text.substr(1, close - 1)) {
        if (c >= '0' && c <= '9') {
            value = (value < 0 ? 0 : value) * 10 + (c - '0');
            if (value > (std::int64_t{1} << 48))
                return std::nullopt;
        } else if (c == ',') {
            if (value < 0)
                return std::nullopt;
            shape.push_back(value);
            value = -1;
        } else if (c != ' ' && c != 'L') {
            return std::nullopt;
        }
    }
    if (value >= 0)
        shape.push_back(value);
    return shape;
}

struct Descr {
    NpyArray::Kind kind;
    int itemBytes;
    bool isBig;
};

std::optional<Descr> parseDescr(std::string_view text)
{
    if (text.size() < 5 || text[0] != '\'')
        return std::nullopt;
    const std::size_t close = text.find('\'', 1);
    const std::string_view d = text.substr(1, close == std::string_view::npos ? 0 : close - 1);
    if (d.size() != 3 || std::string_view("<>|=").find(d[0]) == std::string_view::npos || d[2] < '1' || d[2] > '8')
        return std::nullopt;
    const int bytes = d[2] - '0';
    const bool isBig = d[0] == '>';
    const bool isPower = std::has_single_bit(static_cast<unsigned>(bytes));
    if (!isPower)
        return std::nullopt;
    switch (d[1]) {
        case 'b': return bytes == 1 ? std::optional(Descr{NpyArray::Kind::kBool, 1, isBig}) : std::nullopt;
        case 'i': return Descr{NpyArray::Kind::kInt, bytes, isBig};
        case 'u': return Descr{NpyArray::Kind::kUInt, bytes, isBig};
        case 'f': return bytes >= 2 ? std::optional(Descr{NpyArray::Kind::kFloat, bytes, isBig}) : std::nullopt;
        case 'V': return Descr{NpyArray::Kind::kRaw, bytes, false};
        default: return std::nullopt;
    }
}

// Column-major bytes to row-major ones.
std::string toRowMajor(const std::string& data, const std::vector<std::int64_t>& shape, int itemBytes)
{
    std::string out(data.size(), '\0');
    std::vector<std::int64_t> index(shape.size(), 0);
    const std::int64_t count = static_cast<std::int64_t>(data.size()) / itemBytes;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t from = 0;
        for (std::size_t axis = shape.size(); axis-- > 0;)
            from = from * shape[axis] + index[axis];
        std::memcpy(&out[static_cast<std::size_t>(i * itemBytes)], &data[static_cast<std::size_t>(from * itemBytes)],
                    static_cast<std::size_t>(itemBytes));
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            if (++index[axis] < shape[axis])
                break;
            index[axis] = 0;
        }
    }
    return out;
}

// What stands between the quotes, for messages.
std::string_view elementText(std::string_view field)
{
    const auto open = field.find_first_of("'\"");
    const auto close = open == std::string_view::npos ? open : field.find(field[open], open + 1);
    return close == std::string_view::npos ? field.substr(0, 20) : field.substr(open, close + 1 - open);
}

}  // namespace

tl::expected<NpyArray, std::string> parseNpy(std::string_view bytes)
{
    if (!bytes.starts_with(kMagic) || bytes.size() < 10)
        return bad("it does not begin with NumPy's magic bytes");
    const int version = static_cast<unsigned char>(bytes[6]);
    if (version < 1 || version > 3)
        return bad(fmt::format("format version {} is unknown", version));
    const std::size_t sizeBytes = version == 1 ? 2 : 4;
    if (bytes.size() < 8 + sizeBytes)
        return bad("it ends inside its header");
    std::size_t headerBytes = 0;
    for (std::size_t i = 0; i < sizeBytes; ++i)
        headerBytes |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
    if (bytes.size() - 8 - sizeBytes < headerBytes)
        return bad("it ends inside its header");
    const std::string_view header = bytes.substr(8 + sizeBytes, headerBytes);
    const std::string_view rest = bytes.substr(8 + sizeBytes + headerBytes);

    const auto descr = parseDescr(fieldOf(header, "descr"));
    const auto shape = parseShape(fieldOf(header, "shape"));
    if (!descr)
        return bad(fmt::format("element type {} is none of bool, integers and floats of 1 to 8 bytes, raw bytes",
                               elementText(fieldOf(header, "descr"))));
    if (!shape)
        return bad("its header has no shape");
    std::uint64_t count = 1;
    for (const std::int64_t extent : *shape) {
        if (extent != 0 && count > (std::uint64_t{1} << 48) / static_cast<std::uint64_t>(extent))
            return bad("its shape is too large");
        count *= static_cast<std::uint64_t>(extent);
    }
    if (rest.size() != count * static_cast<std::uint64_t>(descr->itemBytes))
        return bad(fmt::format("its shape needs {} bytes of data, it has {}", count * static_cast<std::uint64_t>(descr->itemBytes),
                               rest.size()));

    NpyArray array{descr->kind, descr->itemBytes, *shape, std::string(rest)};
    if (descr->isBig && descr->itemBytes > 1) {
        for (std::size_t at = 0; at < array.data.size(); at += static_cast<std::size_t>(descr->itemBytes))
            std::reverse(array.data.begin() + static_cast<std::ptrdiff_t>(at),
                         array.data.begin() + static_cast<std::ptrdiff_t>(at) + descr->itemBytes);
    }
    if (fieldOf(header, "fortran_order").starts_with("True") && shape->size() > 1)
        array.data = toRowMajor(array.data, *shape, descr->itemBytes);
    return array;
}

std::uint64_t NpyArray::bitsAt(std::int64_t index) const
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, data.data() + index * itemBytes, static_cast<std::size_t>(itemBytes));
    return bits;
}

std::int64_t NpyArray::intAt(std::int64_t index) const
{
    const std::uint64_t bits = bitsAt(index);
    if (kind == Kind::kBool)
        return bits != 0;
    if (kind == Kind::kInt && itemBytes < 8) {
        const int shift = 64 - 8 * itemBytes;
        return static_cast<std::int64_t>(bits << shift) >> shift;
    }
    return static_cast<std::int64_t>(bits);
}

double NpyArray::floatAt(std::int64_t index) const
{
    if (kind == Kind::kFloat)
        return ir::decodeFloat(itemBytes == 2 ? ir::kFloat16 : itemBytes == 4 ? ir::kFloat32 : ir::kFloat64, bitsAt(index));
    if (kind == Kind::kUInt)
        return static_cast<double>(bitsAt(index));
    return static_cast<double>(intAt(index));
}

std::string NpyArray::typeName() const
{
    switch (kind) {
        case Kind::kBool: return "bool";
        case Kind::kInt: return fmt::format("int{}", 8 * itemBytes);
        case Kind::kUInt: return fmt::format("uint{}", 8 * itemBytes);
        case Kind::kFloat: return fmt::format("float{}", 8 * itemBytes);
        case Kind::kRaw: return fmt::format("V{}", itemBytes);
    }
    return {};
}

namespace {

std::string header(std::string_view descr, const std::vector<std::int64_t>& shape)
{
    std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr, fmt::join(shape, ", "),
                                   shape.size() == 1 ? "," : "");
    // The data begins at a multiple of 64 bytes.
    const std::size_t used = kMagic.size() + 4 + dict.size() + 1;
    dict.append((64 - used % 64) % 64, ' ');
    dict += '\n';
    std::string out(kMagic);
    out += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
    return out + dict;
}

bool isWidened(ir::DType type)
{
    const ir::Family family = type.family();
    return family == ir::Family::kBFloat || family == ir::Family::kTFloat || family == ir::Family::kFloat8 ||
           family == ir::Family::kFloat6 || (family == ir::Family::kFloat4 && type.bits() == 8);
}

}  // namespace

std::string writeNpy(const interp::Tensor& tensor)
{
    const ir::DType type = tensor.dtype;
    if (isWidened(type)) {
        std::string out = header("<f4", tensor.shape);
        const std::int64_t count = tensor.elementCount();
        for (std::int64_t i = 0; i < count; ++i) {
            const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(tensor.floatAt(i)));
            out.append(reinterpret_cast<const char*>(&bits), 4);
        }
        return out;
    }
    std::vector<std::int64_t> shape = tensor.shape;
    if (type.bits() < 8) {
        if (!shape.empty() && shape.back() % 2 == 0)
            shape.back() /= 2;
        else
            shape = {static_cast<std::int64_t>(tensor.bytes.size())};
    }
    const char kind = type.isBool() ? 'b' : type.isSigned() ? 'i' : type.isFloating() && type.bits() >= 16 ? 'f' : 'u';
    const int bytes = std::max(1, type.bits() / 8);
    std::string out = header(fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes), shape);
    out.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    return out;
}

namespace {

// Whether the array's elements are the parameter's bits rather than its values.
bool isRawFor(const NpyArray& array, ir::DType dtype)
{
    const bool isOpaque = array.kind == NpyArray::Kind::kRaw || array.kind == NpyArray::Kind::kUInt;
    const ir::Family family = dtype.family();
    if (family == ir::Family::kBFloat)
        return isOpaque && array.itemBytes == 2;
    if (family == ir::Family::kFloat8 || family == ir::Family::kFloat6)
        return isOpaque && array.itemBytes == 1;
    return array.kind == NpyArray::Kind::kRaw && array.itemBytes * 8 == dtype.bits();
}

// 4-bit tensors may be given as their storage: half as long along the last axis.
bool isPackedStorage(const NpyArray& array, ir::DType dtype, const std::vector<std::int64_t>& shape)
{
    if (dtype.bits() >= 8 || array.itemBytes != 1 || array.kind == NpyArray::Kind::kBool || shape.empty())
        return false;
    std::vector<std::int64_t> storage = shape;
    storage.back() = (storage.back() + 1) / 2;
    return array.shape == storage && array.shape != shape;
}

tl::expected<interp::Tensor, std::string> toIntegers(const NpyArray& array, const std::string& name, interp::Tensor tensor)
{
    const ir::DType dtype = tensor.dtype;
    for (std::int64_t i = 0, n = array.count(); i < n; ++i) {
        if (array.kind == NpyArray::Kind::kFloat) {
            const double value = array.floatAt(i);
            if (!(std::abs(value) < 9.2e18) || value != std::trunc(value))
                return tl::unexpected(fmt::format("{} has dtype {}, but element {} of the given array is {}", name, dtype.name(), i, value));
            tensor.setInt(i, static_cast<std::int64_t>(value));
            continue;
        }
        const std::int64_t value = array.intAt(i);
        const bool isHuge = array.kind == NpyArray::Kind::kUInt && array.itemBytes == 8 && value < 0;
        const bool fits = dtype.isBool() || (isHuge ? dtype.isUnsigned() && dtype.bits() == 64
                                                    : value >= ir::smallestInt(dtype) &&
                                                          (value < 0 || static_cast<std::uint64_t>(value) <= ir::largestInt(dtype)));
        if (!fits)
            return tl::unexpected(fmt::format("{} has dtype {}, which cannot hold element {} of the given array, {}", name,
                                              dtype.name(), i, value));
        tensor.setInt(i, dtype.isBool() ? value != 0 : value);
    }
    return tensor;
}

}  // namespace

tl::expected<interp::Tensor, std::string> toTensor(const NpyArray& array, const std::string& name, ir::DType dtype,
                                                   const std::vector<std::int64_t>& shape)
{
    interp::Tensor tensor = interp::makeTensor(dtype, shape);
    if (isPackedStorage(array, dtype, shape) && array.data.size() == tensor.bytes.size()) {
        tensor.bytes.assign(array.data.begin(), array.data.end());
        return tensor;
    }
    if (array.shape != shape)
        return tl::unexpected(fmt::format("{} has shape ({}), but the given array has ({})", name, fmt::join(shape, ", "),
                                          fmt::join(array.shape, ", ")));
    if (isRawFor(array, dtype)) {
        if (tensor.bytes.size() == array.data.size())
            tensor.bytes.assign(array.data.begin(), array.data.end());
        else
            for (std::int64_t i = 0, n = array.count(); i < n; ++i)
                tensor.setFloat(i, ir::decodeFloat(dtype, array.bitsAt(i)));
        return tensor;
    }
    if (array.kind == NpyArray::Kind::kRaw)
        return tl::unexpected(fmt::format("{} has dtype {}, which raw bytes of type {} do not give", name, dtype.name(), array.typeName()));
    if (!dtype.isFloating())
        return toIntegers(array, name, std::move(tensor));
    for (std::int64_t i = 0, n = array.count(); i < n; ++i)
        tensor.setFloat(i, array.floatAt(i));
    return tensor;
}

}  // namespace tw::device

#include "profiler/device/host_values.h"

#include <cstring>

#include "core/support/check.h"
#include "profiler/device/index_value.h"

namespace tw::device {

HostValues::HostValues(const interp::Arguments& arguments) : values_(arguments.dims)
{
    for (const auto& [name, value] : arguments.scalars)
        if (const auto* number = std::get_if<std::int64_t>(&value))
            values_.emplace(name, *number);
}

std::optional<std::int64_t> HostValues::value(const ir::Expr& e) const
{
    return indexValue(e, [this](const ir::Expr& leaf) -> std::optional<std::int64_t> {
        const auto* var = ir::as<ir::VarNode>(leaf);
        const auto found = var ? values_.find(var->name) : values_.end();
        return found == values_.end() ? std::nullopt : std::optional(found->second);
    });
}

std::optional<std::vector<std::int64_t>> HostValues::values(std::span<const ir::Expr> list) const
{
    std::vector<std::int64_t> out;
    for (const ir::Expr& e : list) {
        const auto one = value(e);
        if (!one)
            return std::nullopt;
        out.push_back(*one);
    }
    return out;
}

StridedLayout::StridedLayout(ir::DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides)
    : dtype_(dtype), shape_(std::move(shape)), strides_(std::move(strides))
{
    std::int64_t expected = 1;
    bool isContiguous = true;
    for (std::size_t axis = strides_.size(); axis-- > 0;) {
        isContiguous = isContiguous && (strides_[axis] == expected || shape_[axis] == 1);
        expected *= shape_[axis];
    }
    if (isContiguous)
        strides_.clear();
    TW_CHECK(strides_.empty() || dtype_.bits() >= 8, "packed elements are contiguous");
}

std::int64_t StridedLayout::bytes() const
{
    std::int64_t count = 1, last = 0;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
        count *= shape_[axis];
        last += strides_.empty() ? 0 : (shape_[axis] - 1) * strides_[axis];
    }
    if (count <= 0)
        return 0;
    return dtype_.storageBytes(strides_.empty() ? count : last + 1);
}

template <class Move>
void StridedLayout::forEach(Move&& move) const
{
    if (bytes() == 0)
        return;
    const std::int64_t size = dtype_.storageBytes(1);
    std::vector<std::int64_t> at(shape_.size(), 0);
    for (std::int64_t contiguous = 0;; contiguous += size) {
        std::int64_t strided = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            strided += at[axis] * strides_[axis];
        move(strided * size, contiguous, size);
        std::size_t axis = at.size();
        while (axis > 0 && ++at[axis - 1] == shape_[axis - 1])
            at[--axis] = 0;
        if (axis == 0)
            return;
    }
}

std::vector<std::uint8_t> StridedLayout::pack(std::span<const std::uint8_t> contiguous) const
{
    if (isContiguous())
        return {contiguous.begin(), contiguous.end()};
    std::vector<std::uint8_t> out(static_cast<std::size_t>(bytes()), 0);
    forEach([&](std::int64_t to, std::int64_t from, std::int64_t size) { std::memcpy(out.data() + to, contiguous.data() + from, static_cast<std::size_t>(size)); });
    return out;
}

void StridedLayout::unpack(std::span<const std::uint8_t> strided, std::span<std::uint8_t> contiguous) const
{
    if (isContiguous()) {
        std::copy(strided.begin(), strided.end(), contiguous.begin());
        return;
    }
    forEach([&](std::int64_t from, std::int64_t to, std::int64_t size) { std::memcpy(contiguous.data() + to, strided.data() + from, static_cast<std::size_t>(size)); });
}

}  // namespace tw::device

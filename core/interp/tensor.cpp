#include "core/interp/tensor.h"

#include <limits>

#include "core/interp/element.h"
#include "core/ir/number.h"

namespace tw::interp {

namespace {

std::int64_t count(const std::vector<std::int64_t>& shape)
{
    std::int64_t n = 1;
    for (const std::int64_t extent : shape)
        n *= extent;
    return n;
}

}  // namespace

std::int64_t Tensor::elementCount() const { return count(shape); }

double Tensor::floatAt(std::int64_t index) const
{
    const Lane lane = loadElement(dtype, bytes.data(), index);
    if (dtype.isFloating())
        return lane.f;
    return dtype.scalar == ir::Scalar::kUInt64 ? static_cast<double>(static_cast<std::uint64_t>(lane.i))
                                               : static_cast<double>(lane.i);
}

std::int64_t Tensor::intAt(std::int64_t index) const
{
    const Lane lane = loadElement(dtype, bytes.data(), index);
    return dtype.isFloating() ? ir::floatToInt(ir::kInt64, lane.f) : lane.i;
}

void Tensor::setFloat(std::int64_t index, double value)
{
    Lane lane{};
    lane.f = value;
    castLanes(ir::kFloat64, dtype.element(), &lane, &lane, 1);
    storeElement(dtype, bytes.data(), index, lane);
}

void Tensor::setInt(std::int64_t index, std::int64_t value)
{
    Lane lane{};
    lane.i = value;
    castLanes(ir::kInt64, dtype.element(), &lane, &lane, 1);
    storeElement(dtype, bytes.data(), index, lane);
}

Tensor makeTensor(ir::DType dtype, std::vector<std::int64_t> shape)
{
    Tensor tensor{dtype, std::move(shape), {}};
    tensor.bytes.resize(static_cast<std::size_t>(dtype.storageBytes(tensor.elementCount())));
    return tensor;
}

void poison(Tensor& tensor)
{
    const ir::DType type = tensor.dtype.element();
    Lane lane{};
    if (type.isFloating())
        lane.f = std::numeric_limits<double>::quiet_NaN();
    else if (type.isBool())
        lane.i = 1;
    else
        lane.i = type.isUnsigned() ? static_cast<std::int64_t>(ir::largestInt(type)) : ir::smallestInt(type);
    if (type.isFloating())
        roundLanes(type, &lane, 1);
    const std::int64_t scalars = tensor.elementCount() * tensor.dtype.lanes;
    for (std::int64_t k = 0; k < scalars; ++k)
        storeElement(type, tensor.bytes.data(), k, lane);
}

}  // namespace tw::interp

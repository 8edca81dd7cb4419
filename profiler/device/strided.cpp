#include "profiler/device/strided.h"

#include "profiler/device/pointers.h"

namespace tw::device {

PointerOrder::PointerOrder(const ir::Function& function, interp::Arguments& arguments)
{
    const HostValues values(arguments);
    for (const ir::Buffer& buffer : parameterTensors(function)) {
        if (!buffer || !buffer->address || buffer->strides.empty() || buffer->dtype.bits() < 8)
            continue;
        const auto given = arguments.tensors.find(buffer->name);
        auto strides = values.values(buffer->strides);
        if (given == arguments.tensors.end() || !strides)
            continue;
        interp::Tensor& tensor = given->second;
        StridedLayout layout(tensor.dtype, tensor.shape, std::move(*strides));
        if (layout.isContiguous())
            continue;
        tensor.bytes = layout.pack(tensor.bytes);
        moved_.push_back({given->first, tensor.shape, std::move(layout)});
        tensor.shape = {tensor.dtype.storageBytes(1) > 0 ? static_cast<std::int64_t>(tensor.bytes.size()) / tensor.dtype.storageBytes(1) : 0};
    }
}

void PointerOrder::restore(interp::Arguments& arguments) const
{
    for (const Moved& m : moved_) {
        interp::Tensor logical = interp::makeTensor(arguments.tensors.at(m.name).dtype, m.shape);
        m.layout.unpack(arguments.tensors.at(m.name).bytes, logical.bytes);
        arguments.tensors.at(m.name) = std::move(logical);
    }
}

}  // namespace tw::device

#include "profiler/device/statistics.h"

#include <cmath>

namespace tw::device {

protocol::Output summarize(const std::string& name, const interp::Tensor& tensor)
{
    protocol::Output out;
    out.name = name;
    out.dtype = tensor.dtype.name();
    out.shape = tensor.shape;
    double sum = 0;
    std::int64_t finite = 0;
    for (std::int64_t i = 0, n = tensor.elementCount(); i < n; ++i) {
        const double value = tensor.dtype.isFloating() ? tensor.floatAt(i) : static_cast<double>(tensor.intAt(i));
        if (std::isnan(value)) {
            ++out.nan;
        } else if (std::isinf(value)) {
            ++out.inf;
        } else {
            out.min = std::min(out.min.value_or(value), value);
            out.max = std::max(out.max.value_or(value), value);
            sum += value;
            ++finite;
        }
    }
    if (finite > 0)
        out.mean = sum / static_cast<double>(finite);
    return out;
}

}  // namespace tw::device

// Arguments for random programs, and whether two answers are the same.
#pragma once

#include <cmath>
#include <random>
#include <string>

#include "core/interp/interpreter.h"

namespace tw::test {

// Small whole numbers: sums of them are exact in any order.
inline interp::Arguments makeArguments(const ir::Function& function, std::uint32_t seed)
{
    std::mt19937 random(seed);
    interp::Arguments arguments;
    for (const ir::Param& param : function.params) {
        const auto* buffer = std::get_if<ir::Buffer>(&param.value);
        if (!buffer)
            continue;
        std::vector<std::int64_t> shape;
        for (const ir::Expr& extent : (*buffer)->shape)
            shape.push_back(*ir::asInt(extent));
        interp::Tensor tensor = interp::makeTensor((*buffer)->dtype, shape);
        for (std::int64_t i = 0; i < tensor.elementCount(); ++i) {
            const int value = static_cast<int>(random() % 5) - ((*buffer)->dtype.isUnsigned() ? 0 : 2);
            if ((*buffer)->dtype.isFloating())
                tensor.setFloat(i, value);
            else
                tensor.setInt(i, value);
        }
        arguments.tensors[param.name()] = std::move(tensor);
    }
    return arguments;
}

// Elements that differ by more than rounding in another order explains: two steps of the type, or of float32 sums.
inline int countWrong(const interp::Tensor& got, const interp::Tensor& want, std::string& first)
{
    int wrong = 0;
    for (std::int64_t i = 0; i < want.elementCount(); ++i) {
        bool same = false;
        double a = 0, b = 0;
        if (want.dtype.isFloating()) {
            a = got.floatAt(i);
            b = want.floatAt(i);
            const double step = std::ldexp(1.0, -want.dtype.mantissaBits());
            same = (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= 2 * step * std::max(std::abs(a), std::abs(b)) + 1e-5;
        } else {
            a = static_cast<double>(got.intAt(i));
            b = static_cast<double>(want.intAt(i));
            same = a == b;
        }
        if (!same && wrong++ == 0)
            first = "element " + std::to_string(i) + ": " + std::to_string(a) + " instead of " + std::to_string(b);
    }
    return wrong;
}

}  // namespace tw::test

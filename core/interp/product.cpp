#include "core/interp/product.h"

#include "core/interp/element.h"

namespace tw::interp {

namespace {

void multiplyFloat(const std::vector<Lane>& a, const std::vector<Lane>& b, std::vector<Lane>& c, std::size_t m, std::size_t n,
                   std::size_t k)
{
    std::vector<float> right(k * n);
    for (std::size_t x = 0; x < right.size(); ++x)
        right[x] = static_cast<float>(b[x].f);
    std::vector<float> row(n);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j)
            row[j] = static_cast<float>(c[i * n + j].f);
        for (std::size_t p = 0; p < k; ++p) {
            const auto left = static_cast<float>(a[i * k + p].f);
            const float* from = right.data() + p * n;
            float* to = row.data();
            for (std::size_t j = 0; j < n; ++j)
                to[j] += left * from[j];
        }
        for (std::size_t j = 0; j < n; ++j)
            c[i * n + j].f = static_cast<double>(row[j]);
    }
}

void multiplyInt(const std::vector<Lane>& a, const std::vector<Lane>& b, std::vector<Lane>& c, std::size_t m, std::size_t n,
                 std::size_t k)
{
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t p = 0; p < k; ++p) {
            const auto left = static_cast<std::uint64_t>(a[i * k + p].i);
            for (std::size_t j = 0; j < n; ++j)
                c[i * n + j].i = static_cast<std::int64_t>(static_cast<std::uint64_t>(c[i * n + j].i) +
                                                           left * static_cast<std::uint64_t>(b[p * n + j].i));
        }
}

}  // namespace

void multiply(ir::DType type, const std::vector<Lane>& a, const std::vector<Lane>& b, std::vector<Lane>& c, std::size_t m, std::size_t n,
              std::size_t k)
{
    if (!type.isFloating())
        multiplyInt(a, b, c, m, n, k);
    else if (type.scalar == ir::Scalar::kFloat32)
        multiplyFloat(a, b, c, m, n, k);
    else
        multiplySteps(a, b, c, m, n, k, [&](Lane* row, std::size_t count) { roundLanes(type, row, count); });  // float64, 16-bit accumulators
}

}  // namespace tw::interp

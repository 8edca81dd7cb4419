#include "core/target/rates.h"

#include <array>

namespace tw::target {
namespace {

struct Row {
    std::string_view name;
    Rates rates;
};

const auto& rows()
{
    static const std::array kRows = {
#define TW_RATES(name, mhz, gbs, dramShare, l2, l2Bytes, shared, fma, special, schedulers, f16, tf32, f8, i8, tensorShare, mmaShare, dramNs, l2Ns) \
    Row{name, {mhz, gbs * 1e9, dramShare, l2, l2Bytes, shared, fma, special, schedulers, f16, tf32, f8, i8, tensorShare, mmaShare, dramNs, l2Ns}},
#include "core/target/rates.def"
#undef TW_RATES
    };
    return kRows;
}

}  // namespace

const Rates* ratesOf(const Target& target)
{
    for (const Row& row : rows())
        if (row.name == target.name)
            return &row.rates;
    return nullptr;
}

double tensorPerClock(const Rates& rates, int bits, bool isInteger)
{
    const double rate = bits <= 8 ? (isInteger ? rates.tensorI8 : rates.tensorF8) : bits <= 16 ? rates.tensorF16 : bits <= 32 ? rates.tensorTf32 : rates.tensorF16 / 16;
    return rate > 0 ? rate : rates.tensorF16;
}

}  // namespace tw::target

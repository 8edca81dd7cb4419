// Methods of numbers.
#include <bit>
#include <cmath>

#include "core/staging/builtins.h"
#include "core/staging/integer_math.h"

namespace tw::staging {
namespace {

using Args = const CallArguments&;

Unsigned128 sizeOfInteger(Integer i)
{
    return i < 0 ? ~static_cast<Unsigned128>(i) + 1 : static_cast<Unsigned128>(i);
}

Value bitLength(Interpreter&, const Value& s, Args)
{
    const auto i = asInteger(s).value_or(0);
    auto rest = sizeOfInteger(i);
    int n = 0;
    for (; rest != 0; rest >>= 1)
        ++n;
    return n;
}

Value bitCount(Interpreter&, const Value& s, Args)
{
    const auto i = asInteger(s).value_or(0);
    const Unsigned128 u = sizeOfInteger(i);
    return std::popcount(static_cast<std::uint64_t>(u)) + std::popcount(static_cast<std::uint64_t>(u >> 64));
}

Value isInteger(Interpreter&, const Value& s, Args)
{
    const double d = asNumber(s).value_or(0);
    return std::isfinite(d) && std::floor(d) == d;
}

Value itself(Interpreter&, const Value& s, Args) { return s; }

}  // namespace

Method numberMethod(std::string_view name)
{
    static const std::map<std::string_view, Method> kTable = {{"bit_length", bitLength}, {"bit_count", bitCount}, {"is_integer", isInteger},
        {"conjugate", itself}, {"item", itself}, {"__index__", itself}};
    const auto it = kTable.find(name);
    return it == kTable.end() ? nullptr : it->second;
}

}  // namespace tw::staging

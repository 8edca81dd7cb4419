#include "core/layout/linear.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/layout/table.h"
#include "core/support/check.h"

namespace tw::layout {

namespace {

using I = std::int64_t;
using Bits = std::uint64_t;

bool isPowerOfTwo(I n) { return n > 0 && std::has_single_bit(static_cast<Bits>(n)); }
int bitsOf(I n) { return std::countr_zero(static_cast<Bits>(n)); }

// Images in echelon form, each with the input that leads to it.
class Echelon {
public:
    struct Row {
        Bits image, input;
    };
    // Takes away from (image, input) what the rows have.
    [[nodiscard]] Row reduce(Row r) const
    {
        for (const Row& row : rows_)
            if ((r.image ^ row.image) < r.image)
                r = {r.image ^ row.image, r.input ^ row.input};
        return r;
    }
    // False: the image was there already.
    bool add(Row r)
    {
        r = reduce(r);
        if (r.image == 0)
            return false;
        const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.image < r.image; });
        rows_.insert(at, r);
        return true;
    }
    [[nodiscard]] int rank() const { return static_cast<int>(rows_.size()); }

private:
    std::vector<Row> rows_;  // leading bits fall
};

}  // namespace

Bits Linear::operator()(Bits x) const
{
    Bits y = 0;
    for (std::size_t k = 0; k < columns.size(); ++k)
        y ^= (x >> k & 1U) != 0 ? columns[k] : 0;
    return y;
}

int Linear::rank() const
{
    Echelon images;
    for (const Bits column : columns)
        images.add({column, 0});
    return images.rank();
}

Linear identity(int bits)
{
    Linear f{bits, {}};
    for (int k = 0; k < bits; ++k)
        f.columns.push_back(Bits{1} << k);
    return f;
}

Linear compose(const Linear& outer, const Linear& inner)
{
    TW_CHECK(outer.inputs() == inner.outputs, "layouts that do not follow each other");
    Linear f{outer.outputs, {}};
    for (const Bits column : inner.columns)
        f.columns.push_back(outer(column));
    return f;
}

std::optional<Linear> divide(const Linear& f, const Linear& g)
{
    TW_CHECK(f.inputs() == g.inputs(), "layouts of different inputs");
    Echelon images;
    for (int k = 0; k < g.inputs(); ++k) {
        const Bits input = Bits{1} << k;
        // What g maps to zero, f has to map to zero, too.
        const auto rest = images.reduce({g(input), input});
        if (rest.image == 0 && f(rest.input) != 0)
            return std::nullopt;
        images.add({g(input), input});
    }
    Linear h{f.outputs, std::vector<Bits>(static_cast<std::size_t>(g.outputs), 0)};
    // A basis of all outputs of g: its images, then unit vectors, which h sends to zero.
    Echelon basis;
    std::vector<Bits> values;  // of f; the basis' inputs are numbers of values
    for (int k = 0; k < g.inputs(); ++k)
        if (basis.add({g(Bits{1} << k), Bits{1} << values.size()}))
            values.push_back(f(Bits{1} << k));
    for (int k = 0; k < g.outputs; ++k)
        basis.add({Bits{1} << k, 0});
    for (int k = 0; k < g.outputs; ++k) {
        const Bits combination = basis.reduce({Bits{1} << k, 0}).input;
        for (std::size_t n = 0; n < values.size(); ++n)
            h.columns[static_cast<std::size_t>(k)] ^= (combination >> n & 1U) != 0 ? values[n] : 0;
    }
    return h;
}

std::optional<Linear> inverse(const Linear& f)
{
    if (f.inputs() != f.outputs || !f.isInjective())
        return std::nullopt;
    return divide(identity(f.inputs()), f);
}

bool contains(const Linear& g, const Linear& f) { return divide(f, g).has_value(); }

std::optional<Linear> linearOf(const ir::LayoutMap& map)
{
    const auto table = tabulate(map);
    if (!table || !isPowerOfTwo(static_cast<I>(table->physical.size())))
        return std::nullopt;
    for (const I extent : table->shape)
        if (!isPowerOfTwo(extent))
            return std::nullopt;
    Linear f;
    f.outputs = static_cast<int>(std::bit_width(static_cast<Bits>(table->size - 1)));
    for (std::size_t x = 1; x < table->physical.size(); x *= 2)
        f.columns.push_back(static_cast<Bits>(table->physical[x]));
    for (std::size_t x = 0; x < table->physical.size(); ++x)
        if (f(x) != static_cast<Bits>(table->physical[x]))
            return std::nullopt;
    return f;
}

std::optional<Linear> linearOf(const Fragment& f)
{
    std::vector<int> firstBit(f.shape.size(), 0);
    int total = 0;
    for (std::size_t k = f.shape.size(); k-- > 0;) {
        if (!isPowerOfTwo(f.shape[k]) || f.covered(static_cast<int>(k)) > f.shape[k])
            return std::nullopt;
        firstBit[k] = total;
        total += bitsOf(f.shape[k]);
    }
    const I registers = f.registers();
    if (!isPowerOfTwo(f.threads) || !isPowerOfTwo(registers))
        return std::nullopt;
    Linear result{total, std::vector<Bits>(static_cast<std::size_t>(bitsOf(registers) + bitsOf(f.threads)), 0)};
    for (const Digit& d : f.digits) {
        if (!isPowerOfTwo(d.extent) || !isPowerOfTwo(d.lower) || !isPowerOfTwo(d.stride))
            return std::nullopt;
        for (int k = 0; k < bitsOf(d.extent); ++k) {
            const int input = bitsOf(d.stride) + k + (d.onThread ? bitsOf(registers) : 0);
            result.columns[static_cast<std::size_t>(input)] = Bits{1} << (firstBit[static_cast<std::size_t>(d.axis)] + bitsOf(d.lower) + k);
        }
    }
    return result;
}

std::string describe(const Linear& f, const std::vector<BitField>& inputs, const std::vector<BitField>& outputs)
{
    std::vector<std::string> names;
    for (const BitField& field : inputs)
        for (int k = 0; k < field.bits; ++k)
            names.push_back(fmt::format("{}{}", field.name, k));
    TW_CHECK(names.size() == f.columns.size(), "input bits without a name");
    std::vector<std::string> words;
    int bit = 0;
    for (const BitField& field : outputs) {
        std::vector<std::string> parts;
        for (int k = 0; k < field.bits; ++k, ++bit) {
            std::vector<std::string> sum;
            for (std::size_t n = 0; n < names.size(); ++n)
                if ((f.columns[n] >> bit & 1U) != 0)
                    sum.push_back(names[n]);
            parts.push_back(sum.empty() ? "0" : fmt::format("{}", fmt::join(sum, "^")));
        }
        if (!parts.empty())
            words.push_back(fmt::format("{} = {}", field.name, fmt::join(parts, " ")));
    }
    return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace tw::layout

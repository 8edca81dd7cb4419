#include "core/layout/access.h"

#include <algorithm>
#include <array>

#include "core/arith/evaluate.h"
#include "core/layout/shared.h"
#include "core/layout/table.h"
#include "core/support/check.h"

namespace tw::layout {

namespace {

using I = std::int64_t;

bool hasRuns(const Table& table, int axis, I run)
{
    const I stride = table.stride(axis), extent = table.shape[static_cast<std::size_t>(axis)];
    for (I n = 0; n < static_cast<I>(table.physical.size()); ++n) {
        const I place = n / stride % extent % run;
        const I here = table.physical[static_cast<std::size_t>(n)];
        if (place == 0 ? here % run != 0 : here != table.physical[static_cast<std::size_t>(n - stride)] + 1)
            return false;
    }
    return true;
}

I ceilDiv(I a, I b) { return (a + b - 1) / b; }

// The largest divisor of an extent that a box may have.
I boxExtent(I extent)
{
    constexpr I kMaxBox = 256;
    for (I n = std::min(extent, kMaxBox);; --n)
        if (extent % n == 0)
            return n;
}

// The words of some lanes, by bank.
BankUse usePhase(std::span<const I> addresses, I bytes)
{
    std::array<I, 64> words;  // at most 32 lanes with one, 16 with two, 8 with four
    std::size_t count = 0;
    for (const I address : addresses)
        for (I word = address / 4; address >= 0 && word * 4 < address + bytes; ++word)
            words[count++] = word;
    std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    count = static_cast<std::size_t>(std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)) - words.begin());
    std::array<I, 32> wanted{};
    BankUse use;
    for (std::size_t n = 0; n < count; ++n)
        use.passes = std::max(use.passes, ++wanted[static_cast<std::size_t>(words[n] % 32)]);
    use.best = ceilDiv(static_cast<I>(count), 32);
    return use;
}

}  // namespace

I alignedRun(const ir::LayoutMap& map, int axis)
{
    const auto table = tabulate(map);
    if (!table)
        return 1;
    const I extent = table->shape[static_cast<std::size_t>(axis)];
    I run = 1;
    while (extent % (2 * run) == 0 && hasRuns(*table, axis, 2 * run))
        run *= 2;
    return run;
}

bool isInjective(const ir::LayoutMap& map)
{
    auto table = tabulate(map);
    if (!table)
        return false;
    std::ranges::sort(table->physical);
    return std::ranges::adjacent_find(table->physical) == table->physical.end();
}

bool hasMatrixRows(const ir::LayoutMap& map, int bits)
{
    return alignedRun(map, static_cast<int>(map.shape.size()) - 1) * bits >= 128;
}

BankUse bankUse(std::span<const I> addresses, I bytes)
{
    TW_CHECK(bytes <= 16, "an access of more than 16 bytes");
    const std::size_t together = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
    BankUse all;
    for (std::size_t first = 0; first < addresses.size(); first += together) {
        const BankUse phase = usePhase(addresses.subspan(first, std::min(together, addresses.size() - first)), bytes);
        all.passes += phase.passes;
        all.best += phase.best;
    }
    return all;
}

I matrixPasses(const ir::LayoutMap& map, int bits)
{
    const std::size_t rank = map.shape.size();
    if (rank < 2 || map.shape[rank - 2] < 8 || map.shape[rank - 1] * bits < 128 || map.index.size() != 1)
        return 0;
    std::vector<const ir::ExprNode*> vars;
    for (const auto& v : map.vars)
        vars.push_back(v.get());
    auto program = arith::Evaluation::compile(map.index.front(), vars);
    std::vector<I> addresses, at(rank, 0);
    for (I row = 0; row < 8 && program; ++row) {
        at[rank - 2] = row;
        const auto place = program->run(at);
        if (!place)
            return 0;
        addresses.push_back(*place * bits / 8);
    }
    return program ? bankUse(addresses, 16).passes : 0;
}

std::optional<TmaBoxes> tmaBoxes(const ir::LayoutMap& map, int bits)
{
    const auto table = tabulate(map);
    if (!table || map.shape.empty() || 128 % bits != 0 || map.shape.back() * bits % 128 != 0)
        return std::nullopt;
    const auto same = [&](const Ref<const ir::LayoutMap>& other) {
        const auto physical = tabulate(*other);
        return physical && physical->physical == table->physical;
    };
    TmaBoxes boxes;
    boxes.box.assign(map.shape.size(), 1);
    const std::size_t last = map.shape.size() - 1;
    if (same(rowMajor(map.shape))) {
        boxes.box[last] = boxExtent(map.shape[last]);
        if (boxes.box[last] * bits % 128 != 0 || (last > 0 && boxes.box[last] != map.shape[last]))
            return std::nullopt;
    } else {
        // Panels: 8 rows repeat the swizzle, so panels of other heights would end within it.
        for (const I width : {I{128}, I{64}, I{32}, I{16}})
            if (last > 0 && map.shape.back() * bits / 8 % width == 0 && map.shape[last - 1] % 8 == 0 && same(panels(map.shape, bits, width))) {
                boxes.swizzle = width == 16 ? 0 : width;
                boxes.box[last] = width * 8 / bits;
                break;
            }
        if (boxes.box[last] == 1)
            return std::nullopt;
    }
    if (last > 0)
        boxes.box[last - 1] = boxExtent(map.shape[last - 1]);
    if (last > 0 && boxes.swizzle > 0 && boxes.box[last - 1] % 8 != 0)
        return std::nullopt;
    for (std::size_t k = 0; k <= last; ++k)
        boxes.counts.push_back(map.shape[k] / boxes.box[k]);
    return boxes;
}

}  // namespace tw::layout

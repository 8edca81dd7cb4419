#include "core/layout/access.h"

#include "core/layout/table.h"

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

}  // namespace tw::layout

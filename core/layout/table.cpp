#include "core/layout/table.h"

#include <algorithm>
#include <span>

#include "core/arith/evaluate.h"

namespace tw::layout {

namespace {

using I = std::int64_t;

constexpr I kMaxElements = 1 << 20;

// One output of the map for every element, in row-major order.
std::optional<std::vector<I>> outputs(const ir::Expr& output, const ir::LayoutMap& map, I total)
{
    std::vector<const ir::ExprNode*> vars;
    for (const auto& v : map.vars)
        vars.push_back(v.get());
    auto program = arith::Evaluation::compile(output, vars);
    if (!program)
        return std::nullopt;
    std::vector<I> result(static_cast<std::size_t>(total)), at(map.shape.size(), 0);
    const auto row = static_cast<std::size_t>(map.shape.back());
    for (std::size_t first = 0; first < result.size(); first += row) {
        const std::span<I> here(result.data() + first, row);
        if (!program->runAlong(at, at.size() - 1, here) || *std::ranges::min_element(here) < 0)
            return std::nullopt;
        for (std::size_t k = at.size() - 1; k-- > 0;) {
            if (++at[k] < map.shape[k])
                break;
            at[k] = 0;
        }
    }
    return result;
}

}  // namespace

I Table::stride(int axis) const
{
    I stride = 1;
    for (std::size_t k = static_cast<std::size_t>(axis) + 1; k < shape.size(); ++k)
        stride *= shape[k];
    return stride;
}

std::optional<Table> tabulate(const ir::LayoutMap& map)
{
    I total = 1;
    for (const I extent : map.shape) {
        if (extent <= 0 || total > kMaxElements / extent)
            return std::nullopt;
        total *= extent;
    }
    Table table;
    table.shape = map.shape;
    table.size = 1;
    table.physical.assign(static_cast<std::size_t>(total), 0);
    if (map.index.empty() || map.shape.empty())
        return std::nullopt;
    for (const ir::Expr& output : map.index) {
        const auto values = outputs(output, map, total);
        if (!values)
            return std::nullopt;
        const I extent = *std::ranges::max_element(*values) + 1;
        for (std::size_t n = 0; n < values->size(); ++n)
            table.physical[n] = table.physical[n] * extent + (*values)[n];
        table.size *= extent;
    }
    return table;
}

}  // namespace tw::layout

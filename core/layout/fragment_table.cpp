#include "core/layout/fragment_table.h"

#include <algorithm>

#include "core/arith/evaluate.h"

namespace tw::layout {

namespace {

using I = std::int64_t;

constexpr I kMostPlaces = 1 << 20;

}  // namespace

std::optional<FragmentTable> tabulateFragment(const ir::LayoutMap& map)
{
    if (!map.thread || map.index.size() != 1)
        return std::nullopt;
    FragmentTable table{map.shape, map.replicate, {}, {}, 0, 0};
    I total = 1;
    for (const I extent : map.shape) {
        if (extent <= 0 || total > kMostPlaces / map.replicate / extent)
            return std::nullopt;
        total *= extent;
    }
    std::vector<const ir::ExprNode*> vars;
    for (const ir::Var& v : map.vars)
        vars.push_back(v.get());
    if (map.replicateVar)
        vars.push_back(map.replicateVar.get());
    auto thread = arith::Evaluation::compile(map.thread, vars);
    auto index = arith::Evaluation::compile(map.index[0], vars);
    if (!thread || !index)
        return std::nullopt;
    std::vector<I> at(vars.size(), 0);
    for (I element = 0; element < total; ++element) {
        std::vector<I> holders;
        for (I copy = 0; copy < map.replicate; ++copy) {
            if (map.replicateVar)
                at.back() = copy;
            const auto t = thread->run(at);
            if (!t || *t < 0)
                return std::nullopt;
            holders.push_back(*t);
        }
        const auto r = index->run(at);
        if (!r || *r < 0)
            return std::nullopt;
        std::ranges::sort(holders);
        table.threadCount = std::max(table.threadCount, holders.back() + 1);
        table.registerCount = std::max(table.registerCount, *r + 1);
        table.threads.insert(table.threads.end(), holders.begin(), holders.end());
        table.registers.push_back(*r);
        for (std::size_t k = map.shape.size(); k-- > 0;) {
            if (++at[k] < map.shape[k])
                break;
            at[k] = 0;
        }
    }
    return table;
}

}  // namespace tw::layout

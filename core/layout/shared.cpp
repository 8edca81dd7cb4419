#include "core/layout/shared.h"

#include <numeric>

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/layout/table.h"

namespace tw::layout {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::LayoutMap;

constexpr I kBankBytes = 4, kBankPeriod = 128;  // of one bank; after which the banks repeat
constexpr I kWidestBytes = 16;                  // of a thread's access

std::shared_ptr<LayoutMap> emptyMap(const std::vector<I>& shape)
{
    static constexpr const char* kNames[] = {"i", "j", "k", "l", "m", "n"};
    auto map = std::make_shared<LayoutMap>();
    map->shape = shape;
    for (std::size_t k = 0; k < shape.size(); ++k)
        map->vars.push_back(std::make_shared<ir::VarNode>(ir::kInt32, kNames[std::min<std::size_t>(k, 5)]));
    return map;
}

// The number of the row that an element lies in, all axes but the last.
Expr rowOf(const LayoutMap& map)
{
    Expr row = ir::intImm(0);
    for (std::size_t k = 0; k + 1 < map.shape.size(); ++k)
        row = ir::add(ir::mul(row, ir::intImm(map.shape[k])), map.vars[k]);
    return row;
}

Expr flat(const std::vector<Expr>& at, const std::vector<I>& shape)
{
    Expr sum = ir::intImm(0);
    for (std::size_t k = 0; k < at.size(); ++k)
        sum = ir::add(ir::mul(sum, ir::intImm(shape[k])), at[k]);
    return sum;
}

// One more than the largest value of each output.
std::vector<I> outputExtents(const LayoutMap& map)
{
    std::vector<I> extents;
    for (const Expr& output : map.index) {
        LayoutMap one = map;
        one.index = {output};
        const auto table = tabulate(one);
        if (!table)
            return {};
        extents.push_back(table->size);
    }
    return extents;
}

}  // namespace

Ref<const LayoutMap> rowMajor(const std::vector<I>& shape)
{
    auto map = emptyMap(shape);
    map->index = {ir::add(ir::mul(rowOf(*map), ir::intImm(shape.back())), map->vars.back())};
    return map;
}

Ref<const LayoutMap> swizzled(const std::vector<I>& shape, int bits)
{
    const I rowBytes = shape.back() * bits / 8;
    const I chunks = std::gcd(rowBytes, I{128}) / 16;  // after this many chunks, and 8 / chunks rows, banks repeat
    if (shape.size() < 2 || shape.back() * bits % 8 != 0 || chunks < 2)
        return rowMajor(shape);
    auto map = emptyMap(shape);
    const Expr row = map->vars[shape.size() - 2];
    const Expr turn = ir::floorMod(ir::floorDiv(row, ir::intImm(8 / chunks)), ir::intImm(chunks));
    const Expr column = ir::binary(ir::BinaryOp::kBitXor, map->vars.back(), ir::mul(turn, ir::intImm(128 / bits)));
    map->index = {ir::add(ir::mul(rowOf(*map), ir::intImm(shape.back())), column)};
    return map;
}

Ref<const LayoutMap> panels(const std::vector<I>& shape, int bits, I bytes)
{
    auto map = emptyMap(shape);
    const I columns = bytes * 8 / bits, rows = shape[shape.size() - 2], chunks = bytes / 16;
    const Expr row = map->vars[shape.size() - 2], column = map->vars.back();
    const Expr turn = ir::floorMod(ir::floorDiv(row, ir::intImm(8 / chunks)), ir::intImm(chunks));
    const Expr inside = ir::binary(ir::BinaryOp::kBitXor, ir::floorMod(column, ir::intImm(columns)), ir::mul(turn, ir::intImm(128 / bits)));
    Expr tile = ir::intImm(0);
    for (std::size_t k = 0; k + 2 < shape.size(); ++k)
        tile = ir::add(ir::mul(tile, ir::intImm(shape[k])), map->vars[k]);
    const Expr panel = ir::add(ir::mul(tile, ir::intImm(shape.back() / columns)), ir::floorDiv(column, ir::intImm(columns)));
    map->index = {ir::add(ir::mul(ir::add(ir::mul(panel, ir::intImm(rows)), row), ir::intImm(columns)), inside)};
    return map;
}

Ref<const LayoutMap> toMap(const RowForm& form, const std::vector<I>& shape)
{
    if (form == RowForm{})
        return rowMajor(shape);
    auto map = emptyMap(shape);
    const Expr row = rowOf(*map);
    Expr column = map->vars.back();
    if (form.chunk != 0) {
        const Expr turn = ir::floorMod(ir::floorDiv(row, ir::intImm(form.divisor)), ir::intImm(form.turns));
        column = ir::binary(ir::BinaryOp::kBitXor, column, ir::mul(turn, ir::intImm(form.chunk)));
    }
    map->index = {ir::add(ir::mul(row, ir::intImm(shape.back() + form.pad)), column)};
    return map;
}

std::string describe(const RowForm& form, int bits)
{
    if (form.pad != 0)
        return fmt::format("rows with {} bytes behind each", form.pad * bits / 8);
    if (form.chunk == 0)
        return "row-major";
    const std::string row = form.divisor == 1 ? "row" : fmt::format("row / {}", form.divisor);
    return fmt::format("chunk c of {} bytes at c ^ ({} % {})", form.chunk * bits / 8, row, form.turns);
}

std::vector<RowForm> rowForms(const std::vector<I>& shape, int bits)
{
    std::vector<RowForm> forms = {{}};
    if (shape.size() < 2 || bits % 8 != 0 || kBankPeriod % (bits / 8) != 0)
        return forms;
    const I bytes = bits / 8, columns = shape.back(), whole = std::gcd(columns * bytes, kBankPeriod);
    for (I chunk = kWidestBytes; chunk >= std::max<I>(kBankBytes, bytes); chunk /= 2)
        for (I divisor = 1; whole / chunk >= 2 && divisor <= 16; divisor *= 2)
            forms.push_back({0, chunk / bytes, divisor, whole / chunk});
    for (I pad = kWidestBytes; pad >= std::max<I>(kBankBytes, bytes); pad /= 2)
        forms.push_back({pad / bytes, 0, 1, 1});
    return forms;
}

Expr physicalIndex(const LayoutMap& map, const std::vector<Expr>& at)
{
    std::map<const ir::ExprNode*, Expr> values;
    for (std::size_t k = 0; k < map.vars.size(); ++k)
        values[map.vars[k].get()] = ir::cast(ir::kInt32, at[k]);
    std::vector<Expr> outputs;
    for (const Expr& output : map.index)
        outputs.push_back(ir::substitute(output, values));
    return outputs.size() == 1 ? outputs.front() : flat(outputs, outputExtents(map));
}

I physicalSize(const LayoutMap& map)
{
    I size = 1;
    for (const I extent : outputExtents(map))
        size *= extent;
    return map.index.empty() ? 0 : size;
}

}  // namespace tw::layout

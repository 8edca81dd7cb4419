// The helpers of tilelang.layout: canonical swizzles and fragments as formulas.
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/layout_math.h"
#include "core/staging/trace/layouts.h"

namespace tw::staging {

using ir::Expr;
using ir::LayoutMap;

namespace {

struct Tile {
    ir::Buffer buffer;
    std::vector<std::int64_t> shape;
    int bits = 0;
    [[nodiscard]] std::int64_t columns() const { return shape.back(); }
};

Tile tileArgument(const Native& n)
{
    Tile tile;
    tile.buffer = n.tile("buffer").region.buffer;
    tile.bits = tile.buffer->dtype.bits() * tile.buffer->dtype.lanes;
    for (const auto& e : tile.buffer->shape) {
        const auto* extent = ir::asInt(e);
        if (!extent)
            n.ev.fail(Code::kLayout, n.range("buffer"), fmt::format("{} has no constant shape", tile.buffer->name));
        tile.shape.push_back(*extent);
    }
    return tile;
}

LayoutMap startMap(const Tile& tile)
{
    LayoutMap map;
    map.shape = tile.shape;
    map.vars = layoutVars(tile.shape.size());
    return map;
}

Value linear(const Tile& tile)
{
    LayoutMap map = startMap(tile);
    map.index.assign(map.vars.begin(), map.vars.end());
    return layoutValue(std::move(map));
}

// Rows of `width` bytes (128, 64 or 32) whose 16-byte chunks are exchanged by an xor with the row: the swizzles that TMA
// and wgmma know. Physical coordinates: panel of `width` bytes, group of 8 rows, element in the group.
Value swizzle(const Native& n, const Tile& tile, int width)
{
    if (tile.shape.size() < 2)
        n.fail(Code::kLayout, fmt::format("{} needs two axes, but {} has one", n.name, tile.buffer->name));
    const std::int64_t vec = 128 / tile.bits;
    const std::int64_t chunks = width / 16;
    if (tile.bits > 128 || tile.columns() % (chunks * vec) != 0)
        n.fail(Code::kLayout, fmt::format("{} needs rows that are a multiple of {} bytes, but those of {} have {}", n.name, width, tile.buffer->name, tile.columns() * tile.bits / 8));
    LayoutMap map = startMap(tile);
    const Expr row = map.vars[map.vars.size() - 2], column = map.vars.back();
    const auto c = [](std::int64_t v) { return ir::intImm(v); };
    const Expr s = ir::floorMod(row, c(8));
    const Expr chunk = ir::floorMod(ir::floorDiv(column, c(vec)), c(chunks));
    const Expr swapped = ir::binary(ir::BinaryOp::kBitXor, chunk, ir::floorDiv(s, c(8 / chunks)));
    map.index.assign(map.vars.begin(), map.vars.end() - 2);
    map.index.push_back(ir::floorDiv(column, c(chunks * vec)));
    map.index.push_back(ir::floorDiv(row, c(8)));
    map.index.push_back(ir::add(ir::floorMod(column, c(vec)), ir::mul(ir::add(swapped, ir::mul(s, c(chunks))), c(vec))));
    return layoutValue(std::move(map));
}

// The widest swizzle that fits the rows; rows that fit none are padded by 16 bytes or stay linear.
Value bestSwizzle(const Native& n, const Tile& tile, bool allowPad)
{
    if (tile.shape.size() < 2)
        return linear(tile);
    const std::int64_t rowBits = tile.columns() * tile.bits;
    for (const int width : {128, 64, 32})
        if (tile.bits <= 128 && 128 % tile.bits == 0 && rowBits % (width * 8) == 0)
            return swizzle(n, tile, width);
    if (!allowPad || tile.bits > 64)
        return linear(tile);
    LayoutMap map = startMap(tile);  // row * (columns + pad) + column
    map.index.assign(map.vars.begin(), map.vars.end() - 2);
    map.index.push_back(ir::add(ir::mul(map.vars[map.vars.size() - 2], ir::intImm(tile.columns() + 128 / tile.bits)), map.vars.back()));
    return layoutValue(std::move(map));
}

Value swizzled(const Native& n) { return bestSwizzle(n, tileArgument(n), !n.args.has("allow_pad") || n.flag("allow_pad", true)); }

Value wgmma(const Native& n)
{
    Tile tile = tileArgument(n);
    if (n.args.has("continuity") && n.has("continuity"))
        for (const int width : {128, 64, 32})
            if (n.integer("continuity", 0) * tile.bits % (width * 8) == 0)
                return swizzle(n, tile, width);
    return bestSwizzle(n, tile, false);
}

Value fragment8x8(const Native& n)
{
    LayoutMap map;
    map.shape = {8, 8};
    map.vars = layoutVars(2);
    const bool transposed = n.row.tag != 0;
    const Expr pair = map.vars[transposed ? 0 : 1], group = map.vars[transposed ? 1 : 0];
    map.thread = ir::add(ir::floorDiv(pair, ir::intImm(2)), ir::mul(group, ir::intImm(4)));
    map.index = {ir::floorMod(pair, ir::intImm(2))};
    return layoutValue(std::move(map));
}

Value replicatedFragment(const Native& n)
{
    const Tile tile = tileArgument(n);
    LayoutMap map = startMap(tile);
    map.replicate = n.integer("threads", 1);
    map.replicateVar = std::make_shared<ir::VarNode>(ir::kInt32, "rep");
    map.thread = map.replicateVar;
    Expr at = ir::intImm(0);
    for (std::size_t axis = 0; axis < map.vars.size(); ++axis)
        at = ir::add(ir::mul(at, ir::intImm(tile.shape[axis])), map.vars[axis]);
    map.index = {at};
    return layoutValue(std::move(map));
}

// (row, swizzled column) of one element in rows of `n` elements.
Value swizzlePair(const Native& n)
{
    const auto type = requireDType(n.ev, n["dtype"], n.range("dtype"));
    const std::int64_t vec = 128 / type.bits(), columns = n.integer("row_size", 0);
    const std::int64_t rowBytes = columns * type.bits() / 8;
    const std::int64_t chunks = rowBytes % 128 == 0 ? 8 : rowBytes % 64 == 0 ? 4 : rowBytes % 32 == 0 ? 2 : 1;
    const Expr row = n.index("row_idx"), column = n.index("col_idx");
    const auto c = [](std::int64_t v) { return ir::intImm(v); };
    const Expr s = ir::floorDiv(ir::floorMod(row, c(8)), c(8 / chunks));
    const Expr chunk = ir::binary(ir::BinaryOp::kBitXor, ir::floorMod(ir::floorDiv(column, c(vec)), c(chunks)), s);
    const Expr panel = ir::mul(ir::floorDiv(column, c(chunks * vec)), c(chunks * vec));
    return makeTuple({Value(row), Value(ir::add(panel, ir::add(ir::mul(chunk, c(vec)), ir::floorMod(column, c(vec)))))});
}

Value unsupported(const Native& n)
{
    n.fail(Code::kNotSupported, fmt::format("not supported: {}", n.row.name));
}

template <int width>
Value fixedSwizzle(const Native& n)
{
    return swizzle(n, tileArgument(n), width);
}

constexpr NativeRow kHelpers[] = {
    {"make_swizzled_layout", "buffer, k_major=True, allow_pad=True", swizzled},
    {"make_linear_layout", "buffer", [](const Native& n) { return linear(tileArgument(n)); }},
    {"make_full_bank_swizzled_layout", "buffer", fixedSwizzle<128>},
    {"make_half_bank_swizzled_layout", "buffer", fixedSwizzle<64>},
    {"make_quarter_bank_swizzled_layout", "buffer", fixedSwizzle<32>},
    {"make_wgmma_swizzled_layout", "buffer, continuity=None, k_major=True", wgmma},
    {"make_tcgen05mma_swizzled_layout", "buffer, continuity=None, k_major=True", wgmma},
    {"make_mma_swizzle_layout", "buffer, is_smooth=False", swizzled},
    {"make_gemm_fragment_8x8", "", fragment8x8, 0},
    {"make_gemm_fragment_8x8_transposed", "", fragment8x8, 1},
    {"make_fully_replicated_layout_fragment", "buffer, threads", replicatedFragment},
    {"make_volta_swizzled_layout", "buffer, is_a=True, k_inner=True", unsupported},
    {"make_cutlass_metadata_layout", "buffer, mma_dtype=None, arch=None, **kwargs", unsupported},
    {"get_swizzle_layout", "row_idx, col_idx, row_size, dtype, swizzle_bytes=None", swizzlePair},
};

}  // namespace

std::optional<Value> layoutHelper(const std::string& name)
{
    for (const auto& row : kHelpers)
        if (name == row.name)
            return makeNative(name, [&row](Evaluator& ev, const CallArguments& arguments) {
                const BoundArguments bound = ev.bind(row.signature, arguments, row.name);
                return row.run(Native{ev, bound, arguments, row, row.name});
            });
    return std::nullopt;
}

std::vector<std::string> layoutHelperNames()
{
    std::vector<std::string> names;
    for (const auto& row : kHelpers)
        names.emplace_back(row.name);
    return names;
}

}  // namespace tw::staging

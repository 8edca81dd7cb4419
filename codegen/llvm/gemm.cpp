// Products of tiles through register-blocked micro-kernels.
//
// C is walked in the tiles of micro_kernel.cpp. An operand that is not of the accumulator's type, or not laid out for this, is first
// packed (packing.cpp): A row-major, B in slices of the tile's width. So is what lies in memory so that few sets of the first cache
// hold it, such as tiles of a tensor (passes/direct_operands). Constant strides become displacements of the instructions.
#include "codegen/llvm/emitter.h"

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/support/check.h"

namespace tw::llvm_backend {

using ir::DType;
using llvm::Value;

namespace {

// The type that sums are kept in: language.md g.2b.
DType accumulator(DType element, DType result)
{
    if (result.isInteger())
        return result;
    if (result.scalar == ir::Scalar::kFloat64 || element.scalar == ir::Scalar::kFloat64)
        return ir::kFloat64;
    return result.scalar == ir::Scalar::kFloat16 ? ir::kFloat16 : ir::kFloat32;
}

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

GemmOperand Emitter::gemmOperand(const ir::Region& region, bool transposed)
{
    const BufferSlot s = slot(region.buffer);
    const std::size_t rank = region.mins.size();
    TW_CHECK(rank >= 2, "an operand of a product has two axes");
    GemmOperand operand;
    operand.type = region.buffer->dtype;
    operand.base = s.base;
    operand.offset = linearIndex(region.buffer, region.mins);
    operand.rowStride = s.strides[rank - 2];
    operand.columnStride = s.strides[rank - 1];
    operand.rows = index(region.extents[rank - 2]);
    operand.columns = index(region.extents[rank - 1]);
    if (transposed) {
        std::swap(operand.rowStride, operand.columnStride);
        std::swap(operand.rows, operand.columns);
    }
    operand.region = &region;
    return operand;
}

void Emitter::gemm(const ir::OpCall& call)
{
    const bool transposedA = ir::boolAttr(call.attrs, "transpose_A", false), transposedB = ir::boolAttr(call.attrs, "transpose_B", false);
    GemmOperand a = gemmOperand(std::get<ir::Region>(call.operands[0]), transposedA);
    GemmOperand b = gemmOperand(std::get<ir::Region>(call.operands[1]), transposedB);
    a.depthAxis = a.region->mins.size() - (transposedA ? 2 : 1);
    b.depthAxis = b.region->mins.size() - (transposedB ? 1 : 2);
    GemmOperand c = gemmOperand(std::get<ir::Region>(call.operands[2]), false);
    Value* clear = b_.getFalse();
    if (call.operands.size() > 3)
        if (const auto* e = std::get_if<ir::Expr>(&call.operands[3]); e && *e)
            clear = condition(*e);
    const DType sum = accumulator(a.type, c.type);
    const std::int64_t m = constantOr(c.rows, 0), n = constantOr(c.columns, 0), k = constantOr(a.columns, 0);
    const bool plainResult = c.type == sum && constantOr(c.columnStride, 0) == 1 && constantOr(c.rowStride, -1) >= 0;
    const bool fits = m > 0 && n > 0 && k > 0 && (m + n) * k <= (4 << 20);
    const bool hasKernel = sum == ir::kFloat32 || sum == ir::kFloat64 || sum == ir::kInt32;
    if (fits && hasKernel && plainResult)
        return tiledGemm(a, b, c, sum, clear);
    if (!hasKernel)
        return genericGemm(a, b, c, clear);
    // Large or of run-time extents: in blocks, the rows shared by the workers where the launch has one block.
    const bool large = k == 0 || m == 0 || n == 0 || m * n * k > (1 << 20);
    if (state_.threads || state_.spreading || !singleBlock() || !large)
        return blockedGemm(a, b, c, sum, clear, b_.getInt64(0), c.rows);
    std::vector<Value*> outside{clear};
    for (const GemmOperand* o : {&a, &b, &c})
        outside.insert(outside.end(), {o->base, o->offset, o->rowStride, o->columnStride, o->rows, o->columns});
    spread(b_.getInt64(0), c.rows, outside, [&](const std::vector<Value*>& inside, Value* begin, Value* end) {
        const auto operand = [&](const GemmOperand& o, std::size_t at) {
            return GemmOperand{o.type, inside[at], inside[at + 1], inside[at + 2], inside[at + 3], inside[at + 4], inside[at + 5]};
        };
        blockedGemm(operand(a, 1), operand(b, 7), operand(c, 13), sum, inside[0], begin, end);
    });
}

bool Emitter::singleBlock() const
{
    if (!launch_)
        return false;
    for (const ir::Expr& extent : launch_->grid)
        if (!ir::isOne(extent))
            return false;
    return true;
}

Value* Emitter::gemmIndex(const GemmOperand& o, Value* row, Value* column)
{
    return b_.CreateAdd(o.offset, b_.CreateAdd(b_.CreateMul(row, o.rowStride), b_.CreateMul(column, o.columnStride)));
}

// An operand's element as the accumulator takes it.
Value* Emitter::gemmElement(const GemmOperand& o, Value* row, Value* column, DType sum)
{
    Value* value = loadElement(o.type, o.base, gemmIndex(o, row, column));
    if (o.type.scalar == ir::Scalar::kTFloat32)
        value = roundFloat(value, o.type);
    return convert(value, o.type, sum);
}

// All extents and strides of C are constants.
void Emitter::tiledGemm(GemmOperand a, GemmOperand b, const GemmOperand& c, DType sum, Value* clear)
{
    const auto n64 = [&](std::int64_t n) { return b_.getInt64(static_cast<std::uint64_t>(n)); };
    const std::int64_t m = constantOr(c.rows, 0), n = constantOr(c.columns, 0), depth = constantOr(a.columns, 0);
    const std::int64_t lanes = std::max<std::int64_t>(2, cpu_.vectorBytes * 8 / sum.bits());
    const std::int64_t mostRows = cpu_.vectorBytes == 64 ? 14 : cpu_.vectorBytes == 32 ? 6 : 4;
    const std::int64_t width = 2 * lanes;
    const std::int64_t bytes = sum.bits() / 8;
    llvm::Type* scalar = valueType(sum);

    MicroTile tile;
    tile.sum = sum;
    tile.lanes = lanes;
    tile.depth = depth;
    tile.cRow = constantOr(c.rowStride, 0);
    tile.clear = clear;
    // Rows of A that lie very far apart (a tensor's) meet in one set of the first cache, and a page holds but one of them.
    const bool spreadA = std::max(constantOr(a.rowStride, 0), constantOr(a.columnStride, 0)) * bytes >= 2048 && n >= 2 * width;
    const bool directA = a.type == sum && constantOr(a.rowStride, -1) >= 0 && constantOr(a.columnStride, -1) >= 0 && !spreadA;
    tile.aRow = directA ? constantOr(a.rowStride, 0) : depth;
    tile.aColumn = directA ? constantOr(a.columnStride, 0) : 1;
    PackedOperand packedA, packedB;
    if (directA)
        packedA.base = b_.CreateInBoundsGEP(scalar, a.base, a.offset);
    else
        packedA = packed(a, readersOf(a), m * depth * bytes, [&](Value* to) { packRows(a, sum, to, m, 0, depth, depth); });
    // Rows of B that lie far apart share few sets of the first cache: packing costs less than fetching them again.
    const bool farApart = constantOr(b.rowStride, 0) * bytes >= 256 && m >= 2 * mostRows;
    const bool directB = b.type == sum && constantOr(b.columnStride, 0) == 1 && constantOr(b.rowStride, -1) >= 0 && !farApart;
    Value* readersB = directB ? nullptr : readersOf(b);
    // All slices at once: where rows are contiguous, each is read in one go, and other blocks may need them, too.
    const bool allSlices = !directB && (readersB || (constantOr(b.columnStride, 0) == 1 && n >= 2 * width && n * depth * bytes <= (1 << 20)));
    if (directB)
        packedB.base = b_.CreateInBoundsGEP(scalar, b.base, b.offset);
    else if (allSlices)
        packedB = packed(b, readersB, (n / width + 1) * width * depth * bytes, [&](Value* to) { packSlices(b, sum, to, depth, n, width, lanes); });
    else
        packedB.base = scratch(depth * width * bytes);
    Value* cBase = b_.CreateInBoundsGEP(scalar, c.base, c.offset);
    // Rows in equal parts, so that no tile is nearly empty.
    const std::int64_t rows = ceilDiv(m, ceilDiv(m, mostRows));
    const std::int64_t rowTiles = ceilDiv(m, rows), slices = ceilDiv(n, width);
    // While a tile is multiplied, its part of what comes next is fetched: of B's next slice, of A's panel for the next step of k.
    const std::int64_t aheadB = ceilDiv(width * bytes, rowTiles), aheadA = ceilDiv(m * bytes, rowTiles * slices);
    const auto fetch = [&](Value* from, Value* number, std::int64_t step) {
        tile.ahead.push_back({b_.CreateGEP(b_.getInt8Ty(), from, b_.CreateMul(number, n64(step * depth))), step});
    };

    const auto column = [&](Value* slice, std::int64_t columns) {
        Value* j = b_.CreateMul(slice, n64(width));
        Value* nextSlice = nullptr;
        if (directB) {
            tile.b = b_.CreateInBoundsGEP(scalar, packedB.base, j);
            tile.bRow = constantOr(b.rowStride, 0);
            tile.bPadded = false;
        } else {
            tile.b = allSlices ? b_.CreateInBoundsGEP(scalar, packedB.base, b_.CreateMul(j, n64(depth))) : packedB.base;
            tile.bRow = ceilDiv(columns, lanes) * lanes;
            tile.bPadded = true;
            GemmOperand part = b;
            part.offset = gemmIndex(b, n64(0), j);
            if (!allSlices)
                packRows(part, sum, tile.b, depth, 0, columns, tile.bRow);
            if (packedB.next)
                nextSlice = b_.CreateSelect(b_.CreateICmpEQ(slice, n64(slices - 1)), packedB.next, b_.CreateGEP(scalar, tile.b, n64(width * depth)));
        }
        tile.columns = columns;
        const auto row = [&](Value* number, std::int64_t count) {
            Value* i = b_.CreateMul(number, n64(rows));
            tile.rows = count;
            tile.a = b_.CreateInBoundsGEP(scalar, packedA.base, b_.CreateMul(i, n64(tile.aRow)));
            tile.c = b_.CreateInBoundsGEP(scalar, cBase, b_.CreateAdd(b_.CreateMul(i, n64(tile.cRow)), j));
            tile.ahead.clear();
            if (nextSlice)
                fetch(nextSlice, number, aheadB);
            if (packedA.next)
                fetch(packedA.next, b_.CreateAdd(b_.CreateMul(slice, n64(rowTiles)), number), aheadA);
            microKernel(tile);
        };
        if (m >= rows)
            countedLoop(n64(0), n64(m / rows), n64(1), false, [&](Value* number) { row(number, rows); });
        if (m % rows)
            row(n64(m / rows), m % rows);
    };
    if (n >= width)
        countedLoop(n64(0), n64(n / width), n64(1), false, [&](Value* slice) { column(slice, width); });
    if (n % width)
        column(n64(n / width), n % width);
}

// Rows [firstRow, endRow) of C in blocks: panels of B and A are packed so that they stay in the caches, every micro-kernel works
// on a full tile, and what is valid of it is added to C.
void Emitter::blockedGemm(const GemmOperand& a, const GemmOperand& b, const GemmOperand& c, DType sum, Value* clear, Value* firstRow, Value* endRow)
{
    const auto n64 = [&](std::int64_t n) { return b_.getInt64(static_cast<std::uint64_t>(n)); };
    constexpr std::int64_t depthBlock = 256, columnBlock = 512;
    const std::int64_t lanes = std::max<std::int64_t>(2, cpu_.vectorBytes * 8 / sum.bits());
    const std::int64_t rows = cpu_.vectorBytes == 64 ? 14 : cpu_.vectorBytes == 32 ? 6 : 4;
    const std::int64_t width = 2 * lanes, rowBlock = 8 * rows, bytes = sum.bits() / 8;
    Value* panelB = scratch(columnBlock * depthBlock * bytes);
    Value* panelA = scratch(rowBlock * depthBlock * bytes);
    Value* result = entryAlloca(valueType(sum), static_cast<std::uint64_t>(rows * width), 64);
    const auto smaller = [&](Value* x, Value* y) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); };
    const auto blocks = [&](Value* begin, Value* end, std::int64_t step, const std::function<void(Value*, Value*)>& body) {
        countedLoop(begin, end, n64(step), false, [&](Value* at) { body(at, smaller(n64(step), b_.CreateSub(end, at))); });
    };
    Value* zero = n64(0);
    blocks(zero, a.columns, depthBlock, [&](Value* k, Value* depth) {
        Value* fresh = b_.CreateAnd(clear, b_.CreateICmpEQ(k, zero));
        blocks(zero, c.columns, columnBlock, [&](Value* j, Value* columns) {
            blocks(zero, columns, width, [&](Value* slice, Value* valid) {
                Value* to = b_.CreateInBoundsGEP(valueType(sum), panelB, b_.CreateMul(slice, n64(depthBlock)));
                packPanel(b, sum, to, width, k, depth, b_.CreateAdd(j, slice), valid, depth, width);
            });
            blocks(firstRow, endRow, rowBlock, [&](Value* i, Value* count) {
                Value* padded = b_.CreateMul(b_.CreateUDiv(b_.CreateAdd(count, n64(rows - 1)), n64(rows)), n64(rows));
                packPanel(a, sum, panelA, depthBlock, i, count, k, depth, padded, depthBlock);
                blocks(zero, columns, width, [&](Value* slice, Value* validColumns) {
                    blocks(zero, count, rows, [&](Value* row, Value* validRows) {
                        MicroTile tile;
                        tile.sum = sum;
                        tile.lanes = lanes;
                        tile.rows = rows;
                        tile.columns = width;
                        tile.depthValue = depth;
                        tile.aRow = depthBlock;
                        tile.aColumn = 1;
                        tile.bRow = width;
                        tile.cRow = width;
                        tile.bPadded = true;
                        tile.a = b_.CreateInBoundsGEP(valueType(sum), panelA, b_.CreateMul(row, n64(depthBlock)));
                        tile.b = b_.CreateInBoundsGEP(valueType(sum), panelB, b_.CreateMul(slice, n64(depthBlock)));
                        tile.c = result;
                        tile.clear = b_.getTrue();
                        microKernel(tile);
                        countedLoop(zero, validRows, n64(1), false, [&](Value* r) {
                            countedLoop(zero, validColumns, n64(1), true, [&](Value* col) {
                                Value* place = gemmIndex(c, b_.CreateAdd(i, b_.CreateAdd(row, r)), b_.CreateAdd(j, b_.CreateAdd(slice, col)));
                                Value* part = loadElement(sum, result, b_.CreateAdd(b_.CreateMul(r, n64(width)), col));
                                Value* old = convert(loadElement(c.type, c.base, place), c.type, sum);
                                old = b_.CreateSelect(fresh, llvm::Constant::getNullValue(old->getType()), old);
                                Value* total = sum.isFloating() ? b_.CreateFAdd(old, part) : b_.CreateAdd(old, part);
                                storeElement(c.type, c.base, place, convert(total, sum, c.type));
                            });
                        });
                    });
                });
            });
        });
    });
}

// Rows of C, one step of k after the other: for run-time extents and for accumulators without a micro-kernel (a half rounds
// once per product).
void Emitter::genericGemm(const GemmOperand& a, const GemmOperand& b, const GemmOperand& c, Value* clear)
{
    const DType sum = accumulator(a.type, c.type);
    const DType product = sum == ir::kFloat16 ? ir::kFloat32 : sum;
    const bool inPlace = sum == c.type;
    Value* one = b_.getInt64(1);
    Value* zero = b_.getInt64(0);
    const auto step = [&](Value* old, Value* x, Value* y) {
        if (!sum.isFloating())
            return b_.CreateAdd(old, b_.CreateMul(x, y));
        if (sum == ir::kFloat16)
            return b_.CreateFPTrunc(b_.CreateFAdd(b_.CreateFPExt(old, b_.getFloatTy()), b_.CreateFMul(x, y)), b_.getHalfTy());
        return fma(x, y, old);
    };
    countedLoop(zero, c.rows, one, false, [&](Value* i) {
        if (inPlace) {
            llvm::BasicBlock* wipe = newBlock("gemm.clear");
            llvm::BasicBlock* go = newBlock("gemm.rows");
            b_.CreateCondBr(clear, wipe, go);
            b_.SetInsertPoint(wipe);
            countedLoop(zero, c.columns, one, true, [&](Value* j) {
                storeElement(c.type, c.base, gemmIndex(c, i, j), llvm::Constant::getNullValue(valueType(c.type)));
            });
            b_.CreateBr(go);
            b_.SetInsertPoint(go);
            countedLoop(zero, a.columns, one, false, [&](Value* k) {
                Value* x = gemmElement(a, i, k, product);
                countedLoop(zero, c.columns, one, true, [&](Value* j) {
                    Value* place = gemmIndex(c, i, j);
                    Value* old = loadElement(c.type, c.base, place);
                    storeElement(c.type, c.base, place, step(old, x, gemmElement(b, k, j, product)));
                });
            });
            return;
        }
        Value* total = entryAlloca(valueType(sum), 1, 0);
        countedLoop(zero, c.columns, one, false, [&](Value* j) {
            Value* place = gemmIndex(c, i, j);
            Value* old = convert(loadElement(c.type, c.base, place), c.type, sum);
            b_.CreateStore(b_.CreateSelect(clear, llvm::Constant::getNullValue(old->getType()), old), total);
            countedLoop(zero, a.columns, one, false, [&](Value* k) {
                Value* before = b_.CreateLoad(valueType(sum), total);
                b_.CreateStore(step(before, gemmElement(a, i, k, product), gemmElement(b, k, j, product)), total);
            });
            storeElement(c.type, c.base, place, convert(b_.CreateLoad(valueType(sum), total), sum, c.type));
        });
    });
}

}  // namespace tw::llvm_backend

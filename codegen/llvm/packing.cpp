// Operands of products in scratch memory, as micro-kernels take them; and operands that many blocks share, packed by one of them.
#include "codegen/llvm/emitter.h"

#include "core/support/check.h"

namespace tw::llvm_backend {

using ir::DType;
using llvm::Value;

namespace {

// From so many readers on a panel is shared. It travels through the outer caches then, where a block's own stays in the inner ones.
constexpr std::uint64_t kLeastReaders = 4;
constexpr std::int64_t kLeastSharedBytes = 4 << 10;  // less is packed sooner than found

}  // namespace

std::int64_t constantOr(Value* value, std::int64_t otherwise)
{
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
    return constant ? constant->getSExtValue() : otherwise;
}

Value* Emitter::scratch(std::int64_t bytes)
{
    state_.arenaBytes = (state_.arenaBytes + 63) / 64 * 64;
    Value* base = b_.CreateInBoundsGEP(b_.getInt8Ty(), state_.arena, b_.getInt64(static_cast<std::uint64_t>(state_.arenaBytes)));
    state_.arenaBytes += bytes;
    return base;
}

// Row-major rows x columns of the accumulator's type; rows are `pitch` elements apart, what is beyond `columns` is zero.
void Emitter::packRows(const GemmOperand& from, DType sum, Value* to, std::int64_t rows, std::int64_t firstColumn, std::int64_t columns, std::int64_t pitch)
{
    const auto n64 = [&](std::int64_t n) { return b_.getInt64(static_cast<std::uint64_t>(n)); };
    // The inner loop runs where the source is contiguous.
    const bool byColumn = constantOr(from.rowStride, 0) == 1 && constantOr(from.columnStride, 1) != 1;
    const std::int64_t outer = byColumn ? columns : rows;
    const std::int64_t inner = byColumn ? rows : columns;
    countedLoop(n64(0), n64(outer), n64(1), false, [&](Value* o) {
        countedLoop(n64(0), n64(inner), n64(1), true, [&](Value* i) {
            Value* row = byColumn ? i : o;
            Value* column = byColumn ? o : i;
            Value* value = gemmElement(from, row, b_.CreateAdd(column, n64(firstColumn)), sum);
            storeElement(sum, to, b_.CreateAdd(b_.CreateMul(row, n64(pitch)), column), value);
        });
    });
    if (pitch > columns)
        countedLoop(n64(0), n64(rows), n64(1), false, [&](Value* row) {
            for (std::int64_t column = columns; column < pitch; ++column)
                storeElement(sum, to, b_.CreateAdd(b_.CreateMul(row, n64(pitch)), n64(column)), llvm::Constant::getNullValue(valueType(sum)));
        });
}

// All columns in slices of `width`, one behind the other, each row-major; the last one of as many whole vectors as it needs.
void Emitter::packSlices(const GemmOperand& from, DType sum, Value* to, std::int64_t rows, std::int64_t columns, std::int64_t width, std::int64_t lanes)
{
    const auto n64 = [&](std::int64_t n) { return b_.getInt64(static_cast<std::uint64_t>(n)); };
    const std::int64_t slices = columns / width, rest = columns % width;
    const auto slice = [&](Value* first, std::int64_t count, std::int64_t pitch) {
        GemmOperand part = from;
        part.offset = gemmIndex(from, n64(0), first);
        packRows(part, sum, b_.CreateInBoundsGEP(valueType(sum), to, b_.CreateMul(first, n64(rows))), rows, 0, count, pitch);
    };
    if (constantOr(from.columnStride, 0) == 1 && slices > 1) {  // every row is read in one go
        countedLoop(n64(0), n64(rows), n64(1), false, [&](Value* row) {
            countedLoop(n64(0), n64(slices), n64(1), false, [&](Value* s) {
                Value* place = b_.CreateMul(b_.CreateAdd(b_.CreateMul(s, n64(rows)), row), n64(width));
                countedLoop(n64(0), n64(width), n64(1), true, [&](Value* c) {
                    storeElement(sum, to, b_.CreateAdd(place, c), gemmElement(from, row, b_.CreateAdd(b_.CreateMul(s, n64(width)), c), sum));
                });
            });
        });
    } else if (slices > 0) {
        countedLoop(n64(0), n64(slices), n64(1), false, [&](Value* s) { slice(b_.CreateMul(s, n64(width)), width, width); });
    }
    if (rest > 0)
        slice(n64(slices * width), rest, (rest + lanes - 1) / lanes * lanes);
}

// to[r][c] = from(firstRow + r, firstColumn + c) for r < rows, c < columns, and 0 up to allRows and allColumns.
void Emitter::packPanel(const GemmOperand& from, DType sum, Value* to, std::int64_t pitch, Value* firstRow, Value* rows, Value* firstColumn, Value* columns,
                        Value* allRows, std::int64_t allColumns)
{
    Value* zero = b_.getInt64(0);
    Value* one = b_.getInt64(1);
    Value* pitchValue = b_.getInt64(static_cast<std::uint64_t>(pitch));
    Value* none = llvm::Constant::getNullValue(valueType(sum));
    const auto at = [&](Value* r, Value* c) { return b_.CreateAdd(b_.CreateMul(r, pitchValue), c); };
    const auto copy = [&](Value* r, Value* c) {
        storeElement(sum, to, at(r, c), gemmElement(from, b_.CreateAdd(firstRow, r), b_.CreateAdd(firstColumn, c), sum));
    };
    if (constantOr(from.rowStride, 0) == 1) {  // columns of the source are contiguous
        countedLoop(zero, columns, one, false, [&](Value* c) { countedLoop(zero, rows, one, true, [&](Value* r) { copy(r, c); }); });
    } else {
        countedLoop(zero, rows, one, false, [&](Value* r) { countedLoop(zero, columns, one, true, [&](Value* c) { copy(r, c); }); });
    }
    Value* width = b_.getInt64(static_cast<std::uint64_t>(allColumns));
    countedLoop(zero, rows, one, false, [&](Value* r) { countedLoop(columns, width, one, true, [&](Value* c) { storeElement(sum, to, at(r, c), none); }); });
    countedLoop(rows, allRows, one, false, [&](Value* r) { countedLoop(zero, width, one, true, [&](Value* c) { storeElement(sum, to, at(r, c), none); }); });
}

// How many blocks read what this block reads of an operand; null where it is its own.
Value* Emitter::readersOf(const GemmOperand& o)
{
    if (!sharing_ || state_.threads || state_.spreading || !o.region)
        return nullptr;
    const auto axes = sharing_->freeAxes(*o.region);
    if (!axes)
        return nullptr;
    Value* readers = b_.getInt64(1);
    for (const std::size_t axis : *axes)
        readers = b_.CreateMul(readers, index(launch_->grid[axis]));
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(readers);
    return known && known->getZExtValue() < kLeastReaders ? nullptr : readers;
}

// Whether a tensor shares no memory with anything that the launch writes. Parameters may; what is allocated does not.
Value* Emitter::standsApart(const ir::Buffer& buffer)
{
    const auto end = [&](const BufferSlot& s, DType type) {
        Value* bits = b_.getInt64(static_cast<std::uint64_t>(type.bits() * type.lanes));
        for (Value* extent : s.shape)
            bits = b_.CreateMul(bits, extent);
        return b_.CreateInBoundsGEP(b_.getInt8Ty(), s.base, b_.CreateLShr(b_.CreateAdd(bits, b_.getInt64(7)), 3));
    };
    Value* apart = b_.getTrue();
    if (!contiguous_.contains(buffer.get()))
        return apart;
    const BufferSlot read = slot(buffer);
    for (const ir::BufferNode* other : sharing_->written()) {
        if (!contiguous_.contains(other))
            continue;
        const auto found = state_.buffers.find(other);
        if (found == state_.buffers.end())
            return b_.getFalse();
        const BufferSlot& written = found->second;
        Value* before = b_.CreateICmpULE(end(read, buffer->dtype), written.base);
        Value* behind = b_.CreateICmpULE(end(written, other->dtype), read.base);
        apart = b_.CreateAnd(apart, b_.CreateOr(before, behind));
    }
    return apart;
}

// The number of an operand's tile among all that its tensor has, row by row.
Emitter::PanelNumber Emitter::panelNumber(const GemmOperand& o)
{
    const BufferSlot s = slot(o.region->buffer);
    PanelNumber number{b_.getInt64(0), b_.getInt64(1), b_.getInt64(1), b_.getTrue()};
    for (std::size_t axis = 0; axis < o.region->mins.size(); ++axis) {
        Value* extent = index(o.region->extents[axis]);
        Value* at = index(o.region->mins[axis]);
        Value* tiles = b_.CreateUDiv(b_.CreateAdd(s.shape[axis], b_.CreateSub(extent, b_.getInt64(1))), extent);
        number.id = b_.CreateAdd(b_.CreateMul(number.id, tiles), b_.CreateUDiv(at, extent));
        number.count = b_.CreateMul(number.count, tiles);
        number.whole = b_.CreateAnd(number.whole, b_.CreateICmpEQ(b_.CreateURem(at, extent), b_.getInt64(0)));
        if (axis > o.depthAxis)
            number.deeper = b_.CreateMul(number.deeper, tiles);
    }
    return number;
}

// An operand in `bytes` of packed memory that `pack` fills: the block's own, or a panel that the launch has packed already or that
// this block packs for all. Tiles that overlap, or that another block is packing just now, are packed by each block for itself.
PackedOperand Emitter::packed(const GemmOperand& o, Value* readers, std::int64_t bytes, const std::function<void(Value*)>& pack)
{
    bytes = (bytes + 63) / 64 * 64;
    PackedOperand result;
    Value* own = scratch(bytes);
    if (!readers || bytes < kLeastSharedBytes) {
        result.base = own;
        pack(own);
        return result;
    }
    const PanelNumber number = panelNumber(o);
    Value* size = b_.getInt64(static_cast<std::uint64_t>(bytes));
    Value* pays = b_.CreateAnd(b_.CreateAnd(number.whole, standsApart(o.region->buffer)), b_.CreateICmpUGE(readers, b_.getInt64(kLeastReaders)));
    Value* id = b_.CreateSelect(pays, number.id, b_.getInt64(~std::uint64_t{0}));
    Value* site = b_.getInt64(static_cast<std::uint64_t>(sharedOperands_++));
    Value* todo = entryAlloca(b_.getInt32Ty(), 1, 4);
    llvm::Type* ptr = b_.getPtrTy();
    llvm::Type* i64 = b_.getInt64Ty();
    result.base = b_.CreateCall(runtime("tw_claim_panel", ptr, {ptr, i64, i64, i64, i64, ptr, ptr}), {state_.run, site, id, number.count, size, own, todo});
    result.next = b_.CreateGEP(b_.getInt8Ty(), result.base, b_.CreateMul(number.deeper, size));
    llvm::BasicBlock* fill = newBlock("panel.pack");
    llvm::BasicBlock* ready = newBlock("panel.ready");
    Value* task = b_.CreateLoad(b_.getInt32Ty(), todo);
    b_.CreateCondBr(b_.CreateICmpNE(task, b_.getInt32(0)), fill, ready);
    b_.SetInsertPoint(fill);
    pack(result.base);
    b_.CreateCall(runtime("tw_panel_packed", b_.getVoidTy(), {ptr, i64, i64, b_.getInt32Ty()}), {state_.run, site, id, task});
    b_.CreateBr(ready);
    b_.SetInsertPoint(ready);
    return result;
}

}  // namespace tw::llvm_backend

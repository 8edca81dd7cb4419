// Products of tiles.
#include "codegen/llvm/emitter.h"

#include "core/support/check.h"

namespace tw::llvm_backend {

using ir::DType;
using llvm::Value;

namespace {

bool flag(const ir::OpCall& call, const char* name)
{
    const auto found = call.attrs.find(name);
    return found != call.attrs.end() && std::holds_alternative<bool>(found->second) && std::get<bool>(found->second);
}

// The type that sums are kept in: language.md g.2b.
DType accumulator(DType element, DType result)
{
    if (result.isInteger())
        return result;
    if (result.scalar == ir::Scalar::kFloat64 || element.scalar == ir::Scalar::kFloat64)
        return ir::kFloat64;
    return result.scalar == ir::Scalar::kFloat16 ? ir::kFloat16 : ir::kFloat32;
}

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
    return operand;
}

void Emitter::gemm(const ir::OpCall& call)
{
    const GemmOperand a = gemmOperand(std::get<ir::Region>(call.operands[0]), flag(call, "transpose_A"));
    const GemmOperand b = gemmOperand(std::get<ir::Region>(call.operands[1]), flag(call, "transpose_B"));
    const GemmOperand c = gemmOperand(std::get<ir::Region>(call.operands[2]), false);
    Value* clear = b_.getFalse();
    if (call.operands.size() > 3)
        if (const auto* e = std::get_if<ir::Expr>(&call.operands[3]); e && *e)
            clear = condition(*e);
    genericGemm(a, b, c, clear);
}

// Three loops, k innermost, in the accumulator's arithmetic: for element types without a micro-kernel.
void Emitter::genericGemm(const GemmOperand& a, const GemmOperand& b, const GemmOperand& c, Value* clear)
{
    const DType sum = accumulator(a.type, c.type);
    Value* total = entryAlloca(valueType(sum), 1, 0);
    const auto at = [&](const GemmOperand& o, Value* row, Value* column) {
        return b_.CreateAdd(o.offset, b_.CreateAdd(b_.CreateMul(row, o.rowStride), b_.CreateMul(column, o.columnStride)));
    };
    Value* one = b_.getInt64(1);
    Value* zero = b_.getInt64(0);
    countedLoop(zero, c.rows, one, false, [&](Value* i) {
        countedLoop(zero, c.columns, one, false, [&](Value* j) {
            Value* place = at(c, i, j);
            Value* old = convert(loadElement(c.type, c.base, place), c.type, sum);
            b_.CreateStore(b_.CreateSelect(clear, llvm::Constant::getNullValue(old->getType()), old), total);
            countedLoop(zero, a.columns, one, false, [&](Value* k) {
                Value* x = convert(loadElement(a.type, a.base, at(a, i, k)), a.type, sum.scalar == ir::Scalar::kFloat16 ? ir::kFloat32 : sum);
                Value* y = convert(loadElement(b.type, b.base, at(b, k, j)), b.type, sum.scalar == ir::Scalar::kFloat16 ? ir::kFloat32 : sum);
                Value* before = b_.CreateLoad(total->getType()->isPointerTy() ? valueType(sum) : valueType(sum), total);
                Value* after = nullptr;
                if (sum.scalar == ir::Scalar::kFloat16)  // rounds once per product
                    after = b_.CreateFPTrunc(b_.CreateFAdd(b_.CreateFMul(x, y), b_.CreateFPExt(before, b_.getFloatTy())), b_.getHalfTy());
                else
                    after = sum.isFloating() ? b_.CreateFAdd(before, b_.CreateFMul(x, y)) : b_.CreateAdd(before, b_.CreateMul(x, y));
                b_.CreateStore(after, total);
            });
            storeElement(c.type, c.base, place, convert(b_.CreateLoad(valueType(sum), total), sum, c.type));
        });
    });
}

}  // namespace tw::llvm_backend

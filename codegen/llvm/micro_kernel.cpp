// A tile of up to 14 rows by two vectors (AVX-512; 6 rows on AVX2): 28 accumulators stay in registers while k runs. A's elements are
// broadcast from memory, B's rows are loaded as vectors.
#include "codegen/llvm/emitter.h"

namespace tw::llvm_backend {

using llvm::Value;

// rows x vectors of C += A's rows times B's slice over all of k. Emitted in place: its loop over k is the only one.
void Emitter::microKernel(const MicroTile& t)
{
    llvm::Type* scalar = valueType(t.sum);
    auto* vector = llvm::FixedVectorType::get(scalar, static_cast<unsigned>(t.lanes));
    const auto n64 = [&](std::int64_t n) { return b_.getInt64(static_cast<std::uint64_t>(n)); };
    const auto align = llvm::Align(static_cast<std::uint64_t>(t.sum.bits() / 8));
    const auto maskOf = [&](std::int64_t v) -> Value* {  // of the last, partial vector
        const std::int64_t valid = t.columns - v * t.lanes;
        if (valid >= t.lanes)
            return nullptr;
        std::vector<llvm::Constant*> bits;
        for (std::int64_t lane = 0; lane < t.lanes; ++lane)
            bits.push_back(b_.getInt1(lane < valid));
        return llvm::ConstantVector::get(bits);
    };
    const std::int64_t vectors = (t.columns + t.lanes - 1) / t.lanes;
    const auto cAddress = [&](std::int64_t r, std::int64_t v) {
        return b_.CreateInBoundsGEP(scalar, t.c, n64(r * t.cRow + v * t.lanes));
    };
    llvm::BasicBlock* loadOld = newBlock("gemm.old");
    llvm::BasicBlock* start = newBlock("gemm.start");
    llvm::BasicBlock* loop = newBlock("gemm.k");
    llvm::BasicBlock* done = newBlock("gemm.end");
    llvm::BasicBlock* from = b_.GetInsertBlock();
    b_.CreateCondBr(t.clear, start, loadOld);
    b_.SetInsertPoint(loadOld);
    std::vector<Value*> old;
    for (std::int64_t r = 0; r < t.rows; ++r)
        for (std::int64_t v = 0; v < vectors; ++v)
            old.push_back(maskOf(v) ? static_cast<Value*>(b_.CreateMaskedLoad(vector, cAddress(r, v), align, maskOf(v), llvm::Constant::getNullValue(vector)))
                                    : b_.CreateAlignedLoad(vector, cAddress(r, v), align));
    b_.CreateBr(start);
    b_.SetInsertPoint(start);
    std::vector<Value*> first;
    for (Value* value : old) {
        auto* phi = b_.CreatePHI(vector, 2);
        phi->addIncoming(llvm::Constant::getNullValue(vector), from);
        phi->addIncoming(value, loadOld);
        first.push_back(phi);
    }
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    auto* k = b_.CreatePHI(b_.getInt64Ty(), 2);
    k->addIncoming(n64(0), start);
    std::vector<llvm::PHINode*> acc;
    for (Value* value : first) {
        acc.push_back(b_.CreatePHI(vector, 2));
        acc.back()->addIncoming(value, start);
    }
    Value* bRow = b_.CreateInBoundsGEP(scalar, t.b, b_.CreateMul(k, n64(t.bRow)));
    Value* aColumn = b_.CreateInBoundsGEP(scalar, t.a, b_.CreateMul(k, n64(t.aColumn)));
    for (const FetchAhead& ahead : t.ahead) {  // into the second cache
        Value* line = b_.CreateGEP(b_.getInt8Ty(), ahead.from, b_.CreateMul(k, n64(ahead.step)));
        b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()}, {line, b_.getInt32(0), b_.getInt32(2), b_.getInt32(1)});
    }
    std::vector<Value*> b;
    for (std::int64_t v = 0; v < vectors; ++v) {
        Value* address = b_.CreateInBoundsGEP(scalar, bRow, n64(v * t.lanes));
        Value* mask = t.bPadded ? nullptr : maskOf(v);
        b.push_back(mask ? static_cast<Value*>(b_.CreateMaskedLoad(vector, address, align, mask, llvm::Constant::getNullValue(vector)))
                         : b_.CreateAlignedLoad(vector, address, align));
    }
    std::vector<Value*> next;
    for (std::int64_t r = 0; r < t.rows; ++r) {
        Value* one = b_.CreateAlignedLoad(scalar, b_.CreateInBoundsGEP(scalar, aColumn, n64(r * t.aRow)), align);
        Value* a = b_.CreateVectorSplat(static_cast<unsigned>(t.lanes), one);
        for (std::int64_t v = 0; v < vectors; ++v) {
            Value* sum = acc[static_cast<std::size_t>(r * vectors + v)];
            next.push_back(t.sum.isFloating() ? fma(a, b[static_cast<std::size_t>(v)], sum) : b_.CreateAdd(sum, b_.CreateMul(a, b[static_cast<std::size_t>(v)])));
        }
    }
    Value* nextK = b_.CreateAdd(k, n64(1));
    k->addIncoming(nextK, loop);
    for (std::size_t i = 0; i < acc.size(); ++i)
        acc[i]->addIncoming(next[i], loop);
    b_.CreateCondBr(b_.CreateICmpSLT(nextK, t.depthValue ? t.depthValue : n64(t.depth)), loop, done);
    b_.SetInsertPoint(done);
    for (std::int64_t r = 0; r < t.rows; ++r)
        for (std::int64_t v = 0; v < vectors; ++v) {
            Value* value = next[static_cast<std::size_t>(r * vectors + v)];
            if (Value* mask = maskOf(v))
                b_.CreateMaskedStore(value, cAddress(r, v), align, mask);
            else
                b_.CreateAlignedStore(value, cAddress(r, v), align);
        }
}

}  // namespace tw::llvm_backend

// Element types: how each is held in a register and in memory, and the conversions between them.
//
// Everything here works on scalars and on vectors alike and has no branches, so that LLVM's vectoriser takes whole loops of it.
#include "codegen/llvm/emitter.h"

#include <cmath>

#include "core/support/check.h"

namespace tw::llvm_backend {

using ir::DType;
using ir::Family;
using ir::Scalar;
using llvm::Value;

namespace {

bool isSmallFloat(DType type)
{
    return type.family() == Family::kFloat8 || type.family() == Family::kFloat6 || type.family() == Family::kFloat4;
}

// How an 8-, 6- or 4-bit float format lays out its values. Asked of core/ir/number, the one place that knows the formats.
struct SmallFormat {
    int exponent, mantissa, bias;
    std::uint64_t maxCode;       // of the largest finite value
    std::uint64_t firstSpecial;  // magnitudes from here on are infinity or NaN; 2^(exponent + mantissa) if none
    bool hasInfinity;
    bool hasNan;
    bool negativeZeroIsNan;  // the "fnuz" formats
};

SmallFormat smallFormat(DType type)
{
    SmallFormat f{};
    f.exponent = type.exponentBits();
    f.mantissa = type.mantissaBits();
    f.bias = 1 - static_cast<int>(std::ilogb(ir::decodeFloat(type, 1ULL << f.mantissa)));
    f.maxCode = ir::encodeFloat(type, ir::largestFinite(type));
    const std::uint64_t magnitudes = 1ULL << (f.exponent + f.mantissa);
    f.firstSpecial = magnitudes;
    for (std::uint64_t code = 0; code < magnitudes; ++code)
        if (!std::isfinite(ir::decodeFloat(type, code))) {
            f.firstSpecial = code;
            break;
        }
    f.hasInfinity = f.firstSpecial < magnitudes && std::isinf(ir::decodeFloat(type, f.firstSpecial));
    f.negativeZeroIsNan = std::isnan(ir::decodeFloat(type, magnitudes));
    f.hasNan = f.negativeZeroIsNan || f.firstSpecial < magnitudes;
    return f;
}

}  // namespace

llvm::Type* Emitter::withScalar(llvm::Type* like, llvm::Type* scalar)
{
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like))
        return llvm::FixedVectorType::get(scalar, vector->getNumElements());
    return scalar;
}

Value* Emitter::splat(double value, llvm::Type* like) { return llvm::ConstantFP::get(like, value); }
Value* Emitter::splatInt(std::uint64_t value, llvm::Type* like) { return llvm::ConstantInt::get(like, value); }

llvm::Type* Emitter::valueType(DType type)
{
    llvm::Type* scalar = nullptr;
    if (type.isBool())
        scalar = b_.getInt1Ty();
    else if (type.isInteger())
        scalar = b_.getIntNTy(static_cast<unsigned>(type.bits()));
    else if (type.isHandle())
        scalar = b_.getInt64Ty();
    else if (type.scalar == Scalar::kFloat16)
        scalar = b_.getHalfTy();
    else if (type.scalar == Scalar::kFloat64)
        scalar = b_.getDoubleTy();
    else if (type.isFloating())
        scalar = b_.getFloatTy();
    else
        return b_.getVoidTy();
    return type.lanes > 1 ? llvm::FixedVectorType::get(scalar, type.lanes) : scalar;
}

llvm::Type* Emitter::storageType(DType type)
{
    llvm::Type* scalar = nullptr;
    if (type.isBool())
        scalar = b_.getInt8Ty();
    else if (type.family() == Family::kBFloat)
        scalar = b_.getInt16Ty();
    else if (isSmallFloat(type))
        scalar = b_.getIntNTy(static_cast<unsigned>(type.bits()));
    else
        scalar = valueType(type.element());
    return type.lanes > 1 ? llvm::FixedVectorType::get(scalar, type.lanes) : scalar;
}

Value* Emitter::elementAddress(DType type, Value* base, Value* index)
{
    const int bits = type.bits() * type.lanes;
    if (type.bits() % 8 == 0)
        return b_.CreateInBoundsGEP(storageType(type), base, index);
    if (bits % 8 == 0)
        return b_.CreateInBoundsGEP(b_.getInt8Ty(), base, b_.CreateMul(index, b_.getInt64(static_cast<std::uint64_t>(bits / 8))));
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), base, b_.CreateLShr(b_.CreateMul(index, b_.getInt64(static_cast<std::uint64_t>(bits))), 3));
}

void Emitter::annotate(llvm::Instruction* access)
{
    if (state_.accessGroups.size() <= annotateFrom_)
        return;
    llvm::SmallVector<llvm::Metadata*, 4> groups(state_.accessGroups.begin() + static_cast<std::ptrdiff_t>(annotateFrom_), state_.accessGroups.end());
    access->setMetadata(llvm::LLVMContext::MD_access_group,
                        groups.size() == 1 ? state_.accessGroups.back() : llvm::MDNode::get(context_, groups));
}

// Elements that do not start on a byte: the bits are taken from the byte that holds the first and the one that holds the last.
Value* Emitter::loadElement(DType type, Value* base, Value* index)
{
    const int bits = type.bits() * type.lanes;
    if (bits % 8 == 0) {
        const unsigned align = static_cast<unsigned>(std::max(1, type.bits() / 8));
        auto* load = b_.CreateAlignedLoad(storageType(type), elementAddress(type, base, index), llvm::Align(align));
        annotate(load);
        return decode(load, type);
    }
    Value* bit = b_.CreateMul(index, b_.getInt64(static_cast<std::uint64_t>(bits)));
    const auto byteAt = [&](Value* bitIndex) {
        auto* load = b_.CreateAlignedLoad(b_.getInt8Ty(), b_.CreateInBoundsGEP(b_.getInt8Ty(), base, b_.CreateLShr(bitIndex, 3)),
                                          llvm::Align(1));
        annotate(load);
        return b_.CreateZExt(load, b_.getInt32Ty());
    };
    Value* shift = b_.CreateTrunc(b_.CreateAnd(bit, b_.getInt64(7)), b_.getInt32Ty());
    Value* word = byteAt(bit);
    if (8 % bits != 0)
        word = b_.CreateOr(word, b_.CreateShl(byteAt(b_.CreateAdd(bit, b_.getInt64(static_cast<std::uint64_t>(bits - 1)))), 8));
    Value* raw = b_.CreateTrunc(b_.CreateLShr(word, shift), b_.getIntNTy(static_cast<unsigned>(bits)));
    return decode(type.lanes > 1 ? b_.CreateBitCast(raw, storageType(type)) : raw, type);
}

void Emitter::storeElement(DType type, Value* base, Value* index, Value* value)
{
    const int bits = type.bits() * type.lanes;
    Value* raw = encode(value, type);
    if (bits % 8 == 0) {
        const unsigned align = static_cast<unsigned>(std::max(1, type.bits() / 8));
        annotate(b_.CreateAlignedStore(raw, elementAddress(type, base, index), llvm::Align(align)));
        return;
    }
    if (type.lanes > 1)
        raw = b_.CreateBitCast(raw, b_.getIntNTy(static_cast<unsigned>(bits)));
    // One byte at a time, so that nothing outside the element's own bytes is touched.
    Value* bit = b_.CreateMul(index, b_.getInt64(static_cast<std::uint64_t>(bits)));
    Value* shift = b_.CreateTrunc(b_.CreateAnd(bit, b_.getInt64(7)), b_.getInt32Ty());
    Value* data = b_.CreateShl(b_.CreateZExt(raw, b_.getInt32Ty()), shift);
    Value* mask = b_.CreateShl(b_.getInt32((1U << bits) - 1), shift);
    const auto merge = [&](Value* bitIndex, unsigned down) {
        Value* address = b_.CreateInBoundsGEP(b_.getInt8Ty(), base, b_.CreateLShr(bitIndex, 3));
        Value* keep = b_.CreateNot(b_.CreateTrunc(b_.CreateLShr(mask, down), b_.getInt8Ty()));
        Value* set = b_.CreateTrunc(b_.CreateLShr(data, down), b_.getInt8Ty());
        Value* old = b_.CreateAlignedLoad(b_.getInt8Ty(), address, llvm::Align(1));
        b_.CreateAlignedStore(b_.CreateOr(b_.CreateAnd(old, keep), set), address, llvm::Align(1));
    };
    merge(bit, 0);
    if (8 % bits != 0) {
        Value* last = b_.CreateAdd(bit, b_.getInt64(static_cast<std::uint64_t>(bits - 1)));
        Value* down = b_.CreateShl(b_.CreateTrunc(b_.CreateSub(b_.CreateLShr(last, 3), b_.CreateLShr(bit, 3)), b_.getInt32Ty()), 3);
        Value* address = b_.CreateInBoundsGEP(b_.getInt8Ty(), base, b_.CreateLShr(last, 3));
        Value* keep = b_.CreateNot(b_.CreateTrunc(b_.CreateLShr(mask, down), b_.getInt8Ty()));
        Value* set = b_.CreateTrunc(b_.CreateLShr(data, down), b_.getInt8Ty());
        Value* old = b_.CreateAlignedLoad(b_.getInt8Ty(), address, llvm::Align(1));
        b_.CreateAlignedStore(b_.CreateOr(b_.CreateAnd(old, keep), set), address, llvm::Align(1));
    }
}

Value* Emitter::decode(Value* bits, DType type)
{
    if (type.isBool())
        return b_.CreateICmpNE(bits, splatInt(0, bits->getType()));
    if (type.family() == Family::kBFloat) {
        Value* wide = b_.CreateZExt(bits, withScalar(bits->getType(), b_.getInt32Ty()));
        return b_.CreateBitCast(b_.CreateShl(wide, splatInt(16, wide->getType())), withScalar(bits->getType(), b_.getFloatTy()));
    }
    return isSmallFloat(type) ? decodeSmall(bits, type) : bits;
}

Value* Emitter::encode(Value* value, DType type)
{
    if (type.isBool())
        return b_.CreateZExt(value, withScalar(value->getType(), b_.getInt8Ty()));
    if (type.family() == Family::kBFloat) {
        Value* bits = b_.CreateBitCast(value, withScalar(value->getType(), b_.getInt32Ty()));
        return b_.CreateTrunc(b_.CreateLShr(bits, splatInt(16, bits->getType())), withScalar(bits->getType(), b_.getInt16Ty()));
    }
    return isSmallFloat(type) ? encodeSmall(value, type) : value;
}

// The code's exponent and mantissa bits are those of a float whose exponent is off by a constant: one multiplication, exact
// for subnormal codes too.
Value* Emitter::decodeSmall(Value* bits, DType type)
{
    llvm::Type* i32 = withScalar(bits->getType(), b_.getInt32Ty());
    llvm::Type* f32 = withScalar(bits->getType(), b_.getFloatTy());
    Value* code = b_.CreateZExt(bits, i32);
    if (type.scalar == Scalar::kFloat8E8M0FNU) {  // 2^(code - 127); code 0 is a subnormal float
        Value* value = b_.CreateBitCast(b_.CreateShl(code, splatInt(23, i32)), f32);
        value = b_.CreateSelect(b_.CreateICmpEQ(code, splatInt(0, i32)), splat(std::ldexp(1.0, -127), f32), value);
        return b_.CreateSelect(b_.CreateICmpEQ(code, splatInt(255, i32)), splat(std::nan(""), f32), value);
    }
    const SmallFormat f = smallFormat(type);
    const int width = f.exponent + f.mantissa;
    Value* magnitude = b_.CreateAnd(code, splatInt((1ULL << width) - 1, i32));
    Value* value = b_.CreateBitCast(b_.CreateShl(magnitude, splatInt(static_cast<std::uint64_t>(23 - f.mantissa), i32)), f32);
    value = b_.CreateFMul(value, splat(std::ldexp(1.0, 127 - f.bias), f32));
    if (f.firstSpecial < (1ULL << width)) {
        value = b_.CreateSelect(b_.CreateICmpUGE(magnitude, splatInt(f.firstSpecial, i32)), splat(std::nan(""), f32), value);
        if (f.hasInfinity)
            value = b_.CreateSelect(b_.CreateICmpEQ(magnitude, splatInt(f.firstSpecial, i32)), splat(INFINITY, f32), value);
    }
    Value* sign = b_.CreateShl(b_.CreateLShr(code, splatInt(static_cast<std::uint64_t>(width), i32)), splatInt(31, i32));
    value = b_.CreateBitCast(b_.CreateOr(b_.CreateBitCast(value, i32), sign), f32);
    if (f.negativeZeroIsNan)
        value = b_.CreateSelect(b_.CreateICmpEQ(code, splatInt(1ULL << width, i32)), splat(std::nan(""), f32), value);
    return value;
}

// Round to nearest even on the bits; subnormal results by adding a constant whose unit is the format's smallest value.
Value* Emitter::encodeSmall(Value* value, DType type)
{
    llvm::Type* i32 = withScalar(value->getType(), b_.getInt32Ty());
    llvm::Type* result = withScalar(value->getType(), b_.getIntNTy(static_cast<unsigned>(type.bits())));
    if (type.scalar == Scalar::kFloat8E8M0FNU)
        return perLane(value, b_.getInt8Ty(), {value}, [&](const std::vector<Value*>& lane) {
            return libraryCall("tw_encode_e8m0", b_.getInt8Ty(), {lane[0]});
        });
    const SmallFormat f = smallFormat(type);
    const auto drop = static_cast<std::uint64_t>(23 - f.mantissa);
    Value* bits = b_.CreateBitCast(value, i32);
    Value* magnitude = b_.CreateAnd(bits, splatInt(0x7fffffff, i32));
    Value* odd = b_.CreateAnd(b_.CreateLShr(magnitude, splatInt(drop, i32)), splatInt(1, i32));
    Value* rounded = b_.CreateAdd(b_.CreateAdd(magnitude, splatInt((1ULL << (drop - 1)) - 1, i32)), odd);
    Value* normal = b_.CreateSub(b_.CreateLShr(rounded, splatInt(drop, i32)),
                                 splatInt(static_cast<std::uint64_t>(127 - f.bias) << f.mantissa, i32));
    const double unit = std::ldexp(1.0, 1 - f.bias - f.mantissa + 23);
    Value* absolute = b_.CreateBitCast(magnitude, value->getType());
    Value* shifted = b_.CreateFAdd(absolute, splat(unit, value->getType()));
    Value* subnormal = b_.CreateSub(b_.CreateBitCast(shifted, i32), b_.CreateBitCast(splat(unit, value->getType()), i32));
    Value* isSmall = b_.CreateFCmpOLT(absolute, splat(std::ldexp(1.0, 1 - f.bias), value->getType()));
    Value* code = b_.CreateSelect(isSmall, subnormal, normal);
    code = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, splatInt(f.maxCode, i32));
    if (f.hasInfinity)
        code = b_.CreateSelect(b_.CreateICmpEQ(magnitude, splatInt(0x7f800000, i32)), splatInt(f.firstSpecial, i32), code);
    Value* sign = b_.CreateShl(b_.CreateLShr(bits, splatInt(31, i32)), splatInt(static_cast<std::uint64_t>(f.exponent + f.mantissa), i32));
    Value* full = b_.CreateOr(code, sign);
    if (f.negativeZeroIsNan)
        full = b_.CreateSelect(b_.CreateICmpEQ(code, splatInt(0, i32)), code, full);
    Value* isNan = b_.CreateFCmpUNO(value, value);
    full = b_.CreateSelect(isNan, splatInt(ir::encodeFloat(type, std::nan("")), i32), full);
    return b_.CreateTrunc(full, result);
}

Value* Emitter::roundFloat(Value* value, DType type)
{
    if (type.scalar == Scalar::kFloat32)
        return value;
    if (isSmallFloat(type)) {  // saturates: an infinity becomes the largest value
        Value* largest = splat(ir::largestFinite(type), value->getType());
        Value* beyond = b_.CreateFCmpOGT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value), largest);
        value = b_.CreateSelect(beyond, b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, largest, value), value);
        return decodeSmall(encodeSmall(value, type), type);
    }
    const std::uint64_t drop = type.family() == Family::kBFloat ? 16 : 13;  // bf16 or tf32
    llvm::Type* i32 = withScalar(value->getType(), b_.getInt32Ty());
    Value* bits = b_.CreateBitCast(value, i32);
    Value* odd = b_.CreateAnd(b_.CreateLShr(bits, splatInt(drop, i32)), splatInt(1, i32));
    Value* rounded = b_.CreateAdd(b_.CreateAdd(bits, splatInt((1ULL << (drop - 1)) - 1, i32)), odd);
    rounded = b_.CreateAnd(rounded, splatInt(0xffffffffULL << drop & 0xffffffffULL, i32));
    Value* quiet = b_.CreateOr(bits, splatInt(0x400000, i32));
    quiet = b_.CreateAnd(quiet, splatInt(0xffffffffULL << drop & 0xffffffffULL, i32));
    Value* result = b_.CreateSelect(b_.CreateFCmpUNO(value, value), quiet, rounded);
    return b_.CreateBitCast(result, value->getType());
}

// Rounds toward odd: a second rounding to a narrower type is then right.
Value* Emitter::narrowToOdd(Value* value)
{
    llvm::Type* f32 = withScalar(value->getType(), b_.getFloatTy());
    llvm::Type* i32 = withScalar(value->getType(), b_.getInt32Ty());
    Value* nearest = b_.CreateFPTrunc(value, f32);
    Value* back = b_.CreateFPExt(nearest, value->getType());
    Value* tooFar = b_.CreateFCmpOGT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back), b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value));
    Value* bits = b_.CreateBitCast(nearest, i32);
    Value* truncated = b_.CreateSub(bits, b_.CreateZExt(tooFar, i32));
    Value* inexact = b_.CreateFCmpONE(back, value);
    return b_.CreateBitCast(b_.CreateOr(truncated, b_.CreateZExt(inexact, i32)), f32);
}

Value* Emitter::convert(Value* value, DType from, DType to)
{
    from = from.withLanes(to.lanes);
    if (to.lanes > 1 && !value->getType()->isVectorTy())
        value = b_.CreateVectorSplat(to.lanes, value);
    if (from == to || to.isVoid())
        return value;
    llvm::Type* type = valueType(to);
    if (to.isBool())
        return from.isFloating() ? b_.CreateFCmpUNE(value, splat(0, value->getType()))
                                 : b_.CreateICmpNE(value, splatInt(0, value->getType()));
    if (!from.isFloating() && !to.isFloating())
        return b_.CreateIntCast(value, type, from.isSigned());
    if (!from.isFloating()) {
        if (to.scalar == Scalar::kFloat32 || to.scalar == Scalar::kFloat64)
            return from.isSigned() ? b_.CreateSIToFP(value, type) : b_.CreateUIToFP(value, type);
        // Through a wide type that holds the integer, so that it is rounded once.
        const bool fits = from.bits() <= 16;
        llvm::Type* wide = withScalar(value->getType(), fits ? b_.getFloatTy() : b_.getDoubleTy());
        Value* exact = from.isSigned() ? b_.CreateSIToFP(value, wide) : b_.CreateUIToFP(value, wide);
        Value* single = fits ? exact : narrowToOdd(exact);
        return to.scalar == Scalar::kFloat16 ? b_.CreateFPTrunc(single, type) : roundFloat(single, to);
    }
    if (!to.isFloating()) {
        if (value->getType()->getScalarType()->isHalfTy())
            value = b_.CreateFPExt(value, withScalar(value->getType(), b_.getFloatTy()));
        const auto id = to.isSigned() ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
        return b_.CreateIntrinsic(id, {type, value->getType()}, {value});
    }
    llvm::Type* f32 = withScalar(value->getType(), b_.getFloatTy());
    if (to.scalar == Scalar::kFloat64)
        return b_.CreateFPExt(value, type);
    if (from.scalar == Scalar::kFloat64)
        value = to.scalar == Scalar::kFloat32 ? b_.CreateFPTrunc(value, f32) : narrowToOdd(value);
    else if (from.scalar == Scalar::kFloat16)
        value = b_.CreateFPExt(value, f32);
    return to.scalar == Scalar::kFloat16 ? b_.CreateFPTrunc(value, type) : roundFloat(value, to);
}

// T.cast with a rounding mode or without saturation. Stochastic rounding adds the random bits below the kept mantissa.
// ir::roundStochastic of a double.
Value* Emitter::stochasticPlace(Value* value, DType to, Value* random)
{
    llvm::Type* i64 = withScalar(value->getType(), b_.getInt64Ty());
    const int mantissa = to.mantissaBits(), dropped = 23 - mantissa;
    const int minExponent = std::ilogb(ir::decodeFloat(to, 1ULL << mantissa));  // of the smallest normal number
    Value* exponent = b_.CreateAnd(b_.CreateLShr(b_.CreateBitCast(value, i64), splatInt(52, i64)), splatInt(0x7ff, i64));
    exponent = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, exponent, splatInt(static_cast<std::uint64_t>(minExponent + 1023), i64));
    Value* placeBits = b_.CreateShl(b_.CreateSub(exponent, splatInt(static_cast<std::uint64_t>(mantissa), i64)), splatInt(52, i64));
    Value* place = b_.CreateBitCast(placeBits, value->getType());
    Value* kept = b_.CreateAnd(b_.CreateZExtOrTrunc(random, i64), splatInt((1ULL << dropped) - 1, i64));
    Value* part = b_.CreateFMul(b_.CreateUIToFP(kept, value->getType()), splat(std::ldexp(1.0, -dropped), value->getType()));
    Value* magnitude = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    Value* places = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, b_.CreateFAdd(b_.CreateFDiv(magnitude, place), part));
    Value* rounded = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, b_.CreateFMul(places, place), value);
    Value* finite = b_.CreateFCmpOLT(magnitude, splat(INFINITY, value->getType()));
    return b_.CreateSelect(finite, rounded, value);
}

Value* Emitter::convertRounded(Value* value, DType from, DType to, const ir::OpCall& call)
{
    const auto* round = call.attrs.contains("round") ? std::get_if<std::string>(&call.attrs.at("round")) : nullptr;
    const auto* sat = call.attrs.contains("sat") ? std::get_if<bool>(&call.attrs.at("sat")) : nullptr;
    if (round && *round == "rs" && call.operands.size() > 1 && to.isFloating() && to.mantissaBits() > 0 && to.mantissaBits() < 23) {
        value = stochasticPlace(convert(convert(value, from, ir::kFloat32.withLanes(to.lanes)), ir::kFloat32, ir::kFloat64.withLanes(to.lanes)), to,
                                vectorise(expression(std::get<ir::Expr>(call.operands[1])), std::get<ir::Expr>(call.operands[1])->dtype.withLanes(to.lanes)));
        from = ir::kFloat64.withLanes(to.lanes);
    }
    Value* result = convert(value, from, to);
    if (sat && !*sat && isSmallFloat(to) && from.isFloating()) {
        const SmallFormat f = smallFormat(to);
        if (!f.hasNan)
            return result;
        Value* single = convert(value, from, ir::kFloat32.withLanes(to.lanes));
        const double largest = ir::largestFinite(to);
        const double half = std::ldexp(1.0, std::ilogb(largest) - f.mantissa - 1);
        Value* magnitude = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, single);
        Value* middle = splat(largest + half, single->getType());  // rounds to the even one of its neighbours
        Value* beyond = f.maxCode % 2 == 0 ? b_.CreateFCmpOGT(magnitude, middle) : b_.CreateFCmpOGE(magnitude, middle);
        Value* outside = f.hasInfinity ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, splat(INFINITY, single->getType()), single)
                                       : splat(std::nan(""), single->getType());
        return b_.CreateSelect(beyond, outside, result);
    }
    return result;
}

Value* Emitter::constantOf(DType type, double value)
{
    if (type.isFloating())
        return splat(value, valueType(type));
    return splatInt(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), valueType(type));
}

}  // namespace tw::llvm_backend

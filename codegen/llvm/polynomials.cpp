// The common functions on float32, branch-free (within 4 ulp), so that whole loops of them vectorise.
//
// Coefficients: minimax fits of our own (Lawson iteration) on the intervals named beside them.
#include "codegen/llvm/emitter.h"

#include <cmath>

namespace tw::llvm_backend {

using llvm::Value;

Value* Emitter::fma(Value* a, Value* b, Value* c)
{
    if (!cpu_.hasFma)  // one more rounding keeps the bound; a library call in every loop would not be worth it
        return b_.CreateFAdd(b_.CreateFMul(a, b), c);
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

// c0 + c1 x + c2 x^2 + …
Value* Emitter::polynomial(Value* x, const std::vector<double>& coefficients)
{
    Value* result = splat(coefficients.back(), x->getType());
    for (auto it = coefficients.rbegin() + 1; it != coefficients.rend(); ++it)
        result = fma(result, x, splat(*it, x->getType()));
    return result;
}

// e^r * 2^n for |r| <= ln(2)/2; n is a whole number in [-300, 300]. Two factors, so that subnormal results round once.
Value* Emitter::expKernel(Value* r, Value* n)
{
    llvm::Type* f32 = r->getType();
    llvm::Type* i32 = withScalar(f32, b_.getInt32Ty());
    Value* p = polynomial(r, {0.500000007797, 0.166666668557, 0.0416662698509, 0.00833326544481, 0.00139460753219, 0.000199178146355});
    Value* e = b_.CreateFAdd(fma(p, b_.CreateFMul(r, r), r), splat(1, f32));
    Value* whole = b_.CreateFPToSI(n, i32);
    Value* first = b_.CreateAShr(whole, splatInt(1, i32));
    Value* second = b_.CreateSub(whole, first);
    const auto power = [&](Value* k) {
        return b_.CreateBitCast(b_.CreateShl(b_.CreateAdd(k, splatInt(127, i32)), splatInt(23, i32)), f32);
    };
    return b_.CreateFMul(b_.CreateFMul(e, power(first)), power(second));
}

Value* Emitter::expFloat(Value* x)
{
    llvm::Type* f32 = x->getType();
    Value* low = b_.CreateFCmpOLT(x, splat(-105, f32));
    Value* high = b_.CreateFCmpOGT(x, splat(89, f32));
    Value* inside = b_.CreateSelect(b_.CreateOr(low, high), splat(0, f32), x);
    Value* isNan = b_.CreateFCmpUNO(x, x);
    inside = b_.CreateSelect(isNan, splat(0, f32), inside);
    Value* n = b_.CreateUnaryIntrinsic(llvm::Intrinsic::rint, b_.CreateFMul(inside, splat(1.4426950408889634, f32)));
    const double high12 = 0.693145751953125;  // ln 2 to 12 bits: n times it is exact
    Value* r = fma(n, splat(-high12, f32), inside);
    r = fma(n, splat(-(0.6931471805599453 - high12), f32), r);
    Value* result = expKernel(r, n);
    result = b_.CreateSelect(low, splat(0, f32), result);
    result = b_.CreateSelect(high, splat(INFINITY, f32), result);
    return b_.CreateSelect(isNan, x, result);
}

Value* Emitter::exp2Float(Value* x)
{
    llvm::Type* f32 = x->getType();
    Value* low = b_.CreateFCmpOLT(x, splat(-151, f32));
    Value* high = b_.CreateFCmpOGE(x, splat(128, f32));
    Value* isNan = b_.CreateFCmpUNO(x, x);
    Value* outside = b_.CreateOr(b_.CreateOr(low, high), isNan);
    Value* inside = b_.CreateSelect(outside, splat(0, f32), x);
    Value* n = b_.CreateUnaryIntrinsic(llvm::Intrinsic::rint, inside);
    Value* r = b_.CreateFMul(b_.CreateFSub(inside, n), splat(0.6931471805599453, f32));
    Value* result = expKernel(r, n);
    result = b_.CreateSelect(low, splat(0, f32), result);
    result = b_.CreateSelect(high, splat(INFINITY, f32), result);
    return b_.CreateSelect(isNan, x, result);
}

Value* Emitter::logFloat(Value* x, bool base2)
{
    llvm::Type* f32 = x->getType();
    llvm::Type* i32 = withScalar(f32, b_.getInt32Ty());
    Value* tiny = b_.CreateFCmpOLT(x, splat(0x1p-126, f32));
    Value* scaled = b_.CreateSelect(tiny, b_.CreateFMul(x, splat(0x1p23, f32)), x);
    Value* bits = b_.CreateBitCast(scaled, i32);
    // Mantissa in [sqrt(1/2), sqrt(2)): the offset moves the exponent's step there.
    Value* shifted = b_.CreateSub(bits, splatInt(0x3f3504f3, i32));
    Value* exponent = b_.CreateAShr(shifted, splatInt(23, i32));
    Value* mantissa = b_.CreateBitCast(b_.CreateSub(bits, b_.CreateShl(exponent, splatInt(23, i32))), f32);
    Value* e = b_.CreateSIToFP(exponent, f32);
    e = b_.CreateFSub(e, b_.CreateSelect(tiny, splat(23, f32), splat(0, f32)));
    Value* f = b_.CreateFSub(mantissa, splat(1, f32));
    Value* p = polynomial(f, {0.333333104399, -0.249999865998, 0.200022266141, -0.166692508156, 0.142186580889, -0.12384348479,
                              0.118729763115, -0.117898076504, 0.0691536797482});  // (ln(1+f) - f + f^2/2) / f^3
    Value* f2 = b_.CreateFMul(f, f);
    Value* tail = fma(b_.CreateFMul(p, f), f2, b_.CreateFMul(f2, splat(-0.5, f32)));  // ln(1+f) - f
    Value* result = nullptr;
    if (base2) {
        const double inv = 1.4426950408889634;
        const auto invHigh = 1.4423828125;
        Value* y = fma(tail, splat(inv, f32), b_.CreateFMul(f, splat(inv - invHigh, f32)));
        result = b_.CreateFAdd(fma(f, splat(invHigh, f32), y), e);
    } else {
        const double high12 = 0.693145751953125;
        Value* y = fma(e, splat(0.6931471805599453 - high12, f32), tail);
        result = fma(e, splat(high12, f32), b_.CreateFAdd(f, y));
    }
    result = b_.CreateSelect(b_.CreateFCmpOEQ(x, splat(INFINITY, f32)), x, result);
    result = b_.CreateSelect(b_.CreateFCmpOEQ(x, splat(0, f32)), splat(-INFINITY, f32), result);
    return b_.CreateSelect(b_.CreateFCmpULT(x, splat(0, f32)), splat(std::nan(""), f32), result);
}

// The reduction modulo pi/2 is in double with pi/2 in three parts, good for every |x| below 2^52.
Value* Emitter::sinCosFloat(Value* x, bool cosine)
{
    llvm::Type* f64 = withScalar(x->getType(), b_.getDoubleTy());
    llvm::Type* i64 = withScalar(x->getType(), b_.getInt64Ty());
    Value* wide = b_.CreateFPExt(x, f64);
    Value* infinite = b_.CreateFCmpOEQ(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, wide), splat(INFINITY, f64));
    wide = b_.CreateSelect(infinite, splat(std::nan(""), f64), wide);
    Value* n = b_.CreateUnaryIntrinsic(llvm::Intrinsic::rint, b_.CreateFMul(wide, splat(0.63661977236758134308, f64)));
    Value* r = fma(n, splat(-1.57079632679489655800e+00, f64), wide);
    r = fma(n, splat(-6.12323399573676603587e-17, f64), r);
    r = fma(n, splat(1.4973849048591833e-33, f64), r);
    // The two low bits of n, by the rounding constant that leaves them in the mantissa.
    Value* quadrantBits = b_.CreateBitCast(b_.CreateFAdd(n, splat(0x1.8p52, f64)), i64);
    if (cosine)
        quadrantBits = b_.CreateAdd(quadrantBits, splatInt(1, i64));
    Value* u = b_.CreateFMul(r, r);
    Value* s = b_.CreateFMul(r, polynomial(u, {1.0, -0.166666666666, 0.00833333332306, -0.000198412628826, 2.75551864728e-06,
                                               -2.47504895923e-08}));
    Value* c = polynomial(u, {1.0, -0.499999999993, 0.0416666665339, -0.00138888798793, 2.47988224771e-05, -2.71658421891e-07});
    Value* odd = b_.CreateICmpNE(b_.CreateAnd(quadrantBits, splatInt(1, i64)), splatInt(0, i64));
    Value* flip = b_.CreateICmpNE(b_.CreateAnd(quadrantBits, splatInt(2, i64)), splatInt(0, i64));
    Value* value = b_.CreateSelect(odd, c, s);
    value = b_.CreateSelect(flip, b_.CreateFNeg(value), value);
    return b_.CreateFPTrunc(value, x->getType());
}

Value* Emitter::tanhFloat(Value* x)
{
    llvm::Type* f32 = x->getType();
    Value* a = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* u = b_.CreateFMul(x, x);
    Value* p = polynomial(u, {-0.333333307711, 0.133332041254, -0.0539464558874, 0.0216986911967, -0.00817170494285, 0.00213716273257});
    Value* small = fma(b_.CreateFMul(p, u), x, x);  // |x| < 0.625
    Value* e = expFloat(b_.CreateFMul(a, splat(2, f32)));
    Value* large = b_.CreateFSub(splat(1, f32), b_.CreateFDiv(splat(2, f32), b_.CreateFAdd(e, splat(1, f32))));
    large = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, large, x);
    return b_.CreateSelect(b_.CreateFCmpOLT(a, splat(0.625, f32)), small, large);
}

Value* Emitter::erfFloat(Value* x)
{
    llvm::Type* f32 = x->getType();
    Value* a = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* p = polynomial(b_.CreateFMul(x, x), {1.12837916706, -0.376126384838, 0.112837827472, -0.0268654458222, 0.00522107488037,
                                                -0.000848471148406, 0.000112705447565, -9.68013719394e-06});  // |x| <= 1
    Value* small = b_.CreateFMul(p, x);
    // erfc(a) = 2^-P(a) on [1, 4]; beyond 4, erf is 1 to float precision.
    Value* clamped = b_.CreateMinNum(a, splat(4, f32));
    Value* q = polynomial(clamped, {-0.000556732794209, 1.6310222445, 0.910654092592, 0.159801657527, -0.0388120919217, 0.007181645691,
                                    -0.000953500024608, 8.34269396925e-05, -4.13324648344e-06, 8.0149301368e-08});
    Value* large = b_.CreateFSub(splat(1, f32), exp2Float(b_.CreateFNeg(q)));
    large = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, large, x);
    Value* result = b_.CreateSelect(b_.CreateFCmpOLE(a, splat(1, f32)), small, large);
    return b_.CreateSelect(b_.CreateFCmpUNO(x, x), x, result);
}

}  // namespace tw::llvm_backend

// Mathematical functions. The common ones on float32 are branch-free polynomials (within 4 ulp), so that whole loops of them
// vectorise; the others call the C library. Narrower floats are computed in float32 and rounded once.
//
// Coefficients: minimax fits of our own (Lawson iteration) on the intervals named beside them.
#include "codegen/llvm/emitter.h"

#include <cmath>

#include "core/support/check.h"

namespace tw::llvm_backend {

using ir::BinaryOp;
using ir::DType;
using ir::OpId;
using llvm::Intrinsic::ID;
using llvm::Value;

namespace {

// The C library's name of a function that we do not compute ourselves; empty if there is none.
std::string libraryName(OpId op)
{
    switch (op) {
    case OpId::kExp: case OpId::kFastExp: return "exp";
    case OpId::kExp2: return "exp2";
    case OpId::kExp10: case OpId::kFastExp10: return "exp10";
    case OpId::kLog: case OpId::kFastLog: return "log";
    case OpId::kLog2: case OpId::kFastLog2: return "log2";
    case OpId::kLog10: case OpId::kFastLog10: return "log10";
    case OpId::kLog1p: return "log1p";
    case OpId::kSin: case OpId::kFastSin: return "sin";
    case OpId::kCos: case OpId::kFastCos: return "cos";
    case OpId::kTan: case OpId::kFastTan: return "tan";
    case OpId::kAsin: return "asin";
    case OpId::kAcos: return "acos";
    case OpId::kAtan: return "atan";
    case OpId::kSinh: return "sinh";
    case OpId::kCosh: return "cosh";
    case OpId::kTanh: return "tanh";
    case OpId::kAsinh: return "asinh";
    case OpId::kAcosh: return "acosh";
    case OpId::kAtanh: return "atanh";
    case OpId::kErf: return "erf";
    case OpId::kPow: return "pow";
    case OpId::kFmod: return "fmod";
    case OpId::kAtan2: return "atan2";
    case OpId::kHypot: return "hypot";
    default: return {};
    }
}

ID roundingIntrinsic(OpId op)
{
    switch (op) {
    case OpId::kFloor: return llvm::Intrinsic::floor;
    case OpId::kCeil: return llvm::Intrinsic::ceil;
    case OpId::kTrunc: return llvm::Intrinsic::trunc;
    case OpId::kNearbyint: return llvm::Intrinsic::rint;
    case OpId::kSqrt: case OpId::kIeeeSqrt: return llvm::Intrinsic::sqrt;
    case OpId::kAbs: return llvm::Intrinsic::fabs;
    default: return llvm::Intrinsic::not_intrinsic;
    }
}

}  // namespace

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

Value* Emitter::libraryCall(const std::string& name, llvm::Type* result, std::vector<Value*> arguments)
{
    std::vector<llvm::Type*> types;
    for (Value* argument : arguments)
        types.push_back(argument->getType());
    auto callee = runtime(name, result, types);
    auto* call = b_.CreateCall(callee, arguments);
    call->setDoesNotThrow();
    call->setDoesNotAccessMemory();
    return call;
}

Value* Emitter::perLane(Value* like, llvm::Type* resultScalar, const std::vector<Value*>& arguments,
                        const std::function<Value*(const std::vector<Value*>&)>& emitLane)
{
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
    if (!vector)
        return emitLane(arguments);
    Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(resultScalar, vector->getNumElements()));
    for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
        std::vector<Value*> scalars;
        for (Value* argument : arguments)
            scalars.push_back(argument->getType()->isVectorTy() ? b_.CreateExtractElement(argument, lane) : argument);
        result = b_.CreateInsertElement(result, emitLane(scalars), lane);
    }
    return result;
}

// float32 or float64 in and out. `y` may be null.
Value* Emitter::floatMath(OpId op, Value* x, Value* y)
{
    llvm::Type* type = x->getType();
    if (const ID id = roundingIntrinsic(op); id != llvm::Intrinsic::not_intrinsic)
        return b_.CreateUnaryIntrinsic(id, x);
    if (op == OpId::kRsqrt || op == OpId::kIeeeRsqrt) {
        if (op == OpId::kRsqrt || type->getScalarType()->isDoubleTy())
            return b_.CreateFDiv(splat(1, type), b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
        Value* wide = b_.CreateFPExt(x, withScalar(type, b_.getDoubleTy()));
        return b_.CreateFPTrunc(floatMath(OpId::kRsqrt, wide, nullptr), type);
    }
    if (op == OpId::kFastRcp || op == OpId::kIeeeRcp)
        return b_.CreateFDiv(splat(1, type), x);
    if (op == OpId::kSigmoid)
        return b_.CreateFDiv(splat(1, type), b_.CreateFAdd(splat(1, type), floatMath(OpId::kExp, b_.CreateFNeg(x), nullptr)));
    if (op == OpId::kCopysign)
        return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x, y);
    if (type->getScalarType()->isFloatTy()) {
        switch (op) {
        case OpId::kExp: case OpId::kFastExp: return expFloat(x);
        case OpId::kExp2: return exp2Float(x);
        case OpId::kLog: case OpId::kFastLog: return logFloat(x, false);
        case OpId::kLog2: case OpId::kFastLog2: return logFloat(x, true);
        case OpId::kSin: case OpId::kFastSin: return sinCosFloat(x, false);
        case OpId::kCos: case OpId::kFastCos: return sinCosFloat(x, true);
        case OpId::kTanh: return tanhFloat(x);
        case OpId::kErf: return erfFloat(x);
        default: break;
        }
    }
    std::string name = libraryName(op);
    TW_CHECK(!name.empty(), "no implementation of " + std::string(ir::info(op).name));
    if (type->getScalarType()->isFloatTy())
        name += 'f';
    std::vector<Value*> arguments{x};
    if (y)
        arguments.push_back(y);
    return perLane(x, type->getScalarType(), arguments,
                   [&](const std::vector<Value*>& lane) { return libraryCall(name, type->getScalarType(), lane); });
}

Value* Emitter::bitMath(const ir::Call& call, Value* x)
{
    const DType type = std::get<ir::Expr>(call.call.operands[0])->dtype;
    Value* result = nullptr;
    switch (call.call.op) {
    case OpId::kPopcount: result = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x); break;
    case OpId::kClz: result = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, b_.getFalse()); break;
    case OpId::kFfs: {
        Value* count = b_.CreateAdd(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, x, b_.getFalse()), splatInt(1, x->getType()));
        result = b_.CreateSelect(b_.CreateICmpEQ(x, splatInt(0, x->getType())), splatInt(0, x->getType()), count);
        break;
    }
    default: TW_UNREACHABLE("bit operation");
    }
    return convert(result, type.isBool() ? type : ir::parseDType("uint" + std::to_string(type.bits())).value().withLanes(type.lanes),
                   call.dtype);
}

// Operations with a chosen rounding. Directed modes are computed in double and moved by one step where the result is on the
// wrong side; that is exact for float32 operands.
Value* Emitter::ieeeMath(const ir::Call& call)
{
    std::vector<Value*> in;
    const DType type = call.dtype;
    for (const auto& operand : call.call.operands)
        in.push_back(convert(expression(std::get<ir::Expr>(operand)), std::get<ir::Expr>(operand)->dtype, type));
    const auto found = call.call.attrs.find("rounding_mode");
    const std::string mode = found == call.call.attrs.end() ? "rn" : std::get<std::string>(found->second);
    const auto compute = [&](const std::vector<Value*>& v) -> Value* {
        switch (call.call.op) {
        case OpId::kIeeeAdd: return b_.CreateFAdd(v[0], v[1]);
        case OpId::kIeeeSub: return b_.CreateFSub(v[0], v[1]);
        case OpId::kIeeeMul: return b_.CreateFMul(v[0], v[1]);
        case OpId::kIeeeDiv: return b_.CreateFDiv(v[0], v[1]);
        case OpId::kIeeeFma: return b_.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]});
        case OpId::kIeeeRcp: return b_.CreateFDiv(splat(1, v[0]->getType()), v[0]);
        default: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v[0]);
        }
    };
    if (mode == "rn" || type.scalar != ir::Scalar::kFloat32)
        return compute(in);
    return perLane(in[0], b_.getFloatTy(), in, [&](const std::vector<Value*>& lane) {
        std::vector<Value*> arguments{b_.getInt32(static_cast<std::uint32_t>(call.call.op)),
                                      b_.getInt32(mode == "rz" ? 0 : mode == "ru" ? 1 : 2)};
        for (std::size_t i = 0; i < 3; ++i)
            arguments.push_back(i < lane.size() ? lane[i] : llvm::ConstantFP::get(b_.getFloatTy(), 0));
        return libraryCall("tw_ieee", b_.getFloatTy(), arguments);
    });
}

Value* Emitter::pairMath(const ir::Call& call)
{
    std::vector<Value*> v;
    for (const auto& operand : call.call.operands)
        v.push_back(vectorise(expression(std::get<ir::Expr>(operand)), call.dtype));
    switch (call.call.op) {
    case OpId::kAdd2: return arithmetic(BinaryOp::kAdd, call.dtype, v[0], v[1]);
    case OpId::kSub2: return arithmetic(BinaryOp::kSub, call.dtype, v[0], v[1]);
    case OpId::kMul2: return arithmetic(BinaryOp::kMul, call.dtype, v[0], v[1]);
    case OpId::kMax2: return arithmetic(BinaryOp::kMax, call.dtype, v[0], v[1]);
    case OpId::kMin2: return arithmetic(BinaryOp::kMin, call.dtype, v[0], v[1]);
    case OpId::kAbs2: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]);
    default: {
        // Rounded once: exact product and sum in double for half types, hardware fma for float32.
        if (call.dtype.scalar == ir::Scalar::kFloat32 || call.dtype.scalar == ir::Scalar::kFloat64)
            return b_.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]});
        const DType wide = ir::kFloat64.withLanes(call.dtype.lanes);
        for (Value*& x : v)
            x = convert(x, call.dtype, wide);
        return convert(b_.CreateFAdd(b_.CreateFMul(v[0], v[1]), v[2]), wide, call.dtype);
    }
    }
}

Value* Emitter::reinterpret(Value* value, DType from, DType to)
{
    Value* bits = encode(value, from);
    if (bits->getType()->isPointerTy())
        bits = b_.CreatePtrToInt(bits, b_.getInt64Ty());
    llvm::Type* target = storageType(to);
    if (bits->getType()->getPrimitiveSizeInBits() != target->getPrimitiveSizeInBits())
        bits = b_.CreateZExtOrTrunc(b_.CreateBitCast(bits, b_.getIntNTy(static_cast<unsigned>(bits->getType()->getPrimitiveSizeInBits()))),
                                    b_.getIntNTy(static_cast<unsigned>(target->getPrimitiveSizeInBits())));
    return decode(b_.CreateBitCast(bits, target), to);
}

Value* Emitter::mathCall(const ir::Call& call)
{
    const auto operandExpr = [&](std::size_t i) -> const ir::Expr& { return std::get<ir::Expr>(call.call.operands[i]); };
    const OpId op = call.call.op;
    if (op == OpId::kUndef)
        return llvm::Constant::getNullValue(valueType(call.dtype));
    if (op == OpId::kLikely)
        return expression(operandExpr(0));
    if (op == OpId::kReinterpret)
        return reinterpret(expression(operandExpr(0)), operandExpr(0)->dtype, call.dtype);
    if (op == OpId::kCastRounded)
        return convertRounded(expression(operandExpr(0)), operandExpr(0)->dtype, call.dtype, call.call);
    if (op == OpId::kShuffleVector) {
        Value* result = llvm::PoisonValue::get(valueType(call.dtype));
        for (std::size_t lane = 0; lane < call.call.operands.size(); ++lane)
            result = b_.CreateInsertElement(
                result, convert(expression(operandExpr(lane)), operandExpr(lane)->dtype, call.dtype.element()), lane);
        return result;
    }
    if (op >= OpId::kIeeeAdd && op <= OpId::kIeeeSqrt)
        return ieeeMath(call);
    if (op >= OpId::kAdd2 && op <= OpId::kAbs2)
        return pairMath(call);
    const DType type = operandExpr(0)->dtype;
    Value* x = expression(operandExpr(0));
    if (op == OpId::kFns)
        return convert(libraryCall("tw_fns", b_.getInt32Ty(),
                                   {b_.CreateZExtOrTrunc(x, b_.getInt32Ty()), b_.CreateTrunc(index(operandExpr(1)), b_.getInt32Ty()),
                                    b_.CreateTrunc(index(operandExpr(2)), b_.getInt32Ty())}),
                       ir::kInt32, call.dtype);
    if (op == OpId::kPopcount || op == OpId::kClz || op == OpId::kFfs)
        return bitMath(call, x);
    if (!type.isFloating()) {
        if (op == OpId::kAbs && type.isSigned())
            return b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b_.getFalse());
        if (op == OpId::kIsNan || op == OpId::kIsInf)
            return splatInt(0, valueType(call.dtype));
        if (op == OpId::kIsFinite)
            return splatInt(1, valueType(call.dtype));
        if (!call.dtype.isFloating())
            return x;  // abs of unsigned, floor, ceil, … of whole numbers
    }
    // In float32 at least; a narrower type is rounded once at the end.
    const DType wide = (type.scalar == ir::Scalar::kFloat64 ? ir::kFloat64 : ir::kFloat32).withLanes(type.lanes);
    Value* a = convert(x, type, wide);
    Value* absolute = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
    Value* infinity = splat(INFINITY, a->getType());
    if (op == OpId::kIsNan)
        return convert(b_.CreateFCmpUNO(a, a), ir::kBool, call.dtype);
    if (op == OpId::kIsInf)
        return convert(b_.CreateFCmpOEQ(absolute, infinity), ir::kBool, call.dtype);
    if (op == OpId::kIsFinite)
        return convert(b_.CreateFCmpOLT(absolute, infinity), ir::kBool, call.dtype);
    Value* result = nullptr;
    if (op == OpId::kRound) {
        const auto mode = call.call.attrs.find("rounding_mode");
        const bool away = mode != call.call.attrs.end() && std::get<std::string>(mode->second) == "ties-away-from-zero";
        result = b_.CreateUnaryIntrinsic(away ? llvm::Intrinsic::round : llvm::Intrinsic::rint, a);
    } else if (op == OpId::kFma) {
        const DType sum = type.bits() < 32 ? ir::kFloat64.withLanes(type.lanes) : wide;
        std::vector<Value*> v;
        for (std::size_t i = 0; i < 3; ++i)
            v.push_back(convert(expression(operandExpr(i)), operandExpr(i)->dtype, sum));
        return convert(b_.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, v), sum, call.dtype);
    } else if (op == OpId::kLdexp) {
        Value* n = b_.CreateIntCast(expression(operandExpr(1)), withScalar(a->getType(), b_.getInt32Ty()), true);
        if (operandExpr(1)->dtype.isFloating())
            n = convert(expression(operandExpr(1)), operandExpr(1)->dtype, ir::kInt32.withLanes(type.lanes));
        result = perLane(a, a->getType()->getScalarType(), {a, n}, [&](const std::vector<Value*>& lane) {
            return libraryCall(wide.scalar == ir::Scalar::kFloat64 ? "ldexp" : "ldexpf", a->getType()->getScalarType(), lane);
        });
    } else if (op == OpId::kNextafter) {
        Value* y = convert(expression(operandExpr(1)), operandExpr(1)->dtype, ir::kFloat64.withLanes(type.lanes));
        Value* d = convert(x, type, ir::kFloat64.withLanes(type.lanes));
        result = perLane(d, b_.getDoubleTy(), {d, y}, [&](const std::vector<Value*>& lane) {
            return libraryCall("tw_nextafter", b_.getDoubleTy(), {lane[0], lane[1], b_.getInt32(static_cast<std::uint32_t>(type.scalar))});
        });
        return convert(result, ir::kFloat64.withLanes(type.lanes), call.dtype);
    } else {
        Value* y = call.call.operands.size() > 1 ? convert(vectorise(expression(operandExpr(1)), operandExpr(1)->dtype), operandExpr(1)->dtype, wide) : nullptr;
        result = floatMath(op, a, y);
    }
    return convert(result, wide, call.dtype);
}

}  // namespace tw::llvm_backend

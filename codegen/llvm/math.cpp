// Mathematical functions: polynomials.cpp has the common ones on float32, the others call the C library. Narrower floats are
// computed in float32 and rounded once.
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

// What is no function of a float: null for those.
Value* Emitter::otherMath(const ir::Call& call)
{
    const auto operandExpr = [&](std::size_t i) -> const ir::Expr& { return std::get<ir::Expr>(call.call.operands[i]); };
    const OpId op = call.call.op;
    switch (op) {
    case OpId::kUndef: return llvm::Constant::getNullValue(valueType(call.dtype));
    case OpId::kLikely: return expression(operandExpr(0));
    case OpId::kReinterpret: return reinterpret(expression(operandExpr(0)), operandExpr(0)->dtype, call.dtype);
    case OpId::kCastRounded: return convertRounded(expression(operandExpr(0)), operandExpr(0)->dtype, call.dtype, call.call);
    case OpId::kPopcount: case OpId::kClz: case OpId::kFfs: return bitMath(call, expression(operandExpr(0)));
    case OpId::kFns:
        return convert(libraryCall("tw_fns", b_.getInt32Ty(),
                                   {b_.CreateZExtOrTrunc(expression(operandExpr(0)), b_.getInt32Ty()),
                                    b_.CreateTrunc(index(operandExpr(1)), b_.getInt32Ty()), b_.CreateTrunc(index(operandExpr(2)), b_.getInt32Ty())}),
                       ir::kInt32, call.dtype);
    case OpId::kShuffleVector: {
        Value* result = llvm::PoisonValue::get(valueType(call.dtype));
        for (std::size_t lane = 0; lane < call.call.operands.size(); ++lane)
            result = b_.CreateInsertElement(
                result, convert(expression(operandExpr(lane)), operandExpr(lane)->dtype, call.dtype.element()), lane);
        return result;
    }
    default: break;
    }
    if (op >= OpId::kIeeeAdd && op <= OpId::kIeeeSqrt)
        return ieeeMath(call);
    return op >= OpId::kAdd2 && op <= OpId::kAbs2 ? pairMath(call) : nullptr;
}

// A function of whole numbers. Null where the result is a float.
Value* Emitter::integerMath(const ir::Call& call, DType type, Value* x)
{
    switch (call.call.op) {
    case OpId::kIsNan: case OpId::kIsInf: return splatInt(0, valueType(call.dtype));
    case OpId::kIsFinite: return splatInt(1, valueType(call.dtype));
    case OpId::kAbs:
        if (type.isSigned())
            return b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b_.getFalse());
        break;
    default: break;
    }
    return call.dtype.isFloating() ? nullptr : x;  // abs of unsigned, floor, ceil, … of whole numbers
}

// Is `a` a NaN, infinite, finite? Null for other operations.
Value* Emitter::floatTest(OpId op, Value* a)
{
    if (op == OpId::kIsNan)
        return b_.CreateFCmpUNO(a, a);
    if (op != OpId::kIsInf && op != OpId::kIsFinite)
        return nullptr;
    Value* absolute = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
    Value* infinity = splat(INFINITY, a->getType());
    return op == OpId::kIsInf ? b_.CreateFCmpOEQ(absolute, infinity) : b_.CreateFCmpOLT(absolute, infinity);
}

// Functions that round in a type of their own. Null for the others.
Value* Emitter::roundedOnceMath(const ir::Call& call, DType type, DType wide, Value* x)
{
    const auto operand = [&](std::size_t i, DType to) {
        const auto& expr = std::get<ir::Expr>(call.call.operands[i]);
        return convert(expression(expr), expr->dtype, to);
    };
    if (call.call.op == OpId::kFma) {
        const DType sum = type.bits() < 32 ? ir::kFloat64.withLanes(type.lanes) : wide;
        const std::vector<Value*> v{operand(0, sum), operand(1, sum), operand(2, sum)};
        return convert(b_.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, v), sum, call.dtype);
    }
    if (call.call.op != OpId::kNextafter)
        return nullptr;
    const DType precise = ir::kFloat64.withLanes(type.lanes);
    Value* y = operand(1, precise);
    Value* d = convert(x, type, precise);
    Value* result = perLane(d, b_.getDoubleTy(), {d, y}, [&](const std::vector<Value*>& lane) {
        return libraryCall("tw_nextafter", b_.getDoubleTy(), {lane[0], lane[1], b_.getInt32(static_cast<std::uint32_t>(type.scalar))});
    });
    return convert(result, precise, call.dtype);
}

// a * 2^exponent, in a's type.
Value* Emitter::scaleByPower(Value* a, const ir::Expr& exponent)
{
    Value* n = expression(exponent);
    n = exponent->dtype.isFloating() ? convert(n, exponent->dtype, ir::kInt32.withLanes(exponent->dtype.lanes))
                                     : b_.CreateIntCast(n, withScalar(a->getType(), b_.getInt32Ty()), true);
    llvm::Type* scalar = a->getType()->getScalarType();
    return perLane(a, scalar, {a, n}, [&](const std::vector<Value*>& lane) {
        return libraryCall(scalar->isDoubleTy() ? "ldexp" : "ldexpf", scalar, lane);
    });
}

Value* Emitter::mathCall(const ir::Call& call)
{
    if (Value* result = otherMath(call))
        return result;
    const auto operandExpr = [&](std::size_t i) -> const ir::Expr& { return std::get<ir::Expr>(call.call.operands[i]); };
    const OpId op = call.call.op;
    const DType type = operandExpr(0)->dtype;
    Value* x = expression(operandExpr(0));
    if (!type.isFloating())
        if (Value* result = integerMath(call, type, x))
            return result;
    // In float32 at least; a narrower type is rounded once at the end.
    const DType wide = (type.scalar == ir::Scalar::kFloat64 ? ir::kFloat64 : ir::kFloat32).withLanes(type.lanes);
    if (Value* result = roundedOnceMath(call, type, wide, x))
        return result;
    Value* a = convert(x, type, wide);
    if (Value* result = floatTest(op, a))
        return convert(result, ir::kBool, call.dtype);
    if (op == OpId::kRound) {
        const auto mode = call.call.attrs.find("rounding_mode");
        const bool away = mode != call.call.attrs.end() && std::get<std::string>(mode->second) == "ties-away-from-zero";
        return convert(b_.CreateUnaryIntrinsic(away ? llvm::Intrinsic::round : llvm::Intrinsic::rint, a), wide, call.dtype);
    }
    if (op == OpId::kLdexp)
        return convert(scaleByPower(a, operandExpr(1)), wide, call.dtype);
    Value* y = call.call.operands.size() > 1 ? convert(vectorise(expression(operandExpr(1)), operandExpr(1)->dtype), operandExpr(1)->dtype, wide) : nullptr;
    return convert(floatMath(op, a, y), wide, call.dtype);
}

}  // namespace tw::llvm_backend

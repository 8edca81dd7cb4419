// Expressions: scalars or fixed vectors, in register form (emitter.h).
#include "codegen/llvm/emitter.h"

#include "core/ir/visit.h"
#include "core/support/check.h"

namespace tw::llvm_backend {

using ir::BinaryOp;
using ir::DType;
using llvm::Value;

namespace {

// Whether evaluating `e` touches memory or has an effect, so that a guard in front of it must be a branch.
class AccessFinder : public ir::Visitor {
public:
    bool found = false;
    using ir::Visitor::visit;
    void visit(const ir::Expr& e) override
    {
        if (!e || found)
            return;
        if (e->kind == ir::ExprKind::kLoad)
            found = true;
        if (const auto* call = ir::as<ir::Call>(e))
            found = found || ir::info(call->call.op).effect != ir::Effect::kNone;
        if (const auto* binary = ir::as<ir::Binary>(e))
            found = found || binary->op == BinaryOp::kFloorDiv || binary->op == BinaryOp::kFloorMod;
        if (!found)
            ir::Visitor::visit(e);
    }
};

bool hasAccess(const ir::Expr& e)
{
    AccessFinder finder;
    finder.visit(e);
    return finder.found;
}

bool isWideInteger(DType type) { return type.lanes == 1 && type.isSigned() && type.bits() >= 32; }

}  // namespace

BufferSlot Emitter::slot(const ir::Buffer& buffer)
{
    const auto found = state_.buffers.find(buffer.get());
    if (found != state_.buffers.end())
        return found->second;
    // A view is made at each use, from the storage that it looks at or from an address: its extents may depend on values
    // of this very place.
    TW_CHECK(buffer->viewOf || buffer->address, "buffer " + buffer->name + " is used before it is allocated");
    if (buffer->viewOf) {
        const BufferSlot storage = slot(buffer->viewOf);
        BufferSlot view = makeSlot(buffer, b_.CreateConstGEP1_64(b_.getInt8Ty(), storage.base, static_cast<std::uint64_t>(buffer->viewOffset)));
        view.parallelDepth = storage.parallelDepth;
        return view;
    }
    return makeSlot(buffer, b_.CreateIntToPtr(index(buffer->address), b_.getPtrTy()));
}

Value* Emitter::linearIndex(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices)
{
    const BufferSlot s = slot(buffer);
    Value* linear = nullptr;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        Value* i = index(indices[axis]);
        Value* term = b_.CreateMul(i, s.strides[axis], "", false, true);
        linear = linear ? b_.CreateAdd(linear, term, "", false, true) : term;
    }
    return linear ? linear : b_.getInt64(0);
}

Value* Emitter::addressOf(const ir::Region& region)
{
    Value* base = slot(region.buffer).base;
    return elementAddress(region.buffer->dtype, base, linearIndex(region.buffer, region.mins));
}

Value* Emitter::loadOf(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices)
{
    Value* linear = linearIndex(buffer, indices);
    const BufferSlot s = slot(buffer);
    annotateFrom_ = s.parallelDepth;
    Value* value = loadElement(buffer->dtype, s.base, linear);
    annotateFrom_ = 0;
    return value;
}

Value* Emitter::index(const ir::Expr& e)
{
    if (const auto* imm = ir::as<ir::IntImm>(e))
        return b_.getInt64(static_cast<std::uint64_t>(imm->value));
    if (e->kind == ir::ExprKind::kVar) {
        const auto found = state_.vars.find(e.get());
        TW_CHECK(found != state_.vars.end(), "variable " + static_cast<const ir::VarNode*>(e.get())->name + " has no value here");
        if (found->second->getType()->isIntegerTy(64))
            return found->second;
    }
    if (const auto* binary = ir::as<ir::Binary>(e); binary && isWideInteger(e->dtype)) {
        switch (binary->op) {
        case BinaryOp::kAdd: case BinaryOp::kSub: case BinaryOp::kMul: case BinaryOp::kMin: case BinaryOp::kMax:
        case BinaryOp::kFloorDiv: case BinaryOp::kFloorMod: case BinaryOp::kTruncDiv: case BinaryOp::kTruncMod: {
            Value* a = index(binary->a);
            Value* c = index(binary->b);
            if (binary->op == BinaryOp::kAdd)
                return b_.CreateAdd(a, c, "", false, true);
            if (binary->op == BinaryOp::kSub)
                return b_.CreateSub(a, c, "", false, true);
            if (binary->op == BinaryOp::kMul)
                return b_.CreateMul(a, c, "", false, true);
            return arithmetic(binary->op, ir::kInt64, a, c);
        }
        default:
            break;
        }
    }
    if (const auto* cast = ir::as<ir::Cast>(e); cast && isWideInteger(e->dtype) && isWideInteger(cast->value->dtype) &&
                                                e->dtype.bits() >= cast->value->dtype.bits())
        return index(cast->value);
    Value* value = expression(e);
    if (value->getType()->isPointerTy())
        return b_.CreatePtrToInt(value, b_.getInt64Ty());
    return b_.CreateIntCast(value, b_.getInt64Ty(), e->dtype.isSigned());
}

Value* Emitter::condition(const ir::Expr& e)
{
    Value* value = expression(e);
    if (value->getType()->isIntegerTy(1))
        return value;
    return convert(value, e->dtype, ir::kBool);
}

Value* Emitter::vectorise(Value* value, DType type)
{
    if (type.lanes > 1 && !value->getType()->isVectorTy())
        return b_.CreateVectorSplat(type.lanes, value);
    return value;
}

Value* Emitter::expression(const ir::Expr& e)
{
    switch (e->kind) {
    case ir::ExprKind::kIntImm:
        return splatInt(static_cast<std::uint64_t>(static_cast<const ir::IntImm&>(*e).value), valueType(e->dtype));
    case ir::ExprKind::kFloatImm:
        return splat(static_cast<const ir::FloatImm&>(*e).value, valueType(e->dtype));
    case ir::ExprKind::kStringImm:
        return text(static_cast<const ir::StringImm&>(*e).value);
    case ir::ExprKind::kVar: {
        const auto found = state_.vars.find(e.get());
        TW_CHECK(found != state_.vars.end(), "variable " + static_cast<const ir::VarNode&>(*e).name + " has no value here");
        if (e->dtype.lanes == 1 && (e->dtype.isInteger() || e->dtype.isBool()))
            return b_.CreateTrunc(found->second, valueType(e->dtype));
        return found->second;
    }
    case ir::ExprKind::kLoad: {
        const auto& load = static_cast<const ir::Load&>(*e);
        return loadOf(load.buffer, load.indices);
    }
    case ir::ExprKind::kUnary:
        return unary(static_cast<const ir::Unary&>(*e));
    case ir::ExprKind::kBinary:
        return binary(static_cast<const ir::Binary&>(*e));
    case ir::ExprKind::kSelect:
        return select(static_cast<const ir::Select&>(*e));
    case ir::ExprKind::kCast: {
        const auto& cast = static_cast<const ir::Cast&>(*e);
        return convert(expression(cast.value), cast.value->dtype, e->dtype);
    }
    case ir::ExprKind::kCall:
        return callValue(static_cast<const ir::Call&>(*e));
    case ir::ExprKind::kRamp: {
        const auto& ramp = static_cast<const ir::Ramp&>(*e);
        Value* result = llvm::PoisonValue::get(valueType(e->dtype));
        Value* value = expression(ramp.base);
        Value* stride = expression(ramp.stride);
        for (int lane = 0; lane < e->dtype.lanes; ++lane) {
            result = b_.CreateInsertElement(result, value, static_cast<std::uint64_t>(lane));
            value = arithmetic(BinaryOp::kAdd, e->dtype.element(), value, stride);
        }
        return result;
    }
    case ir::ExprKind::kBroadcast:
        return b_.CreateVectorSplat(e->dtype.lanes, expression(static_cast<const ir::Broadcast&>(*e).value));
    case ir::ExprKind::kLane: {
        const auto& lane = static_cast<const ir::Lane&>(*e);
        return b_.CreateExtractElement(expression(lane.vector), static_cast<std::uint64_t>(lane.index));
    }
    }
    TW_UNREACHABLE("expression kind");
}

Value* Emitter::unary(const ir::Unary& e)
{
    Value* a = expression(e.a);
    switch (e.op) {
    case ir::UnaryOp::kNegate:
        return e.dtype.isFloating() ? b_.CreateFNeg(a) : b_.CreateNeg(a);
    case ir::UnaryOp::kNot:
        return b_.CreateNot(e.a->dtype.isBool() ? a : convert(a, e.a->dtype, ir::kBool));
    case ir::UnaryOp::kInvert:
        return b_.CreateNot(a);
    }
    TW_UNREACHABLE("unary operator");
}

Value* Emitter::lazyLogical(const ir::Binary& e)
{
    Value* first = condition(e.a);
    llvm::BasicBlock* from = b_.GetInsertBlock();
    llvm::BasicBlock* more = newBlock("logic.rhs");
    llvm::BasicBlock* done = newBlock("logic.end");
    if (e.op == BinaryOp::kAnd)
        b_.CreateCondBr(first, more, done);
    else
        b_.CreateCondBr(first, done, more);
    b_.SetInsertPoint(more);
    Value* second = condition(e.b);
    llvm::BasicBlock* last = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    auto* phi = b_.CreatePHI(b_.getInt1Ty(), 2);
    phi->addIncoming(b_.getInt1(e.op == BinaryOp::kOr), from);
    phi->addIncoming(second, last);
    return phi;
}

Value* Emitter::select(const ir::Select& e)
{
    const bool branch = e.lazy && e.condition->dtype.lanes == 1 && (hasAccess(e.then) || hasAccess(e.otherwise));
    if (!branch) {
        Value* c = e.condition->dtype.lanes == 1 ? condition(e.condition) : expression(e.condition);
        return b_.CreateSelect(c, vectorise(expression(e.then), e.dtype), vectorise(expression(e.otherwise), e.dtype));
    }
    llvm::BasicBlock* thenBlock = newBlock("select.then");
    llvm::BasicBlock* elseBlock = newBlock("select.else");
    llvm::BasicBlock* done = newBlock("select.end");
    b_.CreateCondBr(condition(e.condition), thenBlock, elseBlock);
    b_.SetInsertPoint(thenBlock);
    Value* first = vectorise(expression(e.then), e.dtype);
    llvm::BasicBlock* thenEnd = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(elseBlock);
    Value* second = vectorise(expression(e.otherwise), e.dtype);
    llvm::BasicBlock* elseEnd = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    auto* phi = b_.CreatePHI(first->getType(), 2);
    phi->addIncoming(first, thenEnd);
    phi->addIncoming(second, elseEnd);
    return phi;
}

Value* Emitter::binary(const ir::Binary& e)
{
    const DType operand = e.a->dtype;
    if ((e.op == BinaryOp::kAnd || e.op == BinaryOp::kOr) && e.dtype.lanes == 1) {
        if (hasAccess(e.b))
            return lazyLogical(e);
        Value* a = condition(e.a);
        Value* c = condition(e.b);
        return e.op == BinaryOp::kAnd ? b_.CreateAnd(a, c) : b_.CreateOr(a, c);
    }
    // Comparisons of integer arithmetic are exact too: they guard accesses whose indices are.
    if (e.op >= BinaryOp::kEq && isWideInteger(operand) && isWideInteger(e.b->dtype))
        return compare(e.op, ir::kInt64, index(e.a), index(e.b));
    const DType common = operand.lanes >= e.b->dtype.lanes ? operand : e.b->dtype;
    Value* a = vectorise(expression(e.a), common);
    Value* c = vectorise(expression(e.b), common);
    return e.op >= BinaryOp::kEq ? compare(e.op, common, a, c) : arithmetic(e.op, common, a, c);
}

Value* Emitter::compare(BinaryOp op, DType type, Value* a, Value* b)
{
    using P = llvm::CmpInst::Predicate;
    const bool s = type.isSigned();
    const bool f = type.isFloating();
    P predicate{};
    switch (op) {
    case BinaryOp::kEq: predicate = f ? P::FCMP_OEQ : P::ICMP_EQ; break;
    case BinaryOp::kNe: predicate = f ? P::FCMP_UNE : P::ICMP_NE; break;
    case BinaryOp::kLt: predicate = f ? P::FCMP_OLT : s ? P::ICMP_SLT : P::ICMP_ULT; break;
    case BinaryOp::kLe: predicate = f ? P::FCMP_OLE : s ? P::ICMP_SLE : P::ICMP_ULE; break;
    case BinaryOp::kGt: predicate = f ? P::FCMP_OGT : s ? P::ICMP_SGT : P::ICMP_UGT; break;
    case BinaryOp::kGe: predicate = f ? P::FCMP_OGE : s ? P::ICMP_SGE : P::ICMP_UGE; break;
    default: TW_UNREACHABLE("comparison");
    }
    return b_.CreateCmp(predicate, a, b);
}

// A quotient by zero and its remainder are 0, as in the interpreter (and NumPy). The one overflowing quotient wraps.
Value* Emitter::integerDivision(BinaryOp op, DType type, Value* a, Value* b)
{
    const bool quotient = op == BinaryOp::kFloorDiv || op == BinaryOp::kTruncDiv;
    Value* zero = splatInt(0, b->getType());
    Value* one = splatInt(1, b->getType());
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(b);
    if (constant && constant->isZero())
        return zero;
    if (!type.isSigned()) {
        if (llvm::isa<llvm::Constant>(b))
            return quotient ? b_.CreateUDiv(a, b) : b_.CreateURem(a, b);
        Value* isZero = b_.CreateICmpEQ(b, zero);
        Value* safe = b_.CreateSelect(isZero, one, b);
        return quotient ? b_.CreateSelect(isZero, zero, b_.CreateUDiv(a, safe)) : b_.CreateURem(a, safe);
    }
    const bool floors = op == BinaryOp::kFloorDiv || op == BinaryOp::kFloorMod;
    if (constant && floors && constant->getValue().isStrictlyPositive() && constant->getValue().isPowerOf2()) {
        if (quotient)
            return b_.CreateAShr(a, splatInt(constant->getValue().logBase2(), b->getType()));
        return b_.CreateAnd(a, llvm::ConstantInt::get(b->getType(), constant->getValue() - 1));
    }
    Value* minusOne = llvm::ConstantInt::getSigned(b->getType(), -1);
    const bool plain = constant && !constant->isMinusOne();
    Value* isMinusOne = b_.CreateICmpEQ(b, minusOne);
    Value* isZero = b_.CreateICmpEQ(b, zero);
    Value* safe = plain ? b : b_.CreateSelect(b_.CreateOr(isZero, isMinusOne), one, b);
    Value* q = b_.CreateSDiv(a, safe);
    Value* r = b_.CreateSub(a, b_.CreateMul(q, safe));
    if (floors) {
        Value* adjust = b_.CreateAnd(b_.CreateICmpNE(r, zero), b_.CreateICmpSLT(b_.CreateXor(r, safe), zero));
        q = b_.CreateSub(q, b_.CreateZExt(adjust, q->getType()));
        r = b_.CreateAdd(r, b_.CreateSelect(adjust, safe, zero));
    }
    if (!quotient)
        return r;
    return plain ? q : b_.CreateSelect(isMinusOne, b_.CreateNeg(a), b_.CreateSelect(isZero, zero, q));
}

Value* Emitter::arithmetic(BinaryOp op, DType type, Value* a, Value* b)
{
    if (type.isFloating()) {
        Value* result = nullptr;
        switch (op) {
        case BinaryOp::kAdd: result = b_.CreateFAdd(a, b); break;
        case BinaryOp::kSub: result = b_.CreateFSub(a, b); break;
        case BinaryOp::kMul: result = b_.CreateFMul(a, b); break;
        case BinaryOp::kDiv: case BinaryOp::kTruncDiv: result = b_.CreateFDiv(a, b); break;
        case BinaryOp::kMin: return b_.CreateMinNum(a, b);
        case BinaryOp::kMax: return b_.CreateMaxNum(a, b);
        case BinaryOp::kFloorDiv: result = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, b_.CreateFDiv(a, b)); break;
        case BinaryOp::kFloorMod:
            result = b_.CreateFSub(a, b_.CreateFMul(b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, b_.CreateFDiv(a, b)), b));
            break;
        case BinaryOp::kTruncMod: result = floatMath(ir::OpId::kFmod, a, b); break;
        default: TW_UNREACHABLE("float operator");
        }
        return result->getType()->getScalarType()->isFloatTy() ? roundFloat(result, type) : result;
    }
    switch (op) {
    case BinaryOp::kAdd: return type.isBool() ? b_.CreateOr(a, b) : b_.CreateAdd(a, b);
    case BinaryOp::kSub: return b_.CreateSub(a, b);
    case BinaryOp::kMul: return b_.CreateMul(a, b);
    case BinaryOp::kDiv: case BinaryOp::kFloorDiv: case BinaryOp::kFloorMod: case BinaryOp::kTruncDiv: case BinaryOp::kTruncMod:
        return integerDivision(op == BinaryOp::kDiv ? BinaryOp::kTruncDiv : op, type, a, b);
    case BinaryOp::kMin:
        return b_.CreateBinaryIntrinsic(type.isSigned() ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a, b);
    case BinaryOp::kMax:
        return b_.CreateBinaryIntrinsic(type.isSigned() ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a, b);
    case BinaryOp::kBitAnd: case BinaryOp::kAnd: return b_.CreateAnd(a, b);
    case BinaryOp::kBitOr: case BinaryOp::kOr: return b_.CreateOr(a, b);
    case BinaryOp::kBitXor: return b_.CreateXor(a, b);
    case BinaryOp::kShl: case BinaryOp::kShr: {
        // Beyond the width: all bits are gone, as in the wider arithmetic of the language.
        const auto width = static_cast<std::uint64_t>(type.bits());
        Value* inside = b_.CreateICmpULT(b, splatInt(width, b->getType()));
        Value* amount = b_.CreateSelect(inside, b, splatInt(width - 1, b->getType()));
        if (op == BinaryOp::kShl)
            return b_.CreateSelect(inside, b_.CreateShl(a, amount), splatInt(0, a->getType()));
        if (type.isSigned())
            return b_.CreateAShr(a, amount);
        return b_.CreateSelect(inside, b_.CreateLShr(a, amount), splatInt(0, a->getType()));
    }
    default:
        TW_UNREACHABLE("integer operator");
    }
}

Value* Emitter::regionAny(const ir::Region& region, bool all)
{
    Value* flag = entryAlloca(b_.getInt1Ty(), 1, 1);
    b_.CreateStore(b_.getInt1(all), flag);
    const auto axis = [&](auto& self, std::size_t depth, Value* linear) -> void {
        if (depth == region.mins.size()) {
            Value* element = loadElement(region.buffer->dtype, slot(region.buffer).base, linear);
            Value* truth = convert(element, region.buffer->dtype, ir::kBool);
            Value* old = b_.CreateLoad(b_.getInt1Ty(), flag);
            b_.CreateStore(all ? b_.CreateAnd(old, truth) : b_.CreateOr(old, truth), flag);
            return;
        }
        Value* begin = index(region.mins[depth]);
        Value* end = b_.CreateAdd(begin, index(region.extents[depth]));
        Value* stride = slot(region.buffer).strides[depth];
        countedLoop(begin, end, b_.getInt64(1), false, [&](Value* i) {
            Value* next = b_.CreateAdd(linear, b_.CreateMul(i, stride));
            self(self, depth + 1, next);
        });
    };
    axis(axis, 0, b_.getInt64(0));
    return b_.CreateLoad(b_.getInt1Ty(), flag);
}

}  // namespace tw::llvm_backend

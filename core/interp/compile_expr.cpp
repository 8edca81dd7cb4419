#include "core/interp/compiler.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/support/check.h"

namespace tw::interp {

using ir::DType;
using ir::OpId;

namespace {

class AccessFinder final : public ir::Visitor {
public:
    using ir::Visitor::visit;
    bool found = false;
    void visit(const ir::Expr& e) override
    {
        if (!e || found)
            return;
        if (e->kind == ir::ExprKind::kLoad)
            found = true;
        else if (const auto* call = ir::as<ir::Call>(e); call && ir::info(call->call.op).cls != ir::OpClass::kMath)
            found = true;
        else
            ir::Visitor::visit(e);
    }
};

Finish finishOf(DType type)
{
    return type.isFloating() ? Finish::kRound : Finish::kWrap;
}

}  // namespace

Effort effortOf(ir::BinaryOp op, DType type)
{
    if (op == ir::BinaryOp::kMul && type.isFloating())
        return Effort::kMultiply;
    if (op == ir::BinaryOp::kDiv && type.isFloating())
        return Effort::kLong;
    return type.isFloating() && (op == ir::BinaryOp::kAdd || op == ir::BinaryOp::kSub) ? Effort::kSimple : Effort::kNarrow;
}

Effort effortOf(OpId op)
{
    switch (op) {
    case OpId::kMul2: case OpId::kIeeeMul: return Effort::kMultiply;
    case OpId::kMax2: case OpId::kMin2: return Effort::kNarrow;
    case OpId::kExp: case OpId::kExp2: case OpId::kLog: case OpId::kLog2: case OpId::kRsqrt: case OpId::kFastExp: case OpId::kFastExp10:
    case OpId::kFastLog: case OpId::kFastLog2: case OpId::kFastLog10: case OpId::kFastSin: case OpId::kFastCos: case OpId::kFastRcp:
        return Effort::kSpecial;
    case OpId::kExp10: case OpId::kLog10: case OpId::kLog1p: case OpId::kSqrt: case OpId::kSin: case OpId::kCos: case OpId::kTan:
    case OpId::kAsin: case OpId::kAcos: case OpId::kAtan: case OpId::kSinh: case OpId::kCosh: case OpId::kTanh: case OpId::kAsinh:
    case OpId::kAcosh: case OpId::kAtanh: case OpId::kErf: case OpId::kSigmoid: case OpId::kPow: case OpId::kFmod: case OpId::kAtan2:
    case OpId::kHypot: case OpId::kFastTan: case OpId::kIeeeDiv: case OpId::kIeeeRcp: case OpId::kIeeeSqrt: case OpId::kIeeeRsqrt:
        return Effort::kLong;
    default: return Effort::kSimple;
    }
}

bool hasAccess(const ir::Expr& e)
{
    AccessFinder finder;
    finder.visit(e);
    return finder.found;
}

Compiler::Value Compiler::expr(const ir::Expr& e)
{
    TW_CHECK(e != nullptr, "an expression is missing");
    switch (e->kind) {
    case ir::ExprKind::kIntImm: return {intConstant(ir::as<ir::IntImm>(e)->value), false};
    case ir::ExprKind::kFloatImm: {
        Lane lane{};
        lane.f = ir::as<ir::FloatImm>(e)->value;
        return {constantSlot(lane, true), false};
    }
    case ir::ExprKind::kStringImm: return {intConstant(0), false};
    case ir::ExprKind::kVar: {
        const auto found = vars_.find(e.get());
        TW_CHECK(found != vars_.end(), "variable " + ir::as<ir::VarNode>(e)->name + " is not bound");
        if (found->second.level < static_cast<int>(parallelStack_.size()))
            p_.parallels[static_cast<std::size_t>(parallelStack_.back())].outerSlots.push_back(found->second.slot);
        return {found->second.slot, false};
    }
    case ir::ExprKind::kLoad: return load(*ir::as<ir::Load>(e));
    case ir::ExprKind::kUnary: {
        const auto& u = *ir::as<ir::Unary>(e);
        return element(unaryOp(u.op, u.a->dtype.element()), u.dtype, u.a->dtype, {expr(u.a)}, u.where);
    }
    case ir::ExprKind::kBinary: return binary(*ir::as<ir::Binary>(e));
    case ir::ExprKind::kSelect: return select(*ir::as<ir::Select>(e));
    case ir::ExprKind::kCast: {
        const auto& c = *ir::as<ir::Cast>(e);
        return convert(expr(c.value), c.value->dtype, c.dtype, c.where);
    }
    case ir::ExprKind::kCall: return call(*ir::as<ir::Call>(e));
    case ir::ExprKind::kRamp: {
        const auto& r = *ir::as<ir::Ramp>(e);
        const Value base = expr(r.base);
        const Value stride = expr(r.stride);
        const int dst = newSlot();
        emit({.op = Op::kRamp, .type = r.dtype, .dst = dst, .a = base.slot, .b = stride.slot, .extra = r.dtype.lanes,
              .where = r.where});
        release(base);
        release(stride);
        return {dst, true};
    }
    case ir::ExprKind::kBroadcast: {
        const auto& b = *ir::as<ir::Broadcast>(e);
        const Value value = expr(b.value);
        const int dst = newSlot();
        emit({.op = Op::kBroadcast, .type = b.dtype, .dst = dst, .a = value.slot, .extra = b.dtype.lanes, .where = b.where});
        release(value);
        return {dst, true};
    }
    case ir::ExprKind::kLane: {
        const auto& l = *ir::as<ir::Lane>(e);
        const Value vector = expr(l.vector);
        const int dst = newSlot();
        emit({.op = Op::kLane, .type = l.dtype, .dst = dst, .a = vector.slot, .extra = l.index, .where = l.where});
        release(vector);
        return {dst, true};
    }
    }
    TW_UNREACHABLE("expression kind");
}

Compiler::Value Compiler::element(ElementOp op, DType result, DType operandType, const std::vector<Value>& operands,
                                  const ir::Provenance& where)
{
    TW_CHECK(op.fn != nullptr, "an element operation does not exist for " + operandType.name());
    Instr instr{.op = Op::kElement, .type = result, .from = operandType, .element = op, .where = where};
    instr.dst = newSlot();
    instr.a = !operands.empty() ? operands[0].slot : -1;
    instr.b = operands.size() > 1 ? operands[1].slot : -1;
    instr.c = operands.size() > 2 ? operands[2].slot : -1;
    emit(instr);
    for (const Value v : operands)
        release(v);
    return {instr.dst, true};
}

Compiler::Value Compiler::convert(Value v, DType from, DType to, const ir::Provenance& where)
{
    if (from.scalar == to.scalar && from.lanes == to.lanes)
        return v;
    if (from.lanes == 1 && to.lanes > 1) {
        const Value scalar = convert(v, from, to.element(), where);
        const int wide = newSlot();
        emit({.op = Op::kBroadcast, .type = to, .dst = wide, .a = scalar.slot, .extra = to.lanes, .where = where});
        release(scalar);
        return {wide, true};
    }
    const int dst = newSlot();
    emit({.op = Op::kCast, .effort = Effort::kNarrow, .type = to, .from = from, .dst = dst, .a = v.slot, .where = where});
    release(v);
    return {dst, true};
}

Compiler::Value Compiler::exprAs(const ir::Expr& e, DType type) { return convert(expr(e), e->dtype, type, e->where); }

void Compiler::move(int dst, Value v, DType type)
{
    emit({.op = Op::kMove, .type = type, .dst = dst, .a = v.slot});
    release(v);
}

Compiler::Value Compiler::load(const ir::Load& e)
{
    std::vector<Value> temporaries;
    const int access = accessOf(e.buffer, e.indices, temporaries, false);
    const int dst = newSlot();
    emit({.op = Op::kLoad, .type = e.dtype, .dst = dst, .extra = access, .where = e.where});
    release(temporaries);
    const DType stored = p_.buffers[static_cast<std::size_t>(p_.accesses[static_cast<std::size_t>(access)].buffer)].type;
    return convert({dst, true}, stored, e.dtype, e.where);
}

Compiler::Value Compiler::binary(const ir::Binary& e)
{
    if ((e.op == ir::BinaryOp::kAnd || e.op == ir::BinaryOp::kOr) && hasAccess(e.b))
        return lazyLogical(e);
    const Value a = expr(e.a);
    const Value b = expr(e.b);
    ElementOp op = binaryOp(e.op, e.a->dtype.element());
    if (!op.fn) {
        unsupported(e.where, "this operator on " + e.a->dtype.name());
        return a;
    }
    if (op.finish == Finish::kWrap && e.dtype.isFloating())
        op.finish = finishOf(e.dtype);
    const Value result = element(op, e.dtype, e.a->dtype, {a, b}, e.where);
    p_.code.back().effort = effortOf(e.op, e.a->dtype);
    return result;
}

// a and b: b is evaluated where a holds only, because a may guard b's accesses.
Compiler::Value Compiler::lazyLogical(const ir::Binary& e)
{
    const bool isAnd = e.op == ir::BinaryOp::kAnd;
    const Value a = expr(e.a);
    const int result = newSlot();
    emit({.op = Op::kZero, .dst = result});
    Value guard = a;
    if (!isAnd) {
        guard.slot = newSlot();
        guard.temporary = true;
        emit({.op = Op::kElement, .type = ir::kBool, .from = ir::kBool, .dst = guard.slot, .a = a.slot,
              .element = unaryOp(ir::UnaryOp::kNot, ir::kBool)});
    }
    const int test = emit({.op = Op::kIf, .a = guard.slot, .where = e.where});
    openMarker();
    move(result, expr(e.b), ir::kBool);
    const int end = emit({.op = Op::kEndIf, .where = e.where});
    closeMarker(end);
    wantMarker(end);
    p_.code[static_cast<std::size_t>(test)].target = end;
    const int dst = newSlot();
    Instr pick{.op = Op::kElement, .type = ir::kBool, .from = ir::kBool, .dst = dst, .element = {selectOp()}};
    pick.a = a.slot;
    pick.b = isAnd ? result : a.slot;
    pick.c = isAnd ? a.slot : result;
    emit(pick);
    release({result, true});
    if (!isAnd)
        release(guard);
    release(a);
    return {dst, true};
}

Compiler::Value Compiler::select(const ir::Select& e)
{
    const Value condition = convert(expr(e.condition), e.condition->dtype, ir::kBool, e.where);
    if (!e.lazy || (!hasAccess(e.then) && !hasAccess(e.otherwise))) {
        const Value a = expr(e.then);
        const Value b = expr(e.otherwise);
        const Value chosen = element({selectOp()}, e.dtype, e.dtype, {condition, a, b}, e.where);
        p_.code.back().effort = Effort::kNarrow;
        return chosen;
    }
    const int a = newSlot();
    const int b = newSlot();
    emit({.op = Op::kZero, .type = e.dtype, .dst = a});
    emit({.op = Op::kZero, .type = e.dtype, .dst = b});
    const int test = emit({.op = Op::kIf, .a = condition.slot, .where = e.where});
    openMarker();
    move(a, expr(e.then), e.dtype);
    const int otherwise = emit({.op = Op::kElse, .where = e.where});
    closeMarker(otherwise);
    openMarker();
    move(b, expr(e.otherwise), e.dtype);
    const int end = emit({.op = Op::kEndIf, .where = e.where});
    closeMarker(end);
    wantMarker(end);
    p_.code[static_cast<std::size_t>(test)].target = otherwise;
    p_.code[static_cast<std::size_t>(otherwise)].target = end;
    const Value chosen = element({selectOp()}, e.dtype, e.dtype, {condition, {a, true}, {b, true}}, e.where);
    p_.code.back().effort = Effort::kNarrow;
    return chosen;
}

Compiler::Value Compiler::math(const ir::Call& e)
{
    const auto operand = [&](std::size_t k) { return std::get<ir::Expr>(e.call.operands.at(k)); };
    switch (e.call.op) {
    case OpId::kLikely: return expr(operand(0));
    case OpId::kUndef: return {intConstant(0), false};
    case OpId::kReinterpret: {
        const Value v = expr(operand(0));
        const int dst = newSlot();
        emit({.op = Op::kReinterpret, .type = e.dtype, .from = operand(0)->dtype, .dst = dst, .a = v.slot, .where = e.where});
        release(v);
        return {dst, true};
    }
    case OpId::kShuffleVector: {
        std::vector<Value> lanes;
        std::vector<int> slots;
        for (std::size_t k = 0; k < e.call.operands.size(); ++k) {
            lanes.push_back(exprAs(operand(k), e.dtype.element()));
            slots.push_back(lanes.back().slot);
        }
        p_.lists.push_back(std::move(slots));
        const int dst = newSlot();
        emit({.op = Op::kPack, .type = e.dtype, .dst = dst, .extra = static_cast<int>(p_.lists.size()) - 1, .where = e.where});
        release(lanes);
        return {dst, true};
    }
    case OpId::kCastRounded: {
        const auto round = e.call.attrs.find("round"), sat = e.call.attrs.find("sat");
        const bool stochastic = round != e.call.attrs.end() && round->second == ir::Attr(std::string("rs")) && e.dtype.isFloating();
        const bool unsaturated = sat != e.call.attrs.end() && !std::get<bool>(sat->second);
        const Value v = expr(operand(0));
        if ((!stochastic && !unsaturated) || operand(0)->dtype.lanes != e.dtype.lanes)
            return convert(v, operand(0)->dtype, e.dtype, e.where);
        Instr cast{.op = Op::kCast, .effort = Effort::kNarrow, .type = e.dtype, .from = operand(0)->dtype, .dst = newSlot(), .a = v.slot, .where = e.where};
        cast.extra = (unsaturated ? kUnsaturated : 0) | (stochastic ? kStochastic : 0);
        const Value random = stochastic ? expr(operand(1)) : Value{};
        cast.b = random.slot;
        const int dst = cast.dst;
        emit(std::move(cast));
        release(v);
        release(random);
        return {dst, true};
    }
    default: break;
    }
    std::string mode;
    if (const auto found = e.call.attrs.find("rounding_mode"); found != e.call.attrs.end())
        if (const auto* text = std::get_if<std::string>(&found->second))
            mode = *text;
    const DType type = operand(0)->dtype;
    const ElementOp op = mathOp(e.call.op, type.element(), mode);
    std::vector<Value> operands;
    for (std::size_t k = 0; k < e.call.operands.size() && k < 3; ++k)
        operands.push_back(e.call.op == OpId::kFns ? expr(operand(k)) : exprAs(operand(k), type));
    if (!op.fn) {
        unsupported(e.where, "T." + std::string(ir::info(e.call.op).name) + " on " + type.name());
        return operands.front();
    }
    const Value result = element(op, type.isFloating() && e.dtype.isFloating() ? type : e.dtype, type, operands, e.where);
    p_.code.back().effort = effortOf(e.call.op);
    return type.isFloating() && e.dtype.isFloating() ? convert(result, type, e.dtype, e.where) : result;
}

Compiler::Value Compiler::call(const ir::Call& e)
{
    if (ir::info(e.call.op).cls == ir::OpClass::kMath)
        return math(e);
    return operation(e.call, e.dtype, e.where, true);
}

}  // namespace tw::interp

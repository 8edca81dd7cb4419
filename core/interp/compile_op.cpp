#include "core/interp/compiler.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/support/check.h"

namespace tw::interp {

using ir::DType;
using ir::OpClass;
using ir::OpId;

namespace {

bool isElementAtomic(const ir::OpCall& call)
{
    for (std::size_t k = 1; k < call.operands.size(); ++k)
        if (const auto* e = std::get_if<ir::Expr>(&call.operands[k]); e && *e)
            return ir::isPoint(std::get<ir::Region>(call.operands[0]));  // one value for a whole region is a tile operation
    return call.op == OpId::kAtomicLoad || call.op == OpId::kAtomicAddX2 || call.op == OpId::kAtomicAddX4;
}

// Operations whose second operand is a value for the first one's elements.
bool takesElementValue(OpId op)
{
    switch (op) {
    case OpId::kFill: case OpId::kReducerInit: case OpId::kReducerUpdate: case OpId::kAtomicAdd: case OpId::kAtomicMax:
    case OpId::kAtomicMin: case OpId::kAtomicOr: case OpId::kAtomicStore: return true;
    default: return false;
    }
}

bool isRegion(const ir::Operand& operand) { return std::holds_alternative<ir::Region>(operand); }

}  // namespace

bool isHeavy(const ir::OpCall& call)
{
    switch (ir::info(call.op).cls) {
    case OpClass::kCopy: case OpClass::kFill: case OpClass::kScan: return true;
    case OpClass::kProduct: return call.op != OpId::kDp4a && ir::info(call.op).stage != ir::StageMask::kThread;
    case OpClass::kReduce: return call.op != OpId::kAnyOf && call.op != OpId::kAllOf;
    case OpClass::kReducer: return call.op != OpId::kReducerUpdate;
    case OpClass::kAtomic: return !isElementAtomic(call);
    case OpClass::kBarrier:
        switch (call.op) {
        case OpId::kSyncWarp: case OpId::kTileEnter: case OpId::kTileLeave: case OpId::kFenceBarrierInit: case OpId::kFenceProxyAsync: case OpId::kNamedBarrierArrive:
        case OpId::kBarrierArrive: case OpId::kBarrierExpectTx: case OpId::kBarrierArriveExpectTx:
        case OpId::kCpAsyncBarrier: case OpId::kClusterArrive: case OpId::kClusterArriveRelaxed: case OpId::kBarrierInit: return false;
        default: return true;
        }
    default: return false;
    }
}

OpRecord Compiler::recordOf(const ir::OpCall& call, std::vector<Value>& temporaries)
{
    const ir::OpInfo& info = ir::info(call.op);
    OpRecord record;
    record.op = call.op;
    record.attrs = &call.attrs;
    record.id = nextOpId_++;
    record.tile = isHeavy(call);
    const auto value = [&](const ir::Expr& e) {
        OperandRecord operand;
        const Value v = expr(e);
        temporaries.push_back(v);
        operand.slot = v.slot;
        operand.type = e->dtype;
        return operand;
    };
    std::size_t given = 0;
    for (const ir::OperandInfo& wanted : info.operands) {
        const bool wantsValue = wanted.role == ir::Role::kValue;
        while (wanted.variadic && given < call.operands.size()) {
            const ir::Operand& operand = call.operands[given++];
            OperandRecord one;
            if (isRegion(operand))
                one.region = regionOf(std::get<ir::Region>(operand), temporaries);
            else if (const auto* e = std::get_if<ir::Expr>(&operand); e && *e)
                one = value(*e);
            record.operands.push_back(one);
        }
        if (wanted.variadic)
            break;
        OperandRecord one;
        if (given < call.operands.size()) {
            const ir::Operand& operand = call.operands[given];
            const auto* e = std::get_if<ir::Expr>(&operand);
            if (e && !*e) {
                ++given;  // absent
            } else if (e && wantsValue) {
                one = value(*e);
                ++given;
            } else if (isRegion(operand) && !wantsValue) {
                one.region = regionOf(std::get<ir::Region>(operand), temporaries);
                ++given;
            } else if (e && !wanted.optional) {
                one = value(*e);  // an address given as a value
                ++given;
            }
        }
        record.operands.push_back(one);
    }
    return record;
}

void Compiler::annotation(const ir::OpCall& call, const ir::Provenance& where)
{
    if (call.op != OpId::kAnnotateSafeValue)
        return;  // hints: they change no value
    const auto* region = std::get_if<ir::Region>(&call.operands.at(0));
    const auto* value = std::get_if<ir::Expr>(&call.operands.at(1));
    TW_CHECK(region && value, "annotate_safe_value takes a buffer and a value");
    std::vector<Value> temporaries;
    BufferInfo info = p_.buffers[static_cast<std::size_t>(bufferOf(region->buffer, temporaries))];
    const int slot = permanent();
    move(slot, convert(expr(*value), (*value)->dtype, info.type, where), info.type);
    info.safeSlot = slot;
    p_.buffers.push_back(std::move(info));
    buffers_[region->buffer.get()] = static_cast<int>(p_.buffers.size()) - 1;
    release(temporaries);
}

// A stage record (core/passes/record_stages.h) changes no value; an observer may want to know when it is reached.
Compiler::Value Compiler::record(const ir::OpCall& call, const ir::Provenance& where)
{
    const auto* event = call.operands.empty() ? nullptr : std::get_if<ir::Expr>(&call.operands[0]);
    if (const std::int64_t* number = event ? ir::asInt(*event) : nullptr)
        emit({.op = Op::kRecord, .extra = static_cast<int>(*number), .where = where});
    return {};
}

Compiler::Value Compiler::operation(const ir::OpCall& call, DType type, const ir::Provenance& where, bool wantsResult)
{
    const ir::OpInfo& info = ir::info(call.op);
    if (info.cls == OpClass::kMath)  // evaluated for nothing
        return math(ir::Call(type.isVoid() ? ir::kInt32 : type, call, where));
    if (info.cls == OpClass::kAnnotation) {
        annotation(call, where);
        return {};
    }
    if (call.op == OpId::kStageRecord)
        return record(call, where);
    if (info.cls == OpClass::kExtern) {
        unsupported(where, "calling C source");
        return {intConstant(0), false};
    }
    if (!parallelStack_.empty() && (info.cls == OpClass::kWarp || info.cls == OpClass::kThread ||
                                    info.cls == OpClass::kBarrier || info.cls == OpClass::kRandom))
        p_.parallels[static_cast<std::size_t>(parallelStack_.back())].threadBound = true;
    std::vector<Value> temporaries;
    OpRecord record = recordOf(call, temporaries);
    record.type = type;
    if (takesElementValue(call.op) && record.operands.size() > 1 && record.operands[1].slot >= 0) {
        const DType stored = p_.buffers[static_cast<std::size_t>(record.operands[0].region.buffer)].type;
        const Value converted =
            convert({record.operands[1].slot, false}, record.operands[1].type, stored, where);
        temporaries.push_back(converted);
        record.operands[1].slot = converted.slot;
        record.operands[1].type = stored;
    }
    const bool heavy = record.tile;
    p_.ops.push_back(std::move(record));
    Instr instr{.op = Op::kOp, .heavy = heavy, .type = type, .extra = static_cast<int>(p_.ops.size()) - 1, .where = where};
    instr.dst = wantsResult ? newSlot() : -1;
    emit(instr);
    release(temporaries);
    return {instr.dst, wantsResult};
}

}  // namespace tw::interp

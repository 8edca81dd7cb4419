// Statement-level operations: dispatch, T.print, T.device_assert.
#include "codegen/llvm/emitter.h"

#include "core/support/check.h"

namespace tw::llvm_backend {

using ir::OpId;
using llvm::Value;

void Emitter::operation(const ir::OpStmt& s)
{
    const ir::OpCall& call = s.call;
    switch (ir::info(call.op).cls) {
    case ir::OpClass::kAnnotation: case ir::OpClass::kAsync:
        return;  // copies are synchronous here
    case ir::OpClass::kProduct:
        if (call.op == OpId::kDp4a)
            return dp4a(call);
        if (call.op == OpId::kGemm)
            return gemm(call);
        break;
    case ir::OpClass::kAtomic:
        atomic(call, ir::kVoid);
        return;
    case ir::OpClass::kMemory:
        if (call.op == OpId::kCpAsync)
            return cpAsync(call);
        if (call.op == OpId::kStg || call.op == OpId::kSts)
            wideMemory(call, ir::kVoid);
        return;
    case ir::OpClass::kWarp:
        if (call.op == OpId::kThreadAllreduce)
            return allReduce(call);
        return;
    case ir::OpClass::kBarrier:
        return barrierOperation(call);
    case ir::OpClass::kDebug:
        if (call.op == OpId::kPrint)
            return print(call, s.where);
        return deviceAssert(call, s.where);
    case ir::OpClass::kMath: case ir::OpClass::kThread:
        return;  // no effect
    case ir::OpClass::kRandom:
        if (call.op == OpId::kRngInit)
            return randomInit(call);
        return;
    default:
        break;
    }
    notSupported(s.where, "T." + std::string(ir::info(call.op).name));
}

namespace {

std::string stringAttr(const ir::OpCall& call, const char* name)
{
    const auto found = call.attrs.find(name);
    return found != call.attrs.end() && std::holds_alternative<std::string>(found->second) ? std::get<std::string>(found->second) : std::string();
}

}  // namespace

void Emitter::printBuffer(const ir::Region& region, const std::string& message)
{
    const auto axis = [&](auto& self, std::size_t depth, Value* linear) -> void {
        if (depth == region.mins.size()) {
            printElement(message + region.buffer->name + ": ", region.buffer->dtype,
                         loadElement(region.buffer->dtype, slot(region.buffer).base, linear));
            return;
        }
        Value* begin = index(region.mins[depth]);
        Value* stride = slot(region.buffer).strides[depth];
        countedLoop(begin, b_.CreateAdd(begin, index(region.extents[depth])), b_.getInt64(1), false,
                    [&](Value* i) { self(self, depth + 1, b_.CreateAdd(linear, b_.CreateMul(i, stride))); });
    };
    axis(axis, 0, b_.getInt64(0));
}

void Emitter::printElement(const std::string& prefix, ir::DType type, Value* value)
{
    for (std::uint64_t lane = 0; lane < type.lanes; ++lane) {
        Value* one = type.lanes > 1 ? b_.CreateExtractElement(value, lane) : value;
        Value* raw = encode(one, type.element());
        raw = b_.CreateBitCast(raw, b_.getIntNTy(static_cast<unsigned>(raw->getType()->getPrimitiveSizeInBits())));
        Value* bits = type.isSigned() ? b_.CreateSExt(raw, b_.getInt64Ty()) : b_.CreateZExt(raw, b_.getInt64Ty());
        b_.CreateCall(runtime("tw_print_value", b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt32Ty(), b_.getInt64Ty(), b_.getPtrTy()}),
                      {state_.run, text(prefix), b_.getInt32(static_cast<std::uint32_t>(type.scalar)), bits, text("\n")});
    }
}

void Emitter::print(const ir::OpCall& call, const ir::Provenance& /*where*/)
{
    const std::string message = stringAttr(call, "msg");
    const std::string prefix = message.empty() ? "" : message + ": ";
    for (const ir::Operand& operand : call.operands) {
        if (const auto* value = std::get_if<ir::Expr>(&operand); value && *value) {
            if ((*value)->kind == ir::ExprKind::kStringImm)
                b_.CreateCall(runtime("tw_print_text", b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy()}),
                              {state_.run, text(prefix + static_cast<const ir::StringImm&>(**value).value + "\n")});
            else
                printElement(prefix, (*value)->dtype, expression(*value));
            return;
        }
        if (const auto* region = std::get_if<ir::Region>(&operand); region && region->buffer)
            return printBuffer(*region, prefix);
    }
    b_.CreateCall(runtime("tw_print_text", b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy()}), {state_.run, text(message + "\n")});
}

// A failed assertion ends the thread; the launch stops between blocks and the run fails.
void Emitter::deviceAssert(const ir::OpCall& call, const ir::Provenance& /*where*/)
{
    llvm::BasicBlock* failed = newBlock("assert.failed");
    llvm::BasicBlock* next = newBlock("assert.ok");
    b_.CreateCondBr(condition(std::get<ir::Expr>(call.operands[0])), next, failed);
    b_.SetInsertPoint(failed);
    const auto line = b_.getCurrentDebugLocation() ? b_.getCurrentDebugLocation().getLine() : 0;
    b_.CreateCall(runtime("tw_device_assert", b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt32Ty()}),
                  {state_.run, text(stringAttr(call, "msg")), b_.getInt32(line)});
    b_.CreateBr(state_.returnTo ? state_.returnTo : next);
    b_.SetInsertPoint(next);
}

void Emitter::randomInit(const ir::OpCall&) { notSupported({}, "random numbers"); }

Value* Emitter::randomValue(const ir::Call& call)
{
    notSupported(call.where, "random numbers");
    return llvm::Constant::getNullValue(valueType(call.dtype));
}

}  // namespace tw::llvm_backend

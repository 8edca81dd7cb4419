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

// "msg='…' BlockIdx=(…), ThreadIdx=(…)": the runtime fills in the indices from the linear ones.
Value* Emitter::printHead(const std::string& message)
{
    const auto component = [&](const ir::Var& var) { return var ? state_.vars.at(var.get()) : static_cast<Value*>(b_.getInt64(0)); };
    std::vector<Value*> arguments{state_.run, text(message.empty() ? "" : "msg='" + message + "' ")};
    std::vector<llvm::Type*> types{b_.getPtrTy(), b_.getPtrTy()};
    for (std::size_t axis = 0; axis < 3; ++axis)
        arguments.push_back(launch_ && axis < launch_->blockVars.size() ? component(launch_->blockVars[axis]) : b_.getInt64(0));
    for (std::size_t axis = 0; axis < 3; ++axis)
        arguments.push_back(launch_ ? component(launch_->threadVars[axis]) : b_.getInt64(0));
    types.insert(types.end(), 6, b_.getInt64Ty());
    return b_.CreateCall(runtime("tw_print_head", b_.getVoidTy(), types), arguments);
}

void Emitter::printBuffer(const ir::Region& region, const std::string& message)
{
    Value* counter = entryAlloca(b_.getInt64Ty(), 1, 8);
    b_.CreateStore(b_.getInt64(0), counter);
    const auto axis = [&](auto& self, std::size_t depth, Value* linear) -> void {
        if (depth == region.mins.size()) {
            printHead(message);
            Value* index = b_.CreateLoad(b_.getInt64Ty(), counter);
            b_.CreateStore(b_.CreateAdd(index, b_.getInt64(1)), counter);
            b_.CreateCall(runtime("tw_print_index", b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty()}),
                          {state_.run, text(region.buffer->name), index});
            printElement(", ", region.buffer->dtype, loadElement(region.buffer->dtype, slot(region.buffer).base, linear));
            return;
        }
        Value* begin = index(region.mins[depth]);
        Value* stride = slot(region.buffer).strides[depth];
        countedLoop(begin, b_.CreateAdd(begin, index(region.extents[depth])), b_.getInt64(1), false,
                    [&](Value* i) { self(self, depth + 1, b_.CreateAdd(linear, b_.CreateMul(i, stride))); });
    };
    axis(axis, 0, b_.getInt64(0));
}

void Emitter::printText(const std::string& value)
{
    b_.CreateCall(runtime("tw_print_text", b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy()}), {state_.run, text(value)});
}

void Emitter::printElement(const std::string& before, ir::DType type, Value* value)
{
    printText(before + "dtype=" + type.name() + " value=");
    for (std::uint64_t lane = 0; lane < type.lanes; ++lane) {
        Value* one = type.lanes > 1 ? b_.CreateExtractElement(value, lane) : value;
        Value* raw = encode(one, type.element());
        raw = b_.CreateBitCast(raw, b_.getIntNTy(static_cast<unsigned>(raw->getType()->getPrimitiveSizeInBits())));
        Value* bits = type.isSigned() ? b_.CreateSExt(raw, b_.getInt64Ty()) : b_.CreateZExt(raw, b_.getInt64Ty());
        b_.CreateCall(runtime("tw_print_value", b_.getVoidTy(), {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt64Ty()}),
                      {state_.run, b_.getInt32(static_cast<std::uint32_t>(type.scalar)), bits});
        printText(lane + 1 < type.lanes ? " " : "\n");
    }
}

void Emitter::print(const ir::OpCall& call, const ir::Provenance& /*where*/)
{
    const std::string message = stringAttr(call, "msg");
    for (const ir::Operand& operand : call.operands) {
        if (const auto* value = std::get_if<ir::Expr>(&operand); value && *value && (*value)->kind != ir::ExprKind::kStringImm) {
            Value* number = expression(*value);
            printHead(message);
            return printElement(": ", (*value)->dtype, number);
        }
        if (const auto* region = std::get_if<ir::Region>(&operand); region && region->buffer)
            return printBuffer(*region, message);
    }
    printHead(message);
    printText("\n");
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

}  // namespace tw::llvm_backend

// Random numbers: calls of the runtime, which keeps a counter for each thread.
#include "codegen/llvm/emitter.h"

#include "core/ir/call.h"
#include "core/support/check.h"

namespace tw::llvm_backend {

using ir::OpId;
using llvm::Value;

// Whose counter: the thread's own, or in a nest that one thread runs for all the one of the iteration's thread.
Value* Emitter::randomLane() { return state_.lane ? state_.lane : b_.getInt64(static_cast<std::uint64_t>(-1)); }

void Emitter::randomInit(const ir::OpCall& call)
{
    TW_CHECK(launch_ && state_.threads, "random numbers outside threads");
    const auto operand = [&](const char* name) {
        const ir::Expr e = ir::exprOperand(call, name);
        return e ? index(e) : static_cast<Value*>(b_.getInt64(0));
    };
    Value* sequence = operand("seq");
    const bool own = !ir::exprOperand(call, "seq");  // the number of the thread in the launch
    if (own) {
        for (std::size_t axis = launch_->blockVars.size(); axis-- > 0;)
            sequence = b_.CreateAdd(b_.CreateMul(sequence, index(launch_->grid[axis])), state_.vars.at(launch_->blockVars[axis].get()));
        sequence = b_.CreateMul(sequence, b_.getInt64(static_cast<std::uint64_t>(launch_->threads[0] * launch_->threads[1] * launch_->threads[2])));
    }
    b_.CreateCall(runtime("tw_random_start", b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty()}),
                  {state_.run, randomLane(), operand("seed"), sequence, operand("offset"), b_.getInt64(own)});
}

Value* Emitter::randomValue(const ir::Call& call)
{
    TW_CHECK(state_.threads, "random numbers outside threads");
    locate(call.where);
    const std::vector<llvm::Type*> types{b_.getPtrTy(), b_.getInt64Ty(), b_.getInt32Ty()};
    const std::vector<Value*> arguments{state_.run, randomLane(), b_.getInt32(b_.getCurrentDebugLocation().getLine())};
    if (call.call.op == OpId::kRngRand)
        return convert(b_.CreateCall(runtime("tw_random_bits", b_.getInt32Ty(), types), arguments), ir::kUInt32, call.dtype);
    const auto dist = call.call.attrs.find("dist");
    const bool normal = dist != call.call.attrs.end() && dist->second == ir::Attr(std::string("normal"));
    return convert(b_.CreateCall(runtime(normal ? "tw_random_normal" : "tw_random_uniform", b_.getDoubleTy(), types), arguments), ir::kFloat64, call.dtype);
}

}  // namespace tw::llvm_backend

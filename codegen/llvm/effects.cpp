// Operations with effects: atomics, wide memory accesses, warps, barriers.
#include "codegen/llvm/emitter.h"

#include "codegen/llvm/runtime.h"
#include "core/support/check.h"

namespace tw::llvm_backend {

using ir::DType;
using ir::OpId;
using llvm::Value;

namespace {

const ir::Expr* exprOperand(const ir::OpCall& call, std::size_t i)
{
    return i < call.operands.size() ? std::get_if<ir::Expr>(&call.operands[i]) : nullptr;
}

bool isSet(const ir::Expr* e) { return e && *e; }

std::int64_t intAttr(const ir::OpCall& call, const char* name, std::int64_t otherwise)
{
    const auto found = call.attrs.find(name);
    return found != call.attrs.end() && std::holds_alternative<std::int64_t>(found->second) ? std::get<std::int64_t>(found->second) : otherwise;
}

}  // namespace

Value* Emitter::callValue(const ir::Call& call)
{
    const ir::OpInfo& op = ir::info(call.call.op);
    switch (op.cls) {
    case ir::OpClass::kMath: return mathCall(call);
    case ir::OpClass::kAtomic: return atomic(call.call, call.dtype);
    case ir::OpClass::kMemory: return wideMemory(call.call, call.dtype);
    case ir::OpClass::kThread: return threadIndex(call);
    case ir::OpClass::kWarp: case ir::OpClass::kBarrier: return warpOperation(call);
    case ir::OpClass::kRandom: return randomValue(call);
    case ir::OpClass::kReduce:
        if (call.call.op == OpId::kAnyOf || call.call.op == OpId::kAllOf)
            return convert(regionAny(std::get<ir::Region>(call.call.operands[0]), call.call.op == OpId::kAllOf), ir::kBool, call.dtype);
        [[fallthrough]];
    default:
        notSupported(call.where, "T." + std::string(op.name));
        return llvm::Constant::getNullValue(valueType(call.dtype.isVoid() ? ir::kInt32 : call.dtype));
    }
}

// ---- atomics ----

Value* Emitter::atomicLoop(OpId op, DType type, Value* base, Value* index, Value* value)
{
    llvm::Type* bitsType = b_.getIntNTy(static_cast<unsigned>(type.bits()));
    Value* address = elementAddress(type, base, index);
    const auto align = llvm::MaybeAlign(static_cast<std::uint64_t>(type.bits() / 8));
    llvm::BasicBlock* from = b_.GetInsertBlock();
    llvm::BasicBlock* loop = newBlock("atomic");
    llvm::BasicBlock* done = newBlock("atomic.end");
    auto* first = b_.CreateAlignedLoad(bitsType, address, align);
    first->setAtomic(llvm::AtomicOrdering::Monotonic);
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    auto* seen = b_.CreatePHI(bitsType, 2);
    seen->addIncoming(first, from);
    Value* old = decode(b_.CreateBitCast(seen, storageType(type)), type);
    const auto kind = op == OpId::kAtomicMax ? ir::BinaryOp::kMax : op == OpId::kAtomicMin ? ir::BinaryOp::kMin : ir::BinaryOp::kAdd;
    Value* fresh = b_.CreateBitCast(encode(arithmetic(kind, type, old, value), type), bitsType);
    auto* exchange = b_.CreateAtomicCmpXchg(address, seen, fresh, align, llvm::AtomicOrdering::SequentiallyConsistent, llvm::AtomicOrdering::Monotonic);
    seen->addIncoming(b_.CreateExtractValue(exchange, 0), b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateExtractValue(exchange, 1), done, loop);
    b_.SetInsertPoint(done);
    return decode(b_.CreateBitCast(b_.CreateExtractValue(exchange, 0), storageType(type)), type);
}

Value* Emitter::atomicUpdate(OpId op, DType type, Value* base, Value* index, Value* value)
{
    if (type.isFloating() || type.bits() < 8)
        return atomicLoop(op, type, base, index, value);
    using Op = llvm::AtomicRMWInst::BinOp;
    const bool s = type.isSigned();
    const Op kind = op == OpId::kAtomicMax ? (s ? Op::Max : Op::UMax) : op == OpId::kAtomicMin ? (s ? Op::Min : Op::UMin)
                  : op == OpId::kAtomicOr ? Op::Or : Op::Add;
    return b_.CreateAtomicRMW(kind, elementAddress(type, base, index), value, llvm::MaybeAlign(), llvm::AtomicOrdering::SequentiallyConsistent);
}

Value* Emitter::atomic(const ir::OpCall& call, DType result)
{
    const ir::Region& target = std::get<ir::Region>(call.operands[0]);
    const DType type = target.buffer->dtype;
    Value* linear = linearIndex(target.buffer, target.mins);
    Value* base = slot(target.buffer).base;
    if (call.op == OpId::kAtomicLoad || call.op == OpId::kAtomicStore) {
        Value* address = elementAddress(type, base, linear);
        llvm::Type* bitsType = b_.getIntNTy(static_cast<unsigned>(type.bits()));
        const auto align = llvm::Align(static_cast<std::uint64_t>(type.bits() / 8));
        if (call.op == OpId::kAtomicLoad) {
            auto* load = b_.CreateAlignedLoad(bitsType, address, align);
            load->setAtomic(llvm::AtomicOrdering::SequentiallyConsistent);
            return convert(decode(b_.CreateBitCast(load, storageType(type)), type), type, result.isVoid() ? type : result);
        }
        const ir::Expr& value = *exprOperand(call, 1);
        Value* raw = b_.CreateBitCast(encode(convert(expression(value), value->dtype, type), type), bitsType);
        auto* store = b_.CreateAlignedStore(raw, address, align);
        store->setAtomic(llvm::AtomicOrdering::SequentiallyConsistent);
        return raw;
    }
    if (call.op == OpId::kAtomicAddX2 || call.op == OpId::kAtomicAddX4) {
        const ir::Region& source = std::get<ir::Region>(call.operands[1]);
        Value* from = linearIndex(source.buffer, source.mins);
        for (std::uint64_t i = 0; i < (call.op == OpId::kAtomicAddX2 ? 2U : 4U); ++i) {
            Value* value = loadElement(source.buffer->dtype, slot(source.buffer).base, b_.CreateAdd(from, b_.getInt64(i)));
            atomicUpdate(OpId::kAtomicAdd, type, base, b_.CreateAdd(linear, b_.getInt64(i)), convert(value, source.buffer->dtype, type));
        }
        return b_.getInt32(0);
    }
    const ir::Expr* value = nullptr;
    for (std::size_t i = 1; i < call.operands.size() && !isSet(value); ++i)
        value = exprOperand(call, i);
    TW_CHECK(isSet(value), "a tile atomic reached the back end");
    Value* old = atomicUpdate(call.op, type, base, linear, convert(expression(*value), (*value)->dtype, type));
    return result.isVoid() || result.isHandle() ? old : convert(old, type, result);
}

// ---- wide memory accesses ----

Value* Emitter::wideMemory(const ir::OpCall& call, DType result)
{
    if (call.op == OpId::kAccessPtr || call.op == OpId::kAddressOf)
        return b_.CreatePtrToInt(addressOf(std::get<ir::Region>(call.operands[0])), b_.getInt64Ty());
    const ir::Region& region = std::get<ir::Region>(call.operands[0]);
    if (call.op == OpId::kRemoteAddress) {
        Value* here = slot(region.buffer).base;
        if (state_.threads)
            here = b_.CreateCall(runtime("tw_remote", b_.getPtrTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty()}), {state_.run, here, index(*exprOperand(call, 1))});
        return b_.CreatePtrToInt(here, b_.getInt64Ty());
    }
    if (call.op == OpId::kLdgReadOnly)
        return loadOf(region.buffer, region.mins);
    const bool store = call.op == OpId::kStg || call.op == OpId::kSts;
    const ir::Expr* predicate = exprOperand(call, store ? 2 : 1);
    Value* address = addressOf(region);
    llvm::BasicBlock* from = b_.GetInsertBlock();
    llvm::BasicBlock* done = nullptr;
    if (isSet(predicate)) {
        llvm::BasicBlock* access = newBlock("wide");
        done = newBlock("wide.end");
        Value* taken = condition(*predicate);
        from = b_.GetInsertBlock();
        b_.CreateCondBr(taken, access, done);
        b_.SetInsertPoint(access);
    }
    Value* loaded = nullptr;
    if (store) {
        const ir::Expr& value = *exprOperand(call, 1);
        b_.CreateAlignedStore(encode(expression(value), value->dtype), address, llvm::Align(1));
    } else {
        loaded = decode(b_.CreateAlignedLoad(storageType(result), address, llvm::Align(1)), result);
    }
    if (!done)
        return loaded;
    llvm::BasicBlock* last = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    if (!loaded)
        return nullptr;
    auto* phi = b_.CreatePHI(loaded->getType(), 2);
    phi->addIncoming(llvm::Constant::getNullValue(loaded->getType()), from);
    phi->addIncoming(loaded, last);
    return phi;
}

void Emitter::cpAsync(const ir::OpCall& call)
{
    const ir::Region& to = std::get<ir::Region>(call.operands[0]);
    const ir::Region& from = std::get<ir::Region>(call.operands[1]);
    const ir::Expr* predicate = exprOperand(call, 2);
    std::int64_t bytes = to.buffer->dtype.storageBytes(intAttr(call, "count", 1));
    Value* target = addressOf(to);
    llvm::BasicBlock* done = newBlock("cp.end");
    if (isSet(predicate)) {  // a false predicate fills with zeros
        llvm::BasicBlock* copy = newBlock("cp");
        llvm::BasicBlock* zero = newBlock("cp.zero");
        b_.CreateCondBr(condition(*predicate), copy, zero);
        b_.SetInsertPoint(zero);
        b_.CreateMemSet(target, b_.getInt8(0), static_cast<std::uint64_t>(bytes), llvm::MaybeAlign(1));
        b_.CreateBr(done);
        b_.SetInsertPoint(copy);
    }
    b_.CreateMemCpy(target, llvm::MaybeAlign(1), addressOf(from), llvm::MaybeAlign(1), static_cast<std::uint64_t>(bytes));
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
}

void Emitter::dp4a(const ir::OpCall& call)
{
    const ir::Region& a = std::get<ir::Region>(call.operands[0]);
    const ir::Region& c = std::get<ir::Region>(call.operands[1]);
    const ir::Region& sum = std::get<ir::Region>(call.operands[2]);
    Value* ia = linearIndex(a.buffer, a.mins);
    Value* ic = linearIndex(c.buffer, c.mins);
    Value* is = linearIndex(sum.buffer, sum.mins);
    const DType type = sum.buffer->dtype;
    Value* total = loadElement(type, slot(sum.buffer).base, is);
    for (std::uint64_t i = 0; i < 4; ++i) {
        Value* x = convert(loadElement(a.buffer->dtype, slot(a.buffer).base, b_.CreateAdd(ia, b_.getInt64(i))), a.buffer->dtype, type);
        Value* y = convert(loadElement(c.buffer->dtype, slot(c.buffer).base, b_.CreateAdd(ic, b_.getInt64(i))), c.buffer->dtype, type);
        total = b_.CreateAdd(total, b_.CreateMul(x, y));
    }
    storeElement(type, slot(sum.buffer).base, is, total);
}

// ---- threads and warps ----

Value* Emitter::linearThread()
{
    return state_.threads ? static_cast<Value*>(state_.function->getArg(3)) : b_.getInt64(0);
}

Value* Emitter::threadIndex(const ir::Call& call)
{
    const auto number = [&](std::size_t i, std::uint64_t otherwise) {
        const ir::Expr* e = exprOperand(call.call, i);
        return isSet(e) ? index(*e) : static_cast<Value*>(b_.getInt64(otherwise));
    };
    Value* thread = linearThread();
    Value* result = nullptr;
    switch (call.call.op) {
    case OpId::kLaneIdx: result = b_.CreateURem(thread, number(0, 32)); break;
    case OpId::kWarpIdx: case OpId::kWarpIdxSync: result = b_.CreateUDiv(thread, number(0, 32)); break;
    case OpId::kWarpGroupIdx: result = b_.CreateUDiv(thread, b_.CreateMul(number(0, 32), number(1, 4))); break;
    case OpId::kBlockRank:
        result = state_.threads ? b_.CreateCall(runtime("tw_cluster_rank", b_.getInt64Ty(), {b_.getPtrTy()}), {state_.run})
                                : static_cast<Value*>(b_.getInt64(0));
        break;
    case OpId::kShuffleElect: {
        Value* n = number(0, 0);
        const std::uint64_t all = launch_ ? static_cast<std::uint64_t>(launch_->threads[0] * launch_->threads[1] * launch_->threads[2]) : 1;
        n = b_.CreateSelect(b_.CreateICmpEQ(n, b_.getInt64(0)), b_.getInt64(all), n);
        return convert(b_.CreateICmpEQ(b_.CreateURem(thread, n), b_.getInt64(0)), ir::kBool, call.dtype);
    }
    default: TW_UNREACHABLE("thread index");
    }
    return b_.CreateTrunc(result, valueType(call.dtype));
}

// Everything that threads of a warp or block exchange goes through one runtime call: (fiber, site, kind, group of threads,
// element type, bits, argument, width). The runtime resumes the group when all its threads are there.
Value* Emitter::warpOperation(const ir::Call& call)
{
    using K = ExchangeKind;
    if (call.call.op == OpId::kTileEnter) {
        if (!state_.threads)
            return b_.getTrue();
        Value* site = b_.getInt32(static_cast<std::uint32_t>(sites_++));
        return b_.CreateCall(runtime("tw_tile_enter", b_.getInt1Ty(), {b_.getPtrTy(), b_.getInt32Ty()}), {state_.run, site});
    }
    const ir::Expr* first = exprOperand(call.call, 0);
    const auto at = [&](std::size_t i, std::uint64_t otherwise) {
        const ir::Expr* e = exprOperand(call.call, i);
        return isSet(e) ? index(*e) : static_cast<Value*>(b_.getInt64(otherwise));
    };
    if (!state_.threads) {
        notSupported(call.where, "T." + std::string(ir::info(call.call.op).name) + " outside threads");
        return llvm::Constant::getNullValue(valueType(call.dtype));
    }
    K kind{};
    Value* argument = b_.getInt64(0);
    Value* width = b_.getInt64(32);
    Value* group = b_.CreateUDiv(linearThread(), b_.getInt64(32));
    switch (call.call.op) {
    case OpId::kShflSync: kind = K::kShuffle; break;
    case OpId::kShflXor: kind = K::kShuffleXor; break;
    case OpId::kShflDown: kind = K::kShuffleDown; break;
    case OpId::kShflUp: kind = K::kShuffleUp; break;
    case OpId::kAnySync: kind = K::kAny; break;
    case OpId::kAllSync: kind = K::kAll; break;
    case OpId::kBallotSync: case OpId::kBallot: kind = K::kBallot; break;
    case OpId::kActiveMask: kind = K::kActive; break;
    case OpId::kMatchAny: kind = K::kMatchAny; break;
    case OpId::kMatchAll: kind = K::kMatchAll; break;
    case OpId::kWarpReduceSum: kind = K::kSum; break;
    case OpId::kWarpReduceMax: kind = K::kMax; break;
    case OpId::kWarpReduceMin: kind = K::kMin; break;
    case OpId::kWarpReduceBitAnd: kind = K::kBitAnd; break;
    case OpId::kWarpReduceBitOr: kind = K::kBitOr; break;
    case OpId::kSyncCount: kind = K::kBlockCount; break;
    case OpId::kSyncAnd: kind = K::kBlockAnd; break;
    case OpId::kSyncOr: kind = K::kBlockOr; break;
    default: TW_UNREACHABLE("warp operation");
    }
    if (kind <= K::kShuffleUp) {
        argument = at(1, 0);
        width = at(2, 32);
    }
    if (kind >= K::kBlockCount)
        group = b_.getInt64(static_cast<std::uint64_t>(-1));
    DType type = isSet(first) ? (*first)->dtype : ir::kInt32;
    Value* bits = b_.getInt64(0);
    if (isSet(first)) {
        const bool predicate = kind >= K::kAny && kind <= K::kBallot;
        Value* value = expression(*first);
        if (predicate || kind >= K::kBlockCount) {
            value = convert(value, type, ir::kBool);
            type = ir::kBool;
        }
        Value* raw = encode(value, type);
        const auto wide = static_cast<unsigned>(raw->getType()->getPrimitiveSizeInBits());
        raw = b_.CreateBitCast(raw, b_.getIntNTy(wide));
        bits = type.isSigned() ? b_.CreateSExt(raw, b_.getInt64Ty()) : b_.CreateZExt(raw, b_.getInt64Ty());
    }
    Value* result = b_.CreateCall(
        runtime("tw_exchange", b_.getInt64Ty(), {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty(), b_.getInt64Ty(), b_.getInt32Ty(),
                                                 b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty()}),
        {state_.run, b_.getInt32(static_cast<std::uint32_t>(sites_++)), b_.getInt32(static_cast<std::uint32_t>(kind)), group,
         b_.getInt32(static_cast<std::uint32_t>(type.scalar)), bits, argument, width});
    const bool carriesValue = kind <= K::kShuffleUp || (kind >= K::kSum && kind <= K::kBitOr);
    if (!carriesValue)
        return b_.CreateTrunc(result, valueType(call.dtype));
    const auto wide = static_cast<unsigned>(storageType(type)->getPrimitiveSizeInBits());
    Value* raw = b_.CreateBitCast(b_.CreateTrunc(result, b_.getIntNTy(wide)), storageType(type));
    return convert(decode(raw, type), type, call.dtype);
}

// tvm_thread_allreduce(value, dst, axes…): threads that agree in all other axes combine.
void Emitter::allReduce(const ir::OpCall& call)
{
    const ir::Expr& value = *exprOperand(call, 0);
    const ir::Region& target = std::get<ir::Region>(call.operands[1]);
    const auto found = call.attrs.find("combiner");
    const auto combiner = ir::parseCombiner(found == call.attrs.end() ? "sum" : std::get<std::string>(found->second)).value_or(ir::Combiner::kSum);
    Value* group = b_.getInt64(0);
    std::uint64_t scale = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        bool reduced = false;
        for (std::size_t i = 2; i < call.operands.size(); ++i)
            reduced = reduced || (isSet(exprOperand(call, i)) && exprOperand(call, i)->get() == launch_->threadVars[axis].get());
        if (!reduced && launch_->threadVars[axis])
            group = b_.CreateAdd(group, b_.CreateMul(state_.vars.at(launch_->threadVars[axis].get()), b_.getInt64(scale)));
        scale *= static_cast<std::uint64_t>(launch_->threads[axis]);
    }
    const DType type = target.buffer->dtype;
    const ExchangeKind kind = combiner == ir::Combiner::kMax ? ExchangeKind::kMax : combiner == ir::Combiner::kMin ? ExchangeKind::kMin
                            : combiner == ir::Combiner::kBitAnd ? ExchangeKind::kBitAnd : combiner == ir::Combiner::kBitOr ? ExchangeKind::kBitOr
                            : combiner == ir::Combiner::kProduct ? ExchangeKind::kProduct : ExchangeKind::kSum;
    Value* raw = encode(convert(expression(value), value->dtype, type), type);
    const auto wide = static_cast<unsigned>(raw->getType()->getPrimitiveSizeInBits());
    raw = b_.CreateBitCast(raw, b_.getIntNTy(wide));
    Value* bits = type.isSigned() ? b_.CreateSExt(raw, b_.getInt64Ty()) : b_.CreateZExt(raw, b_.getInt64Ty());
    Value* result = b_.CreateCall(
        runtime("tw_exchange", b_.getInt64Ty(), {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty(), b_.getInt64Ty(), b_.getInt32Ty(),
                                                 b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty()}),
        {state_.run, b_.getInt32(static_cast<std::uint32_t>(sites_++)), b_.getInt32(static_cast<std::uint32_t>(kind)), group,
         b_.getInt32(static_cast<std::uint32_t>(type.scalar)), bits, b_.getInt64(0), b_.getInt64(32)});
    Value* back = decode(b_.CreateBitCast(b_.CreateTrunc(result, b_.getIntNTy(wide)), storageType(type)), type);
    storeElement(type, slot(target.buffer).base, linearIndex(target.buffer, target.mins), back);
}

// ---- barriers ----

void Emitter::memoryBarrier(const ir::OpCall& call)
{
    if (!state_.threads)
        return;  // one thread runs everything in order: what it waits for has happened
    const ir::Region& region = std::get<ir::Region>(call.operands[0]);
    Value* element = linearIndex(region.buffer, region.mins);
    Value* base = slot(region.buffer).base;
    Value* barrier = b_.CreateInBoundsGEP(b_.getInt8Ty(), base, b_.CreateMul(element, b_.getInt64(sizeof(MemoryBarrier))));
    if (call.op == OpId::kBarrierWait) {
        b_.CreateCall(runtime("tw_barrier_wait", b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty()}),
                      {state_.run, barrier, b_.CreateAnd(index(*exprOperand(call, 1)), b_.getInt64(1))});
        return;
    }
    std::vector<llvm::Constant*> counts;
    for (const std::int64_t n : region.buffer->arrivals)
        counts.push_back(b_.getInt64(static_cast<std::uint64_t>(n)));
    auto* type = llvm::ArrayType::get(b_.getInt64Ty(), counts.size());
    auto* table = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::PrivateLinkage, llvm::ConstantArray::get(type, counts), "arrivals");
    Value* expected = b_.CreateLoad(b_.getInt64Ty(), b_.CreateInBoundsGEP(b_.getInt64Ty(), table, element));
    const ir::Expr* remote = call.op == OpId::kBarrierArrive ? exprOperand(call, 1) : nullptr;
    if (isSet(remote))
        barrier = b_.CreateCall(runtime("tw_remote", b_.getPtrTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty()}), {state_.run, barrier, index(*remote)});
    const bool announces = call.op == OpId::kBarrierExpectTx || call.op == OpId::kBarrierArriveExpectTx;
    Value* bytes = announces ? index(*exprOperand(call, 1)) : static_cast<Value*>(b_.getInt64(0));
    b_.CreateCall(runtime(call.op == OpId::kBarrierExpectTx ? "tw_barrier_bytes" : "tw_barrier_arrive", b_.getVoidTy(),
                          {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}),
                  {state_.run, barrier, expected, bytes});
}

void Emitter::barrierOperation(const ir::OpCall& call)
{
    if (!state_.threads)
        return;
    const auto simple = [&](const char* name) { b_.CreateCall(runtime(name, b_.getVoidTy(), {b_.getPtrTy()}), {state_.run}); };
    switch (call.op) {
    case OpId::kSyncThreads: case OpId::kNamedBarrierArrive: {
        const ir::Expr* id = exprOperand(call, 0);
        const ir::Expr* count = exprOperand(call, 1);
        const bool arrive = call.op == OpId::kNamedBarrierArrive;
        b_.CreateCall(runtime(arrive ? "tw_named_arrive" : "tw_sync", b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}),
                      {state_.run, isSet(id) ? index(*id) : b_.getInt64(static_cast<std::uint64_t>(-1)), isSet(count) ? index(*count) : b_.getInt64(0)});
        break;
    }
    case OpId::kSyncWarp:
        b_.CreateCall(runtime("tw_exchange", b_.getInt64Ty(), {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty(), b_.getInt64Ty(), b_.getInt32Ty(),
                                                               b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty()}),
                      {state_.run, b_.getInt32(static_cast<std::uint32_t>(sites_++)), b_.getInt32(static_cast<std::uint32_t>(ExchangeKind::kActive)),
                       b_.CreateUDiv(linearThread(), b_.getInt64(32)), b_.getInt32(0), b_.getInt64(0), b_.getInt64(0), b_.getInt64(32)});
        break;
    case OpId::kSyncGrid: case OpId::kSyncGlobal: simple("tw_sync_grid"); break;
    case OpId::kClusterSync: case OpId::kClusterWait: simple("tw_sync_cluster"); break;
    case OpId::kBarrierWait: case OpId::kBarrierArrive: case OpId::kBarrierExpectTx: case OpId::kBarrierArriveExpectTx: case OpId::kCpAsyncBarrier:
        memoryBarrier(call);
        break;
    case OpId::kTileLeave: simple("tw_tile_leave"); break;
    default: break;  // fences and arrivals at the cluster barrier: the wait meets all
    }
}

}  // namespace tw::llvm_backend

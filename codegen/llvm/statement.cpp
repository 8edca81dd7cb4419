// Statements: control flow, bindings, stores, on-chip memory.
#include "codegen/llvm/emitter.h"

#include "core/ir/call.h"
#include "core/support/check.h"

namespace tw::llvm_backend {

using llvm::Value;

namespace {

// On-chip buffers up to this size are locals, which LLVM can keep in registers; larger ones live in the block's arena.
constexpr std::int64_t kLargestLocalBytes = 16 << 10;

std::int64_t elementCount(const ir::BufferNode& buffer)
{
    std::int64_t count = 1;
    for (const ir::Expr& extent : buffer.shape) {
        const auto* value = ir::asInt(extent);
        TW_CHECK(value, "the on-chip buffer " + buffer.name + " has a run-time extent");
        count *= *value;
    }
    return count;
}

}  // namespace

void Emitter::bindVar(const ir::Var& var, Value* value)
{
    if (var->dtype.lanes == 1 && value->getType()->isIntegerTy() && !value->getType()->isIntegerTy(64))
        value = b_.CreateIntCast(value, b_.getInt64Ty(), var->dtype.isSigned());
    state_.vars[var.get()] = value;
}

llvm::BasicBlock* Emitter::newBlock(const char* name) { return llvm::BasicBlock::Create(context_, name, state_.function); }

// Ends the current block with a jump unless it already ended (break, continue, return).
void Emitter::terminateInto(llvm::BasicBlock* next)
{
    if (!b_.GetInsertBlock()->getTerminator())
        b_.CreateBr(next);
}

Value* Emitter::entryAlloca(llvm::Type* type, std::uint64_t count, unsigned align)
{
    llvm::IRBuilder<> entry(&state_.function->getEntryBlock(), state_.function->getEntryBlock().begin());
    auto* memory = entry.CreateAlloca(type, count == 1 ? nullptr : b_.getInt64(count));
    if (align > 1)
        memory->setAlignment(llvm::Align(align));
    return memory;
}

void Emitter::statement(const ir::Stmt& s)
{
    if (!s || b_.GetInsertBlock()->getTerminator())
        return;  // what follows a break is not reached
    if (s->kind != ir::StmtKind::kSeq)
        locate(s->where);
    switch (s->kind) {
    case ir::StmtKind::kSeq:
        for (const ir::Stmt& child : static_cast<const ir::Seq&>(*s).stmts)
            statement(child);
        break;
    case ir::StmtKind::kFor:
        forLoop(static_cast<const ir::For&>(*s));
        break;
    case ir::StmtKind::kWhile:
        whileLoop(static_cast<const ir::While&>(*s));
        break;
    case ir::StmtKind::kBreak:
        b_.CreateBr(state_.loops.back().breakTo);
        break;
    case ir::StmtKind::kContinue:
        b_.CreateBr(state_.loops.back().continueTo);
        break;
    case ir::StmtKind::kIf:
        ifElse(static_cast<const ir::If&>(*s));
        break;
    case ir::StmtKind::kBind: {
        const auto& bind = static_cast<const ir::Bind&>(*s);
        const bool exact = bind.var->dtype.lanes == 1 && bind.var->dtype.isSigned() && bind.var->dtype.bits() >= 32;
        bindVar(bind.var, exact ? index(bind.value) : expression(bind.value));
        break;
    }
    case ir::StmtKind::kStore:
        store(static_cast<const ir::Store&>(*s));
        break;
    case ir::StmtKind::kAllocate:
        allocate(static_cast<const ir::Allocate&>(*s).buffer);
        break;
    case ir::StmtKind::kOp:
        operation(static_cast<const ir::OpStmt&>(*s));
        break;
    case ir::StmtKind::kReturn:
        TW_CHECK(state_.returnTo, "a thread returns outside a launch");
        b_.CreateBr(state_.returnTo);
        break;
    case ir::StmtKind::kLaunch:
        launch(static_cast<const ir::Launch&>(*s));
        break;
    case ir::StmtKind::kAssert: {
        const auto& check = static_cast<const ir::Assert&>(*s);
        llvm::BasicBlock* failed = newBlock("assert.failed");
        llvm::BasicBlock* next = newBlock("assert.ok");
        b_.CreateCondBr(condition(check.condition), next, failed);
        b_.SetInsertPoint(failed);
        b_.CreateCall(runtime("tw_host_assert", b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt32Ty()}),
                      {state_.run, text(check.message), b_.getInt32(b_.getCurrentDebugLocation() ? b_.getCurrentDebugLocation().getLine() : 0)});
        b_.CreateBr(state_.returnTo ? state_.returnTo : next);
        b_.SetInsertPoint(next);
        break;
    }
    }
}

// A parallel loop promises that its iterations are independent: the accesses inside carry an access group that the loop's
// metadata names, so LLVM vectorises without checks.
void Emitter::countedLoop(Value* begin, Value* end, Value* step, bool parallel, const std::function<void(Value*)>& body)
{
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(step);
    Value* count = nullptr;
    if (constant && constant->isOne()) {
        count = b_.CreateSub(end, begin, "", false, true);
    } else {
        Value* forward = arithmetic(ir::BinaryOp::kFloorDiv, ir::kInt64, b_.CreateAdd(b_.CreateSub(end, begin), b_.CreateSub(step, b_.getInt64(1))), step);
        Value* backward = arithmetic(ir::BinaryOp::kFloorDiv, ir::kInt64,
                                     b_.CreateSub(b_.CreateSub(begin, end), b_.CreateAdd(step, b_.getInt64(1))), b_.CreateNeg(step));
        count = b_.CreateSelect(b_.CreateICmpSGT(step, b_.getInt64(0)), forward, backward);
    }
    llvm::BasicBlock* from = b_.GetInsertBlock();
    llvm::BasicBlock* loop = newBlock("loop");
    llvm::BasicBlock* latch = newBlock("loop.next");
    llvm::BasicBlock* done = newBlock("loop.end");
    b_.CreateCondBr(b_.CreateICmpSGT(count, b_.getInt64(0)), loop, done);
    b_.SetInsertPoint(loop);
    auto* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(b_.getInt64(0), from);
    llvm::MDNode* group = parallel ? llvm::MDNode::getDistinct(context_, {}) : nullptr;
    if (group)
        state_.accessGroups.push_back(group);
    state_.loops.push_back({done, latch});
    const bool unit = constant && constant->isOne();
    Value* offset = unit ? static_cast<Value*>(i) : b_.CreateMul(i, step, "", false, true);
    body(b_.CreateAdd(begin, offset, "", false, true));
    terminateInto(latch);
    state_.loops.pop_back();
    if (group)
        state_.accessGroups.pop_back();
    b_.SetInsertPoint(latch);
    Value* next = b_.CreateAdd(i, b_.getInt64(1), "", true, true);
    i->addIncoming(next, latch);
    auto* branch = b_.CreateCondBr(b_.CreateICmpSLT(next, count), loop, done);
    llvm::SmallVector<llvm::Metadata*, 3> options{nullptr};
    options.push_back(llvm::MDNode::get(context_, llvm::MDString::get(context_, "llvm.loop.mustprogress")));
    if (group)
        options.push_back(llvm::MDNode::get(context_, {llvm::MDString::get(context_, "llvm.loop.parallel_accesses"), group}));
    // Unrolled in full before the vectoriser comes, a short loop would stay scalar.
    const auto* trips = llvm::dyn_cast<llvm::ConstantInt>(count);
    if (group && trips && trips->getSExtValue() >= cpu_.vectorBytes / 4 && trips->getSExtValue() <= 2 * cpu_.vectorBytes)
        options.push_back(llvm::MDNode::get(context_, llvm::MDString::get(context_, "llvm.loop.unroll.disable")));
    llvm::MDNode* id = llvm::MDNode::getDistinct(context_, options);
    id->replaceOperandWith(0, id);
    branch->setMetadata(llvm::LLVMContext::MD_loop, id);
    b_.SetInsertPoint(done);
}

void Emitter::forLoop(const ir::For& loop)
{
    const bool parallel = loop.loop == ir::ForKind::kParallel || loop.loop == ir::ForKind::kVectorized;
    if (ir::boolAttr(loop.attrs, "spread", false) && !state_.threads && !state_.spreading && state_.accessGroups.empty())
        return spreadLoop(loop);
    const bool lanes = ir::boolAttr(loop.attrs, "lanes", false);
    const ir::Store* stream = parallel ? streamedStore(loop) : nullptr;
    const auto nest = [&](auto& self, std::size_t depth) -> void {
        if (depth == loop.axes.size()) {
            statement(loop.body);
            return;
        }
        const ir::Axis& axis = loop.axes[depth];
        Value* begin = index(axis.begin);
        Value* end = index(axis.end);
        Value* step = axis.step ? index(axis.step) : b_.getInt64(1);
        const bool last = depth + 1 == loop.axes.size();
        Value* outer = state_.lane;
        const auto run = [&](Value* from, Value* to) {
            countedLoop(from, to, step, parallel && last, [&](Value* i) {
                bindVar(axis.var, i);
                if (lanes) {
                    Value* number = b_.CreateSub(i, begin);
                    state_.lane = outer ? b_.CreateAdd(b_.CreateMul(outer, b_.CreateSub(end, begin)), number) : number;
                }
                self(self, depth + 1);
            });
        };
        if (last && stream)
            streamedLoop(*stream, axis.var, begin, end, run);
        else
            run(begin, end);
        state_.lane = outer;
    };
    nest(nest, 0);
    if (stream)
        streamFence();
}

// The iterations of a nest in the only block of a launch, shared by the workers.
void Emitter::spreadLoop(const ir::For& loop)
{
    const ir::Axis& axis = loop.axes.front();
    const Captures captures = capture([&](ir::Visitor& uses) { uses.visit(loop.body); });
    spread(index(axis.begin), index(axis.end), captures.values, [&](const std::vector<Value*>& inside, Value* begin, Value* end) {
        restore(captures, inside);
        countedLoop(begin, end, b_.getInt64(1), loop.loop == ir::ForKind::kParallel, [&](Value* i) {
            bindVar(axis.var, i);
            statement(loop.body);
        });
    });
}

void Emitter::whileLoop(const ir::While& loop)
{
    llvm::BasicBlock* head = newBlock("while");
    llvm::BasicBlock* body = newBlock("while.body");
    llvm::BasicBlock* done = newBlock("while.end");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    b_.CreateCondBr(condition(loop.condition), body, done);
    b_.SetInsertPoint(body);
    llvm::BasicBlock* again = newBlock("while.again");
    state_.loops.push_back({done, again});
    statement(loop.body);
    state_.loops.pop_back();
    terminateInto(again);
    b_.SetInsertPoint(again);
    if (launch_ && state_.threads && launch_->attrs.contains("polls"))  // let those run that this thread may wait for
        b_.CreateCall(runtime("tw_poll", b_.getVoidTy(), {b_.getPtrTy()}), {state_.run});
    b_.CreateBr(head);
    b_.SetInsertPoint(done);
}

void Emitter::ifElse(const ir::If& s)
{
    llvm::BasicBlock* thenBlock = newBlock("if.then");
    llvm::BasicBlock* done = newBlock("if.end");
    llvm::BasicBlock* elseBlock = s.otherwise ? newBlock("if.else") : done;
    b_.CreateCondBr(condition(s.condition), thenBlock, elseBlock);
    b_.SetInsertPoint(thenBlock);
    statement(s.then);
    terminateInto(done);
    if (s.otherwise) {
        b_.SetInsertPoint(elseBlock);
        statement(s.otherwise);
        terminateInto(done);
    }
    b_.SetInsertPoint(done);
}

void Emitter::store(const ir::Store& s)
{
    storeAt(s, slot(s.buffer).base, linearIndex(s.buffer, s.indices), false);
}

// The store's value, into element `linear` from `base`. Frozen, a copy stays a loop and does not become a memcpy.
void Emitter::storeAt(const ir::Store& s, Value* base, Value* linear, bool frozen)
{
    Value* value = vectorise(expression(s.value), s.buffer->dtype);
    if (s.value->dtype != s.buffer->dtype)
        value = convert(value, s.value->dtype, s.buffer->dtype);
    annotateFrom_ = slot(s.buffer).parallelDepth;
    storeElement(s.buffer->dtype, base, linear, frozen ? b_.CreateFreeze(value) : value);
    annotateFrom_ = 0;
}

void Emitter::allocate(const ir::Buffer& buffer)
{
    using ir::MemoryScope;
    if (buffer->viewOf || buffer->address)
        return;
    if (buffer->scope == MemoryScope::kGlobal) {
        if (state_.threads) {
            notSupported(buffer->where, "a global workspace whose extents only the threads of a launch know");
            state_.buffers[buffer.get()] = makeSlot(buffer, llvm::ConstantPointerNull::get(b_.getPtrTy()));
            return;
        }
        Value* bytes = b_.getInt64(1);
        for (const ir::Expr& extent : buffer->shape)
            bytes = b_.CreateMul(bytes, index(extent));
        bytes = b_.CreateLShr(b_.CreateAdd(b_.CreateMul(bytes, b_.getInt64(static_cast<std::uint64_t>(buffer->dtype.bits() * buffer->dtype.lanes))),
                                           b_.getInt64(7)), 3);
        Value* memory = b_.CreateCall(runtime(state_.arena ? "tw_alloc_block" : "tw_alloc_host", b_.getPtrTy(), {b_.getPtrTy(), b_.getInt64Ty()}),
                                      {state_.run, bytes});
        state_.buffers[buffer.get()] = makeSlot(buffer, memory);
        return;
    }
    const std::int64_t count = elementCount(*buffer);
    if (buffer->scope == MemoryScope::kBarrier || buffer->scope == MemoryScope::kClusterBarrier) {
        constexpr std::int64_t kBarrierBytes = 32;  // MemoryBarrier of fibers.h
        Value* base = b_.CreateInBoundsGEP(b_.getInt8Ty(), state_.barriers ? state_.barriers : state_.arena,
                                           b_.getInt64(static_cast<std::uint64_t>(state_.barrierBytes)));
        state_.barrierBytes += count * kBarrierBytes;
        state_.buffers[buffer.get()] = makeSlot(buffer, base);
        return;
    }
    const std::int64_t bytes = buffer->dtype.storageBytes(count) + 1;
    const bool isPrivate = buffer->scope == MemoryScope::kVar || buffer->scope == MemoryScope::kLocal;
    Value* base = nullptr;
    if (isPrivate ? bytes <= 4 * kLargestLocalBytes : !state_.threads && bytes <= kLargestLocalBytes) {
        const bool scalar = count == 1 && buffer->dtype.bits() % 8 == 0;
        base = scalar ? entryAlloca(storageType(buffer->dtype), 1, 0) : entryAlloca(b_.getInt8Ty(), static_cast<std::uint64_t>(bytes), 64);
    } else {
        state_.arenaBytes = (state_.arenaBytes + 63) / 64 * 64;
        base = b_.CreateInBoundsGEP(b_.getInt8Ty(), state_.arena, b_.getInt64(static_cast<std::uint64_t>(state_.arenaBytes)));
        const bool ofThread = isPrivate && state_.threads;  // too large for a stack: each thread has its part of the arena
        const std::int64_t part = (bytes + 63) / 64 * 64;
        if (ofThread)
            base = b_.CreateInBoundsGEP(b_.getInt8Ty(), base, b_.CreateMul(linearThread(), b_.getInt64(static_cast<std::uint64_t>(part))));
        state_.arenaBytes += ofThread ? part * launch_->threads[0] * launch_->threads[1] * launch_->threads[2] : bytes;
    }
    BufferSlot made = makeSlot(buffer, base);
    annotateFrom_ = made.parallelDepth = state_.accessGroups.size();
    state_.buffers[buffer.get()] = made;
    if (buffer->scope == MemoryScope::kVar)  // a variable without an initial value starts at 0
        storeElement(buffer->dtype, base, b_.getInt64(0), llvm::Constant::getNullValue(valueType(buffer->dtype)));
    annotateFrom_ = 0;
}

}  // namespace tw::llvm_backend

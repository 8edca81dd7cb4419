// The host function, launches, and the frames through which values reach them.
#include "codegen/llvm/emitter.h"

#include "core/ir/visit.h"
#include "core/support/check.h"

namespace tw::llvm_backend {

using llvm::Value;

namespace {

// What a statement uses: variables and buffers in order of first use, those in shapes and views included.
class UseCollector : public ir::Visitor {
public:
    std::vector<ir::Var> vars;
    std::vector<ir::Buffer> buffers;

    using ir::Visitor::visit;
    void visit(const ir::Expr& e) override
    {
        if (!e)
            return;
        if (e->kind == ir::ExprKind::kVar && seenVars_.insert(e.get()).second)
            vars.push_back(std::static_pointer_cast<const ir::VarNode>(e));
        ir::Visitor::visit(e);
    }
    void visitBuffer(const ir::Buffer& buffer) override
    {
        if (!seenBuffers_.insert(buffer.get()).second)
            return;
        buffers.push_back(buffer);
        for (const auto* list : {&buffer->shape, &buffer->strides})
            for (const ir::Expr& e : *list)
                visit(e);
        if (buffer->address)
            visit(buffer->address);
        if (buffer->viewOf)
            visitBuffer(buffer->viewOf);
    }

private:
    std::set<const ir::ExprNode*> seenVars_;
    std::set<const ir::BufferNode*> seenBuffers_;
};

bool runsThreads(const ir::Launch& launch)
{
    const auto found = launch.attrs.find("execution");
    return found != launch.attrs.end() && std::get<std::string>(found->second) != "block";
}

}  // namespace

Emitter::Emitter(llvm::LLVMContext& context, llvm::Module& module, const ir::Function& function, const HostCpu& cpu,
                 DiagnosticSink& diagnostics)
    : context_(context), module_(module), function_(function), cpu_(cpu), diagnostics_(diagnostics), b_(context),
      debug_(std::make_unique<llvm::DIBuilder>(module))
{
    const auto fast = function.passConfigs.find("tl.enable_fast_math");
    fastMath_ = fast != function.passConfigs.end() && std::holds_alternative<bool>(fast->second) && std::get<bool>(fast->second);
    if (fastMath_) {
        llvm::FastMathFlags flags;
        flags.setAllowReassoc();
        flags.setAllowContract();
        flags.setAllowReciprocal();
        flags.setNoSignedZeros();
        b_.setFastMathFlags(flags);
    }
    debugFile_ = debug_->createFile("kernel.py", "");
    debug_->createCompileUnit(llvm::dwarf::DW_LANG_C, debugFile_, "tilewright", true, "", 0, "",
                              llvm::DICompileUnit::DebugDirectivesOnly);
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
}

llvm::Function* Emitter::newFunction(const std::string& name, llvm::Type* result, const std::vector<llvm::Type*>& arguments)
{
    auto* function = llvm::Function::Create(llvm::FunctionType::get(result, arguments, false), llvm::Function::ExternalLinkage, name, module_);
    function->setDoesNotThrow();
    function->addFnAttr("target-cpu", cpu_.name);
    if (!cpu_.features.empty())
        function->addFnAttr("target-features", cpu_.features);
    function->addFnAttr("prefer-vector-width", std::to_string(cpu_.vectorBytes * 8));
    auto* type = debug_->createSubroutineType(debug_->getOrCreateTypeArray({}));
    function->setSubprogram(debug_->createFunction(debugFile_, name, name, debugFile_, 0, type, 0, llvm::DINode::FlagZero,
                                                   llvm::DISubprogram::SPFlagDefinition));
    return function;
}

llvm::FunctionCallee Emitter::runtime(const std::string& name, llvm::Type* result, const std::vector<llvm::Type*>& arguments)
{
    auto callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(result, arguments, false));
    if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee()))
        function->setDoesNotThrow();
    return callee;
}

Value* Emitter::text(const std::string& value) { return b_.CreateGlobalString(value, "text", 0, &module_); }

// Debug locations carry the index of the provenance as their line.
void Emitter::locate(const ir::Provenance& where)
{
    if (!state_.function)
        return;
    const auto key = std::make_tuple(where.range.file, where.range.begin, where.range.end, where.op);
    auto [it, fresh] = provenanceIds_.emplace(key, static_cast<unsigned>(provenances_.size() + 1));
    if (fresh)
        provenances_.push_back(where);
    b_.SetCurrentDebugLocation(llvm::DILocation::get(context_, it->second, 0, state_.function->getSubprogram()));
}

void Emitter::notSupported(const ir::Provenance& where, const std::string& what)
{
    failed_ = true;
    diagnostics_.error(Code::kNotSupported, where.range, "not supported: " + what + " on a CPU");
}

BufferSlot Emitter::makeSlot(const ir::Buffer& buffer, Value* base)
{
    BufferSlot made;
    made.base = base;
    for (const ir::Expr& extent : buffer->shape)
        made.shape.push_back(index(extent));
    if (!buffer->strides.empty() && !contiguous_.contains(buffer.get())) {
        for (const ir::Expr& stride : buffer->strides)
            made.strides.push_back(index(stride));
        return made;
    }
    made.strides.assign(made.shape.size(), nullptr);
    Value* stride = b_.getInt64(1);
    for (std::size_t axis = made.shape.size(); axis-- > 0;) {
        made.strides[axis] = stride;
        stride = axis > 0 ? b_.CreateMul(stride, made.shape[axis], "", false, true) : stride;
    }
    return made;
}

bool Emitter::emit()
{
    return emitHost() && !failed_;
}

bool Emitter::emitHost()
{
    llvm::Type* ptr = b_.getPtrTy();
    state_ = FunctionState{};
    state_.function = newFunction("tw_host", b_.getVoidTy(), {ptr, ptr, ptr, ptr});
    state_.run = state_.function->getArg(0);
    b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", state_.function));
    locate({function_.range, 0});
    const auto load = [&](unsigned argument, std::size_t i, llvm::Type* type) {
        return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), state_.function->getArg(argument), i));
    };
    for (std::size_t i = 0; i < function_.symbols.size(); ++i)
        bindVar(function_.symbols[i], load(3, i, b_.getInt64Ty()));
    std::size_t scalars = 0;
    for (const ir::Param& param : function_.params)
        if (const auto* var = std::get_if<ir::Var>(&param.value)) {
            const bool isFloat = (*var)->dtype.isFloating();
            Value* raw = load(2, scalars++, isFloat ? b_.getDoubleTy() : b_.getInt64Ty());
            bindVar(*var, isFloat ? convert(raw, ir::kFloat64, (*var)->dtype) : raw);
        }
    std::size_t tensors = 0;
    for (const ir::Param& param : function_.params)
        if (const auto* buffer = std::get_if<ir::Buffer>(&param.value)) {
            contiguous_.insert(buffer->get());
            state_.buffers[buffer->get()] = makeSlot(*buffer, load(1, tensors++, ptr));
        }
    llvm::BasicBlock* done = newBlock("done");
    state_.returnTo = done;
    statement(function_.body);
    terminateInto(done);
    b_.SetInsertPoint(done);
    b_.CreateRetVoid();
    debug_->finalize();
    return true;
}

Value* Emitter::makeFrame(const std::vector<Value*>& values)
{
    Value* frame = entryAlloca(b_.getInt64Ty(), values.size() + 1, 8);
    for (std::size_t i = 0; i < values.size(); ++i)
        b_.CreateStore(values[i], b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), frame, i));
    return frame;
}

std::vector<Value*> Emitter::readFrame(Value* frame, const std::vector<Value*>& outside)
{
    std::vector<Value*> inside;
    for (std::size_t i = 0; i < outside.size(); ++i)
        inside.push_back(llvm::isa<llvm::Constant>(outside[i])
                             ? outside[i]  // stays a constant on the other side
                             : b_.CreateLoad(outside[i]->getType(), b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), frame, i)));
    return inside;
}

Captures Emitter::capture(const std::function<void(ir::Visitor&)>& visit)
{
    UseCollector uses;
    visit(uses);
    Captures captures;
    for (const ir::Var& var : uses.vars)
        if (const auto found = state_.vars.find(var.get()); found != state_.vars.end()) {
            captures.vars.push_back(var);
            captures.values.push_back(found->second);
        }
    for (const ir::Buffer& buffer : uses.buffers)
        if (const auto found = state_.buffers.find(buffer.get()); found != state_.buffers.end()) {
            captures.buffers.push_back(buffer);
            captures.values.push_back(found->second.base);
        }
    return captures;
}

// Makes what was captured known in the function that is being built, under the values that it has there.
void Emitter::restore(const Captures& captures, const std::vector<Value*>& inside)
{
    std::size_t at = 0;
    for (const ir::Var& var : captures.vars)
        state_.vars[var.get()] = inside[at++];
    for (const ir::Buffer& buffer : captures.buffers)
        state_.buffers[buffer.get()] = makeSlot(buffer, inside[at++]);
}

// [begin, end) in parts, each on a worker of the pool: a function (worker, frame, begin, end) and a call of the runtime.
void Emitter::spread(Value* begin, Value* end, const std::vector<Value*>& outside, const std::function<void(const std::vector<Value*>&, Value*, Value*)>& body)
{
    Value* frame = makeFrame(outside);
    FunctionState outer = std::move(state_);
    const auto outerPoint = b_.saveIP();
    const auto outerPlace = b_.getCurrentDebugLocation();
    state_ = FunctionState{};
    state_.function = newFunction(function_.name + "_part_" + std::to_string(parts_++), b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()});
    state_.spreading = true;
    llvm::Function* part = state_.function;
    state_.run = part->getArg(0);
    b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", part));
    if (outerPlace)
        b_.SetCurrentDebugLocation(llvm::DILocation::get(context_, outerPlace.getLine(), 0, part->getSubprogram()));
    state_.arena = b_.CreateLoad(b_.getPtrTy(), state_.run, "arena");
    state_.returnTo = newBlock("done");
    body(readFrame(part->getArg(1), outside), part->getArg(2), part->getArg(3));
    terminateInto(state_.returnTo);
    b_.SetInsertPoint(state_.returnTo);
    b_.CreateRetVoid();
    const auto arenaBytes = static_cast<std::uint64_t>(state_.arenaBytes);
    state_ = std::move(outer);
    b_.restoreIP(outerPoint);
    b_.SetCurrentDebugLocation(outerPlace);
    b_.CreateCall(runtime("tw_spread", b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty()}),
                  {state_.run, part, frame, begin, end, b_.getInt64(arenaBytes)});
}

// Block number to block indices, x fastest (the blocks of a cluster follow one another); then the body.
void Emitter::blockBody(const ir::Launch& s, Value* block, const std::vector<Value*>& grid)
{
    Value* rest = block;
    std::int64_t clusterBlocks = 1;
    for (const std::int64_t extent : s.cluster)
        clusterBlocks *= extent;
    if (clusterBlocks > 1) {
        Value* rank = b_.CreateURem(block, b_.getInt64(static_cast<std::uint64_t>(clusterBlocks)));
        Value* cluster = b_.CreateUDiv(block, b_.getInt64(static_cast<std::uint64_t>(clusterBlocks)));
        for (std::size_t axis = 0; axis < s.blockVars.size(); ++axis) {
            Value* extent = b_.getInt64(static_cast<std::uint64_t>(axis < s.cluster.size() ? s.cluster[axis] : 1));
            Value* clusters = b_.CreateUDiv(b_.CreateAdd(grid[axis], b_.CreateSub(extent, b_.getInt64(1))), extent);
            bindVar(s.blockVars[axis], b_.CreateAdd(b_.CreateMul(b_.CreateURem(cluster, clusters), extent), b_.CreateURem(rank, extent)));
            cluster = b_.CreateUDiv(cluster, clusters);
            rank = b_.CreateUDiv(rank, extent);
        }
        return finishBlock(s);
    }
    for (std::size_t axis = 0; axis < s.blockVars.size(); ++axis) {
        const bool last = axis + 1 == s.blockVars.size();
        bindVar(s.blockVars[axis], last ? rest : b_.CreateURem(rest, grid[axis]));
        rest = last ? rest : b_.CreateUDiv(rest, grid[axis]);
    }
    finishBlock(s);
}

void Emitter::finishBlock(const ir::Launch& s)
{
    if (!state_.threads)
        for (const ir::Var& var : s.threadVars)
            if (var)
                bindVar(var, b_.getInt64(0));
    statement(s.body);
}

void Emitter::launch(const ir::Launch& s)
{
    const Captures captures = capture([&](ir::Visitor& uses) {
        uses.visit(s.body);
        for (const ir::Expr& extent : s.grid)
            uses.visit(extent);
    });
    Value* frame = makeFrame(captures.values);
    Value* blocks = b_.getInt64(1);
    for (const ir::Expr& extent : s.grid)
        blocks = b_.CreateMul(blocks, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, index(extent), b_.getInt64(0)));

    FunctionState outer = std::move(state_);
    const auto outerPoint = b_.saveIP();
    const auto outerPlace = b_.getCurrentDebugLocation();
    state_ = FunctionState{};
    state_.threads = runsThreads(s);
    launch_ = &s;
    sharing_ = state_.threads ? nullptr : std::make_unique<OperandSharing>(s);
    sharedOperands_ = 0;
    // Block mode: (worker, frame, first block, end). Threads: (fiber, frame, block, thread).
    state_.function = newFunction(function_.name + "_kernel" + (launches_ ? "_" + std::to_string(launches_) : ""), b_.getVoidTy(),
                                  {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()});
    ++launches_;
    llvm::Function* kernel = state_.function;
    state_.run = kernel->getArg(0);
    b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", kernel));
    locate(s.where);
    state_.arena = b_.CreateLoad(b_.getPtrTy(), state_.run, "arena");  // the first field of WorkerState and FiberState
    restore(captures, readFrame(kernel->getArg(1), captures.values));
    std::vector<Value*> grid;
    for (const ir::Expr& extent : s.grid)
        grid.push_back(index(extent));
    if (state_.threads) {
        state_.barriers = b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), state_.run, 1), "barriers");
        state_.returnTo = newBlock("done");
        Value* thread = kernel->getArg(3);
        Value* rest = thread;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto extent = static_cast<std::uint64_t>(s.threads[axis]);
            if (s.threadVars[axis])
                bindVar(s.threadVars[axis], b_.CreateURem(rest, b_.getInt64(extent)));
            rest = b_.CreateUDiv(rest, b_.getInt64(extent));
        }
        blockBody(s, kernel->getArg(2), grid);
        terminateInto(state_.returnTo);
        b_.SetInsertPoint(state_.returnTo);
    } else {
        countedLoop(kernel->getArg(2), kernel->getArg(3), b_.getInt64(1), false, [&](Value* block) {
            state_.returnTo = state_.loops.back().continueTo;
            blockBody(s, block, grid);
        });
    }
    b_.CreateRetVoid();
    const auto arenaBytes = static_cast<std::uint64_t>(state_.arenaBytes);
    const auto barrierBytes = static_cast<std::uint64_t>(state_.barrierBytes);
    state_ = std::move(outer);
    launch_ = nullptr;
    sharing_ = nullptr;
    b_.restoreIP(outerPoint);
    b_.SetCurrentDebugLocation(outerPlace);

    const std::int64_t threads = s.threads[0] * s.threads[1] * s.threads[2];
    std::int64_t cluster = 1;
    for (const std::int64_t extent : s.cluster)
        cluster *= extent;
    const bool wholeGrid = runsThreads(s) && std::get<std::string>(s.attrs.at("execution")) == "grid";
    Value* together = b_.getInt64(static_cast<std::uint64_t>(cluster));
    if (wholeGrid) {
        together = blocks;
    } else if (runsThreads(s) && s.attrs.contains("polls")) {
        // Blocks that look at each other's memory are resident together, as many as a processor of a GPU or two would hold.
        constexpr std::int64_t kResidentThreads = 8192;
        const std::int64_t resident = std::max<std::int64_t>(1, kResidentThreads / (threads * cluster)) * cluster;
        together = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, blocks, b_.getInt64(static_cast<std::uint64_t>(resident)));
    }
    Value* going = b_.CreateCall(
        runtime("tw_launch", b_.getInt1Ty(), {b_.getPtrTy(), b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty(),
                                              b_.getInt64Ty(), b_.getInt64Ty()}),
        {state_.run, kernel, frame, blocks, b_.getInt64(arenaBytes), b_.getInt64(barrierBytes),
         b_.getInt64(runsThreads(s) ? static_cast<std::uint64_t>(threads) : 0), together});
    llvm::BasicBlock* next = newBlock("launched");
    b_.CreateCondBr(going, next, state_.returnTo);
    b_.SetInsertPoint(next);
}

}  // namespace tw::llvm_backend

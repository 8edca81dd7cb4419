// Results that no cache would keep go to memory past the caches: a store that fills its line needs not read the line first.
//
// A parallel loop over one store that runs along a large tensor is emitted twice: plain up to a vector's boundary, and from there with
// a marked access group. Behind the optimiser, the vector stores of marked groups become non-temporal where their alignment is known.
// (LLVM's vectoriser leaves loops alone whose scalar stores are non-temporal: those of one element are not aligned to a vector.)
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/TargetParser/Triple.h>

#include "codegen/llvm/emitter.h"
#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"

namespace tw::llvm_backend {

using llvm::Value;

namespace {

// From this size on. A core's share of the last cache is smaller; where the whole cache is larger, reading the lines first still
// costs more than fetching the result from memory once.
constexpr std::int64_t kLeastBytes = 32 << 20;

class Loads final : public ir::Visitor {
public:
    std::set<const ir::BufferNode*> storages;
    using ir::Visitor::visit;
    void visitBuffer(const ir::Buffer& buffer) override { storages.insert(analysis::storageOf(buffer.get())); }
};

// Whether `e` is `var` plus what does not depend on it.
bool advancesWith(const ir::Expr& e, const ir::ExprNode* var)
{
    if (e.get() == var)
        return true;
    const auto* sum = ir::as<ir::Binary>(e);
    if (!sum || sum->op != ir::BinaryOp::kAdd)
        return false;
    return (advancesWith(sum->a, var) && !ir::mentions(sum->b, var)) || (advancesWith(sum->b, var) && !ir::mentions(sum->a, var));
}

std::int64_t constantBytes(const ir::BufferNode& buffer)
{
    std::int64_t count = 1;
    for (const ir::Expr& extent : buffer.shape) {
        const auto* value = ir::asInt(extent);
        if (!value)
            return 0;
        count *= *value;
    }
    return buffer.dtype.storageBytes(count);
}

bool isIn(const std::set<const llvm::MDNode*>& groups, const llvm::MDNode* node)
{
    if (groups.contains(node))
        return true;
    for (const llvm::MDOperand& part : node->operands())  // of a list of groups
        if (groups.contains(llvm::dyn_cast_or_null<llvm::MDNode>(part.get())))
            return true;
    return false;
}

}  // namespace

// The store of a parallel loop that may go past the caches, or null.
const ir::Store* Emitter::streamedStore(const ir::For& loop)
{
    const ir::Axis& axis = loop.axes.back();
    const auto* store = ir::as<ir::Store>(loop.body);
    if (!store || !llvm::Triple(module_.getTargetTriple()).isX86() || ir::boolAttr(loop.attrs, "lanes", false) || (axis.step && !ir::isOne(axis.step)))
        return nullptr;
    const ir::BufferNode& to = *store->buffer;
    if (to.scope != ir::MemoryScope::kGlobal || to.viewOf || to.address || to.dtype.bits() % 8 != 0 || constantBytes(to) < kLeastBytes)
        return nullptr;
    if (constantOr(slot(store->buffer).strides.back(), 0) != 1)
        return nullptr;
    for (std::size_t i = 0; i + 1 < store->indices.size(); ++i)
        if (ir::mentions(store->indices[i], axis.var.get()))
            return nullptr;
    Loads loads;
    static_cast<ir::Visitor&>(loads).visit(store->value);
    return advancesWith(store->indices.back(), axis.var.get()) && !loads.storages.contains(&to) ? store : nullptr;
}

// `plain` from `begin` to the first vector's boundary, from there to `end` past the caches.
void Emitter::streamedLoop(const ir::Store& store, const ir::Var& var, Value* begin, Value* end, const std::function<void(Value*, Value*)>& plain)
{
    const ir::DType type = store.buffer->dtype;
    const auto n64 = [&](std::int64_t n) { return b_.getInt64(static_cast<std::uint64_t>(n)); };
    const auto place = [&](Value* i) {
        bindVar(var, i);
        return elementAddress(type, slot(store.buffer).base, linearIndex(store.buffer, store.indices));
    };
    // Through an empty instruction that the optimiser does not look into: where it sees what the assumption follows from, it drops
    // the assumption, and with it what is known in the loop.
    auto* same = llvm::InlineAsm::get(llvm::FunctionType::get(b_.getInt64Ty(), {b_.getInt64Ty()}, false), "", "=r,0", false);
    Value* address = b_.CreateCall(same, {b_.CreatePtrToInt(place(begin), b_.getInt64Ty())});
    Value* missing = b_.CreateAnd(b_.CreateNeg(address), n64(cpu_.vectorBytes - 1));
    Value* whole = b_.CreateICmpEQ(b_.CreateURem(missing, n64(type.bits() / 8)), n64(0));
    Value* head = b_.CreateAdd(begin, b_.CreateUDiv(missing, n64(type.bits() / 8)));
    Value* middle = b_.CreateSelect(whole, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, head, end), end);
    plain(begin, middle);
    llvm::BasicBlock* streamed = newBlock("stream");
    llvm::BasicBlock* done = newBlock("stream.end");
    b_.CreateCondBr(b_.CreateICmpSLT(middle, end), streamed, done);
    b_.SetInsertPoint(streamed);
    Value* base = place(middle);
    b_.CreateAlignmentAssumption(module_.getDataLayout(), base, static_cast<unsigned>(cpu_.vectorBytes));
    countedLoop(middle, end, n64(1), true, [&](Value* i) {
        bindVar(var, i);
        streamed_.insert(state_.accessGroups.back());
        storeAt(store, base, b_.CreateSub(i, middle), true);  // from `base`: what is reckoned from there gets its alignment
    });
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
}

// Whoever is told of the result sees it.
void Emitter::streamFence() { b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {}); }

void streamStores(llvm::Module& module, const std::set<const llvm::MDNode*>& groups)
{
    if (groups.empty())
        return;
    auto* one = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(module.getContext()), 1));
    for (llvm::Function& function : module)
        for (llvm::BasicBlock& block : function)
            for (llvm::Instruction& instruction : block) {
                auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
                const llvm::MDNode* group = store ? store->getMetadata(llvm::LLVMContext::MD_access_group) : nullptr;
                if (!group || !store->getValueOperand()->getType()->isVectorTy() || !isIn(groups, group))
                    continue;
                const std::uint64_t bytes = module.getDataLayout().getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue();
                if (bytes >= 16 && bytes <= 64 && (bytes & (bytes - 1)) == 0 && store->getAlign().value() >= bytes)
                    store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(module.getContext(), one));
            }
}

}  // namespace tw::llvm_backend

// Element types of atomics, barriers of bulk copies, and what the target has no instruction for.
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/walk.h"
#include "core/ir/call.h"

namespace tw::analysis {

namespace {

using ir::OpClass;
using ir::OpId;

// PTX ISA, mbarrier: init, arrive and test_wait from sm_80 on; expect_tx, try_wait and barriers of other blocks from sm_90 on.
constexpr int kBarriersFrom = 80, kTransactionsFrom = 90;

// The compute capability that ops.def states as "[sm_90]" or "[sm_90a]", 0 if none.
int requiredCompute(const ir::OpInfo& op)
{
    const auto at = op.doc.find("[sm_");
    if (at == std::string_view::npos)
        return 0;
    int compute = 0;
    std::from_chars(op.doc.data() + at + 4, op.doc.data() + op.doc.size(), compute);
    return compute;
}

// Older GPUs do without: their copies are synchronous, their launches follow each other anyway.
bool isBuiltFromLess(OpId op)
{
    switch (op) {
    case OpId::kAsyncCopy: case OpId::kCpAsync: case OpId::kCommitGroup: case OpId::kWaitGroup: case OpId::kPdlTrigger: case OpId::kPdlSync: return true;
    default: return false;
    }
}

// An "a" instruction belongs to one generation alone.
bool isOfOneGeneration(const ir::OpInfo& op)
{
    return op.doc.find("[sm_90a]") != std::string_view::npos;
}

bool hasAtomic(OpId op, ir::DType type)
{
    const bool wideInteger = type.isInteger() && type.bits() >= 32;
    const bool floating = type.isFloating() && (type.bits() >= 16) && type.family() != ir::Family::kTFloat;
    switch (op) {
    case OpId::kAtomicOr: return wideInteger;
    case OpId::kAtomicAddX2: return floating && type.bits() <= 32;
    case OpId::kAtomicAddX4: return type.scalar == ir::Scalar::kFloat32;
    case OpId::kAtomicLoad:
    case OpId::kAtomicStore: return type.bits() >= 8;
    default: return wideInteger || floating;
    }
}

std::string_view acceptedTypes(OpId op)
{
    switch (op) {
    case OpId::kAtomicOr: return "int32, uint32, int64 and uint64";
    case OpId::kAtomicAddX2: return "float16, bfloat16 and float32";
    case OpId::kAtomicAddX4: return "float32";
    default: return "int32, uint32, int64, uint64, float16, bfloat16, float32 and float64";
    }
}

class FeatureWalk final : public Walk {
public:
    explicit FeatureWalk(const CheckContext& context) : context_(context) {}

    using Walk::visit;
    void visit(const ir::OpCall& call) override
    {
        const ir::OpInfo& op = ir::info(call.op);
        if (op.cls == OpClass::kAtomic)
            checkAtomic(call, op);
        if (call.op == OpId::kTmaCopy)
            checkBulkCopy(call);
        if (call.op == OpId::kBarrierExpectTx || call.op == OpId::kBarrierArriveExpectTx)
            require(kTransactionsFrom, false, "T." + std::string(op.name));
        if (call.op == OpId::kBarrierArrive && ir::exprOperand(call, "cta_id"))
            require(kTransactionsFrom, false, "an arrival at a barrier of another block");
        if (op.cls != OpClass::kAnnotation && !isBuiltFromLess(call.op))
            require(requiredCompute(op), isOfOneGeneration(op), "T." + std::string(op.name));
        Walk::visit(call);
    }

protected:
    void enter(const ir::Stmt& s) override
    {
        if (const auto* launch = ir::as<ir::Launch>(s)) {
            std::int64_t blocks = 1;
            for (std::int64_t extent : launch->cluster)
                blocks *= extent;
            if (blocks > 1)
                require(90, false, "a thread-block cluster");
        }
        const auto* allocate = ir::as<ir::Allocate>(s);
        if (!allocate)
            return;
        switch (allocate->buffer->scope) {
        case ir::MemoryScope::kBarrier: return require(kBarriersFrom, false, "T.alloc_barrier");
        case ir::MemoryScope::kClusterBarrier: return require(kTransactionsFrom, false, "T.alloc_cluster_barrier");
        case ir::MemoryScope::kTensorMemory: return require(100, false, "T.alloc_tmem");
        default: return;
        }
    }

private:
    [[nodiscard]] SourceRange place() const { return statement() ? statement()->where.range : SourceRange{}; }

    void checkAtomic(const ir::OpCall& call, const ir::OpInfo& op)
    {
        const auto* target = std::get_if<ir::Region>(&call.operands[0]);
        if (!target || hasAtomic(call.op, target->buffer->dtype.element()))
            return;
        context_.diagnostics.error(Code::kDtypeUnsupported, place(),
                                   fmt::format("T.{} does not support {}, the type of {}; it takes {}", op.name,
                                               target->buffer->dtype.name(), target->buffer->name, acceptedTypes(call.op)));
    }

    // A load ends by completing bytes on a barrier: without one nobody can wait for it.
    void checkBulkCopy(const ir::OpCall& call)
    {
        const ir::Region *src = ir::regionOperand(call, "src"), *dst = ir::regionOperand(call, "dst");
        const bool isLoad = src && dst && src->buffer->scope == ir::MemoryScope::kGlobal && dst->buffer->scope == ir::MemoryScope::kShared;
        if (isLoad && !ir::findOperand(call, "barrier"))
            context_.diagnostics.error(Code::kCallArguments, place(),
                                       fmt::format("T.tma_copy into {} has no barrier to signal its arrival on; give barrier=bar[i]",
                                                   dst->buffer->name));
    }

    void require(int compute, bool oneGeneration, const std::string& what)
    {
        const target::Target& target = context_.target;
        if (compute == 0 || target.kind == target::Kind::kCpu || !reported_.insert(what).second)
            return;
        const bool has = target.isCuda() && (oneGeneration ? target.compute == compute : target.compute >= compute);
        if (!has)
            context_.reportTarget(Code::kTargetFeature, place(),
                                  fmt::format("{} needs sm_{}{}, and {} has no such instruction", what, compute,
                                              oneGeneration ? "a" : " or later", target.name));
    }

    const CheckContext& context_;
    std::set<std::string> reported_;
};

}  // namespace

void checkFeatures(const CheckContext& context)
{
    FeatureWalk walk(context);
    ir::Visitor& visitor = walk;
    visitor.visit(context.function.body);
}

}  // namespace tw::analysis

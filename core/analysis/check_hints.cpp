// What an author asks for and does not get: options, annotations and flags that are right but have nothing to act on here. Each is a
// warning, so that no wish is dropped in silence. (prefer_instruction and prefer_async: core/passes/copy_hints, where it is known.)
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/walk.h"
#include "core/ir/call.h"
#include "core/support/hint.h"

namespace tw::analysis {

namespace {

using ir::OpId;

// What loops of the tile stage may carry.
constexpr std::string_view kLoopOptions[] = {"async", "coalesced_width", "explicit", "group", "no_commit", "num_stages", "op", "order", "parallel_async_without_async_commit_wait",
                                             "prefer_async", "stage", "unroll_factor"};

class HintWalk final : public Walk {
public:
    explicit HintWalk(const CheckContext& context) : context_(context) {}

    using Walk::visit;
    void visit(const ir::OpCall& call) override
    {
        switch (call.op) {
        case OpId::kCopy: case OpId::kIm2col: case OpId::kAsyncCopy:
            if (call.attrs.contains("eviction_policy") && !prefersBulk(call))
                warn(fmt::format("eviction_policy has no effect: T.{} is no bulk copy here; T.tma_copy takes one", ir::info(call.op).name));
            break;
        case OpId::kTmaCopy:
            if (call.attrs.contains("leader_scope_threads"))
                warn("leader_scope_threads has no effect: one of all threads that come to a T.tma_copy starts it");
            break;
        case OpId::kAtomicAdd:
            if (ir::boolAttr(call.attrs, "use_tma", false))
                warn("use_tma has no effect: the threads add by atomic operations of their own");
            break;
        case OpId::kAnnotateL2: warn("T.annotate_l2_hit_ratio has no effect: launches set no access policy of the L2 cache"); break;
        case OpId::kAnnotateWsSchedule: warn("T.annotate_ws_schedule has no effect: the kernel runs as its text stands, all warps alike"); break;
        case OpId::kProducerRegDealloc: case OpId::kConsumerRegAlloc:
            warn(fmt::format("T.{} has no effect: no warps of this kernel become producers by themselves; T.set_max_nreg acts in T.ws", ir::info(call.op).name));
            break;
        case OpId::kGemm: case OpId::kGemmSp:
            if (ir::intAttr(call.attrs, "k_pack", 1) > 1)
                warn("k_pack has no effect: the instructions of NVIDIA GPUs take K as it is");
            break;
        default: break;
        }
        if (ir::info(call.op).cls == ir::OpClass::kReduce && ir::intAttr(call.attrs, "batch", 1) > 1)
            warn(fmt::format("batch of T.{} has no effect: how many results threads exchange at once follows from the layout", ir::info(call.op).name));
        Walk::visit(call);
    }

protected:
    void enter(const ir::Stmt& s) override
    {
        const auto* loop = ir::as<ir::For>(s);
        if (!loop)
            return;
        if (loop->attrs.contains("group"))
            warn("group has no effect: each statement of the loop is scheduled for itself");
        for (const auto& [name, value] : loop->attrs)
            if (std::ranges::find(kLoopOptions, name) == std::end(kLoopOptions))
                warn(fmt::format("the annotation \"{}\" of this loop has no effect", name));
        if (loop->loop == ir::ForKind::kPipelined && reorders(*loop))
            warn("order has no effect among statements of one stage: they stay as they stand in the text, and stage gives the number of stages");
    }

private:
    static bool prefersBulk(const ir::OpCall& copy)
    {
        const auto hint = copy.attrs.find("prefer_instruction");
        return hint != copy.attrs.end() && hint->second == ir::Attr(std::string("tma"));
    }

    static const std::vector<std::int64_t>* list(const ir::For& loop, const char* name)
    {
        const auto found = loop.attrs.find(name);
        return found == loop.attrs.end() ? nullptr : std::get_if<std::vector<std::int64_t>>(&found->second);
    }

    // Whether order and stage ask for another order of statements of one stage.
    static bool reorders(const ir::For& loop)
    {
        const auto *order = list(loop, "order"), *stage = list(loop, "stage");
        if (!order || !stage || order->size() != stage->size())
            return false;
        for (std::size_t j = 0; j < order->size(); ++j)
            for (std::size_t i = 0; i < j; ++i)
                if ((*stage)[i] == (*stage)[j] && (*order)[i] > (*order)[j])
                    return true;
        return false;
    }

    void warn(const std::string& message)
    {
        const SourceRange range = statement() ? statement()->where.range : context_.function.range;
        if (reported_.insert(message).second)
            hintIgnored(context_.diagnostics, range, message);
    }

    const CheckContext& context_;
    std::set<std::string> reported_;
};

bool isHandedOn(const std::string& flag)
{
    static constexpr std::string_view kKnown[] = {"--use_fast_math", "-use_fast_math", "-O3", "-lineinfo", "--generate-line-info", "-std=c++17", "--std=c++17", "-std=c++20", "--std=c++20"};
    return std::ranges::find(kKnown, flag) != std::end(kKnown);
}

void checkFlags(const CheckContext& context)
{
    const auto warn = [&](const std::string& what) {
        hintIgnored(context.diagnostics, context.function.range, what + " has no effect: the device compiler gets no flags of the author's but fast math");
    };
    for (const std::string& flag : context.function.compileFlags)
        if (!isHandedOn(flag))
            return warn(fmt::format("the compile flag {}", flag));
    for (const char* key : {"tl.device_compile_flags", "tl.ptxas_register_usage_level"})
        if (context.function.passConfigs.contains(key))
            warn(fmt::format("the pass configuration {}", key));
}

}  // namespace

void checkHints(const CheckContext& context)
{
    if (!context.target.isCuda())
        return;
    HintWalk walk(context);
    walk.visit(context.function.body);
    checkFlags(context);
}

}  // namespace tw::analysis

#include <chrono>

#include "core/ir/verify.h"
#include "core/ir/visit.h"
#include "core/passes/assign_registers.h"
#include "core/passes/bound_unrolling.h"
#include "core/passes/direct_operands.h"
#include "core/passes/expand_reducers.h"
#include "core/passes/expand_tiles.h"
#include "core/passes/expand_sparse.h"
#include "core/passes/fence_accumulators.h"
#include "core/passes/guard_bounds.h"
#include "core/passes/infer_layouts.h"
#include "core/passes/init_barriers.h"
#include "core/passes/insert_barriers.h"
#include "core/passes/lower_threads.h"
#include "core/passes/lower_tiles.h"
#include "core/passes/narrow_scopes.h"
#include "core/passes/normalize.h"
#include "core/passes/order_threads.h"
#include "core/passes/pass.h"
#include "core/passes/plan_shared_memory.h"
#include "core/passes/plan_threads.h"
#include "core/passes/schedule_pipelines.h"
#include "core/passes/simplify.h"
#include "core/passes/thread_loops.h"
#include "core/passes/vectorize_accesses.h"
#include "core/support/check.h"

namespace tw::passes {

namespace {

// An array program says nothing about tiles and threads: somebody has to schedule it first.
ir::Function requireTiles(const ir::Function& in, PassContext& context)
{
    if (in.dialect == ir::Dialect::kArray)
        context.diagnostics.error(Code::kNotSupported, in.range, "not supported: array programs on a GPU; they run with --device cpu or interp");
    return in;
}

}  // namespace

const std::vector<PipelineStep>& pipelineFor(const target::Target& target)
{
    static const std::vector<PipelineStep> cpu = {
        {"normalize", &normalize, "the passes behind it see one spelling of everything"},
        {"simplify", &simplify, "fewer statements to lower"},
        {"expandSparse", &expandSparse, "a dense product like any other for the passes behind it"},
        {"guardBounds", &guardBounds, "before the lowering: element accesses are still the author's, tile operations clip themselves"},
        {"planThreads", &planThreads, "the lowering asks who runs a tile operation"},
        {"orderThreads", &orderThreads, "tile operations are still visible: they order what is around them"},
        {"directOperands", &directOperands, "copies and products are still whole operations; who runs threads is known"},
        {"lowerTiles", &lowerTiles, "to the thread stage"},
        {"threadLoops", &threadLoops, "only now it is seen where threads meet"},
        {"simplify2", &simplify, "bounds of the new loops fold"},
    };
    static const std::vector<PipelineStep> others = {
        {"normalize", &normalize, "the passes behind it see one spelling of everything"},
        {"simplify", &simplify, "fewer statements to schedule"},
    };
    static const std::vector<PipelineStep> cuda = {
        {"normalize", &normalize, "the passes behind it see one spelling of everything"},
        {"simplify", &simplify, "fewer statements to schedule"},
        {"requireTiles", &requireTiles, "everything from here on works on tiles"},
        {"expandSparse", &expandSparse, "a dense product like any other for the passes behind it"},
        {"expandReducers", &expandReducers, "a nest that contributes is a nest like any other for the passes behind it"},
        {"schedulePipelines", &schedulePipelines, "copies are still operations on whole tiles: their dependences are regions"},
        {"narrowScopes", &narrowScopes, "whole tiles still show which values no iteration hands to the next"},
        {"expandTiles", &expandTiles, "behind the schedule: one machinery then distributes the author's nests and those of operations"},
        {"guardBounds", &guardBounds, "behind the expansion: it guards the accesses of copies, too"},
        {"inferLayouts", &inferLayouts, "roles and versions are final; the lowering only reads layouts"},
        {"lowerThreads", &lowerThreads, "to the thread stage"},
        {"fenceAccumulators", &fenceAccumulators, "the products have become instructions, their registers are known"},
        {"simplify2", &simplify, "digits of constants and bounds of the new loops fold"},
        {"vectorizeAccesses", &vectorizeAccesses, "indices are physical: whether neighbours in a loop are neighbours in memory is seen"},
        {"planSharedMemory", &planSharedMemory, "all shared buffers are there, with their final sizes"},
        {"initBarriers", &initBarriers, "what it makes meet counts for the next pass"},
        {"insertBarriers", &insertBarriers, "behind the packing: buffers that share bytes are ordered, too"},
        {"boundUnrolling", &boundUnrolling, "no pass behind it asks how a loop is spelt, and all local arrays are there"},
        {"assignRegisters", &assignRegisters, "the code of every role is final"},
    };
    return target.kind == target::Kind::kCpu ? cpu : target.isCuda() ? cuda : others;
}

namespace {

// The pass's result, or nothing with a diagnostic that names the pass.
std::shared_ptr<const ir::Function> runStep(const PipelineStep& step, const ir::Function& before, PassContext& context)
{
    try {
        auto after = std::make_shared<const ir::Function>(step.pass(before, context));
        const std::vector<std::string> broken = ir::verify(*after);
        if (broken.empty())
            return after;
        context.diagnostics.error(Code::kInternal, before.range, std::string("pass ") + step.name + " broke an invariant: " + broken.front());
    } catch (const InternalError& error) {
        context.diagnostics.error(Code::kInternal, before.range, std::string("pass ") + step.name + " failed: " + error.what());
    }
    return nullptr;
}

}  // namespace

PipelineResult runPipeline(std::shared_ptr<const ir::Function> input, PassContext& context)
{
    PipelineResult result;
    result.records.push_back({"trace", input, false, 0});
    if (const auto broken = ir::verify(*input); !broken.empty()) {
        context.diagnostics.error(Code::kInternal, input->range, "the traced function breaks an invariant: " + broken.front());
        return result;
    }
    result.function = std::move(input);
    for (const PipelineStep& step : pipelineFor(context.target)) {
        if (context.stopRequested())
            return result;
        const int errorsBefore = context.diagnostics.errorCount();
        const auto start = std::chrono::steady_clock::now();
        auto after = runStep(step, *result.function, context);
        const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
        if (!after)
            return result;
        const bool changed = !ir::equal(*result.function, *after);
        if (changed)
            result.function = std::move(after);
        result.records.push_back({step.name, result.function, changed, spent.count()});
        if (context.diagnostics.errorCount() > errorsBefore)
            return result;
    }
    result.complete = true;
    return result;
}

}  // namespace tw::passes

// Thread counts, and barriers that not all threads of the block reach.
#include <algorithm>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/thread_set.h"
#include "core/ir/call.h"
#include "core/ir/search.h"

namespace tw::analysis {

namespace {

using ir::as;
using ir::OpId;

// A barrier that waits for every thread of the block.
bool isBlockBarrier(const ir::OpCall& call)
{
    switch (call.op) {
    case OpId::kSyncThreads:
        return std::all_of(call.operands.begin(), call.operands.end(), [](const auto& o) { return ir::isAbsent(o); });
    case OpId::kSyncCount:
    case OpId::kSyncAnd:
    case OpId::kSyncOr:
    case OpId::kSyncGrid:
    case OpId::kClusterSync: return true;
    default: return false;
    }
}

bool hasBlockBarrier(const ir::Stmt& s) { return ir::anyCall(s, isBlockBarrier); }

class ThreadWalk final : public Walk {
public:
    explicit ThreadWalk(const CheckContext& context) : context_(context) {}

    using Walk::visit;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* launch = as<ir::Launch>(s))
            checkCount(*launch), checkGrid(*launch);
        if (const auto* branch = as<ir::If>(s))
            branches_.push_back(branch);
        Walk::visit(s);
        if (as<ir::If>(s))
            branches_.pop_back();
    }

    void visit(const ir::OpCall& call) override
    {
        if (isBlockBarrier(call) && launch())
            checkDivergence(call);
        Walk::visit(call);
    }

private:
    void checkCount(const ir::Launch& launch)
    {
        const std::int64_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
        const int limit = context_.target.maxThreadsPerBlock;
        if (threads > limit)
            context_.diagnostics.error(Code::kThreadCount, launch.where.range,
                                       fmt::format("a block of {} threads is too large; at most {} are possible", threads, limit));
    }

    // CUDA C++ Programming Guide, "Compute Capabilities": the largest grid.
    void checkGrid(const ir::Launch& launch)
    {
        constexpr std::int64_t kMost[] = {2147483647, 65535, 65535};
        for (std::size_t axis = 0; axis < launch.grid.size() && context_.target.isCuda(); ++axis)
            if (const auto* extent = ir::asInt(launch.grid[axis]); extent && *extent > kMost[axis])
                context_.diagnostics.error(Code::kValueRange, launch.where.range,
                                           fmt::format("the grid has {} blocks along {}, but at most {} are possible there{}", *extent, "xyz"[axis], kMost[axis],
                                                       axis > 0 ? "; the first axis may be longer" : ""));
    }

    void checkDivergence(const ir::OpCall& call)
    {
        ThreadSet threads(*launch());
        for (std::size_t i = 0; i < branches_.size() && i < guards().size(); ++i) {
            const ThreadSet before = threads;
            threads.restrictTo(expand(guards()[i].condition), guards()[i].holds);
            const ir::If& branch = *branches_[i];
            const bool bothArmsWait = hasBlockBarrier(branch.then) && hasBlockBarrier(branch.otherwise);
            if (threads.count() > 0 && !(threads == before) && !bothArmsWait)
                return report(call, threads, branch.where.range);
        }
        for (const ir::For* loop : loops()) {
            const std::vector<std::int64_t> ends = threads.values(expand(loop->axes[0].end));
            if (!ends.empty() && std::ranges::adjacent_find(ends, std::not_equal_to<>()) != ends.end())
                return reportLoop(call, *loop);
        }
    }

    void report(const ir::OpCall& call, const ThreadSet& threads, const SourceRange& condition)
    {
        context_.diagnostics
            .error(Code::kDivergentBarrier, place(),
                   fmt::format("T.{} waits for every thread of the block, but only {} of {} threads can reach it; move it out of the "
                               "if, or use a named barrier for these threads",
                               ir::info(call.op).name, threads.count(), threads.total()))
            .notes.push_back({condition, "this condition differs between the threads of the block"});
    }

    void reportLoop(const ir::OpCall& call, const ir::For& loop)
    {
        context_.diagnostics
            .error(Code::kDivergentBarrier, place(),
                   fmt::format("T.{} waits for every thread of the block, but the threads run this loop a different number of times",
                               ir::info(call.op).name))
            .notes.push_back({loop.where.range, "the end of this loop differs between the threads of the block"});
    }

    [[nodiscard]] SourceRange place() const { return statement() ? statement()->where.range : SourceRange{}; }

    const CheckContext& context_;
    std::vector<const ir::If*> branches_;
};

}  // namespace

void checkThreads(const CheckContext& context)
{
    ThreadWalk walk(context);
    walk.visit(context.function.body);
}

}  // namespace tw::analysis

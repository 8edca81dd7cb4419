#include "core/passes/assign_registers.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/analysis/thread_set.h"
#include "core/analysis/walk.h"
#include "core/ir/call.h"

namespace tw::passes {

using ir::as;
using ir::Stmt;

namespace {

constexpr std::int64_t kGroupThreads = 128;  // setmaxnreg is for a warp group
constexpr std::int64_t kStep = 8;           // of what the assembler allots
constexpr std::int64_t kMostAtLaunch = 255;

struct Request {
    std::int64_t registers = 0;
    std::int64_t firstGroup = 0, lastGroup = -1;  // of threads that come to it
    ir::Provenance where;
};

// The requests of a launch with the warp groups that make them.
class Requests final : public analysis::Walk {
public:
    explicit Requests(PassContext& context) : context_(context) {}
    std::vector<Request> found;

protected:
    void enter(const Stmt& s) override
    {
        const auto* op = as<ir::OpStmt>(s);
        if (!op || op->call.op != ir::OpId::kSetMaxNreg)
            return;
        Request request{ir::intAttr(op->call.attrs, "n", 0), 0, -1, s->where};
        analysis::ThreadSet threads(*launch());
        for (const analysis::Guard& guard : guards())
            threads.restrictTo(expand(guard.condition), guard.holds);
        if (!findGroups(threads, request))
            context_.diagnostics.error(Code::kThreadCount, s->where.range,
                                       fmt::format("set_max_nreg is for whole warp groups of {} threads, but {} threads come here", kGroupThreads, threads.count()));
        found.push_back(request);
    }

private:
    static bool findGroups(const analysis::ThreadSet& threads, Request& request)
    {
        if (threads.total() % kGroupThreads != 0)
            return false;
        std::int64_t groups = 0;
        for (std::int64_t group = 0; group < threads.total() / kGroupThreads; ++group) {
            std::int64_t here = 0;
            for (std::int64_t t = 0; t < kGroupThreads; ++t)
                here += threads.contains(group * kGroupThreads + t) ? 1 : 0;
            if (here == 0)
                continue;
            if (here != kGroupThreads)
                return false;
            request.firstGroup = groups == 0 ? group : request.firstGroup;
            request.lastGroup = group;
            ++groups;
        }
        return groups > 0 && groups == request.lastGroup - request.firstGroup + 1;
    }

    PassContext& context_;
};

class LaunchAssigner final : public ir::Rewriter {
public:
    explicit LaunchAssigner(PassContext& context) : context_(context) {}
    using ir::Rewriter::rewrite;

    Stmt rewrite(const Stmt& s) override
    {
        const auto* launch = as<ir::Launch>(s);
        if (!launch)
            return rewriteChildren(s);
        const int before = context_.diagnostics.errorCount();
        Requests requests(context_);
        static_cast<ir::Visitor&>(requests).visit(s);
        if (requests.found.empty() || context_.diagnostics.errorCount() > before)
            return s;
        auto next = std::make_shared<ir::Launch>(*launch);
        if (!next->attrs.contains("min_blocks_per_sm"))
            next->attrs["min_blocks_per_sm"] = std::int64_t{1};
        checkSum(*next, requests.found);
        return next;
    }

private:
    // At every time each warp group has what it started with or what it last asked for: the largest request of each counts.
    void checkSum(const ir::Launch& launch, const std::vector<Request>& requests)
    {
        const std::int64_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
        const std::int64_t blocks = std::max<std::int64_t>(1, ir::intAttr(launch.attrs, "min_blocks_per_sm", 1));
        const std::int64_t atLaunch = std::min(kMostAtLaunch, context_.target.registersPerMultiprocessor / (threads * blocks)) / kStep * kStep;
        std::vector<std::int64_t> groups(static_cast<std::size_t>(threads / kGroupThreads), -1);
        const Request* largest = &requests.front();
        for (const Request& r : requests) {
            for (std::int64_t g = r.firstGroup; g <= r.lastGroup; ++g)
                groups[static_cast<std::size_t>(g)] = std::max(groups[static_cast<std::size_t>(g)], r.registers);
            largest = r.registers > largest->registers ? &r : largest;
        }
        std::int64_t want = 0;
        for (const std::int64_t registers : groups)
            want += registers < 0 ? atLaunch : registers;
        const std::int64_t have = atLaunch * static_cast<std::int64_t>(groups.size());
        if (want > have)
            context_.diagnostics.error(Code::kCapacity, largest->where.range,
                                       fmt::format("the warp groups ask for {} registers a thread in all, but the launch gives {} groups {} each: {} in "
                                                   "all; the request would never be granted",
                                                   want, groups.size(), atLaunch, have));
    }

    PassContext& context_;
};

}  // namespace

ir::Function assignRegisters(const ir::Function& in, PassContext& context)
{
    ir::Function out = in;
    out.body = LaunchAssigner(context).rewrite(in.body);
    return out;
}

}  // namespace tw::passes

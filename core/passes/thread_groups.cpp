#include "core/passes/thread_groups.h"

#include <algorithm>

#include "core/analysis/thread_set.h"
#include "core/analysis/walk.h"
#include "core/ir/build.h"

namespace tw::passes {

namespace {

class Groups final : public analysis::Walk {
public:
    std::unordered_map<const ir::StmtNode*, ThreadGroup> found;

protected:
    void enter(const ir::Stmt& s) override
    {
        const auto* loop = ir::as<ir::For>(s);
        const bool nest = loop && loop->loop == ir::ForKind::kParallel && !parallelNest();
        if (launch() && (nest || ir::as<ir::OpStmt>(s)))
            found[s.get()] = group();
    }

private:
    ThreadGroup group() const
    {
        analysis::ThreadSet threads(*launch());
        for (const analysis::Guard& guard : guards())
            threads.restrictTo(expand(guard.condition), guard.holds);
        if (threads.count() == threads.total())
            return {0, threads.total(), true};
        const auto values = threads.values(flatThread(*launch()));
        if (values.empty())  // an arm that is never taken, such as one iteration of a pipeline's prologue: any group will do
            return {0, threads.total(), true};
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        const std::int64_t count = threads.count();
        return {*low, count, *high - *low + 1 == count};
    }
};

}  // namespace

std::unordered_map<const ir::StmtNode*, ThreadGroup> threadGroups(const ir::Function& function)
{
    Groups groups;
    ir::Visitor& visitor = groups;
    visitor.visit(function.body);
    return std::move(groups.found);
}

ir::Expr flatThread(const ir::Launch& launch)
{
    ir::Expr flat;
    for (std::size_t axis = 3; axis-- > 0;) {
        if (launch.threads[axis] == 1)
            continue;
        flat = flat ? ir::add(ir::mul(flat, ir::intImm(launch.threads[axis])), launch.threadVars[axis]) : ir::Expr(launch.threadVars[axis]);
    }
    return flat ? flat : ir::intImm(0);
}

std::int64_t threadCount(const ir::Launch& launch) { return launch.threads[0] * launch.threads[1] * launch.threads[2]; }

}  // namespace tw::passes

#include "core/analysis/thread_set.h"

#include <algorithm>

#include "core/arith/evaluate.h"
#include "core/ir/build.h"
#include "core/ir/call.h"

namespace tw::analysis {

namespace {

using ir::as;
using ir::Expr;

constexpr std::int64_t kMaxThreads = 4096;  // beyond the language's 1024: only wrong programs have more
constexpr std::int64_t kWarpSize = 32;

Expr linearThread(const ir::Launch& launch)
{
    const auto& [x, y, z] = launch.threads;
    const auto& vars = launch.threadVars;
    const Expr upper = ir::add(Expr(vars[1]), ir::mul(Expr(vars[2]), ir::intImm(y)));
    return ir::add(Expr(vars[0]), ir::mul(upper, ir::intImm(x)));
}

// Replaces lane, warp and warp-group indices by arithmetic on the thread index.
class ThreadIndices final : public ir::Rewriter {
public:
    explicit ThreadIndices(const ir::Launch& launch) : launch_(launch) {}
    using ir::Rewriter::rewrite;
    Expr rewrite(const Expr& e) override
    {
        const auto* call = as<ir::Call>(e);
        if (!call || ir::info(call->call.op).cls != ir::OpClass::kThread)
            return rewriteChildren(e);
        for (const ir::Operand& operand : call->call.operands)
            if (!ir::isAbsent(operand))
                return e;
        const Expr thread = linearThread(launch_);
        switch (call->call.op) {
        case ir::OpId::kLaneIdx: return ir::floorMod(thread, ir::intImm(kWarpSize));
        case ir::OpId::kWarpIdx:
        case ir::OpId::kWarpIdxSync: return ir::floorDiv(thread, ir::intImm(kWarpSize));
        case ir::OpId::kWarpGroupIdx: return ir::floorDiv(thread, ir::intImm(4 * kWarpSize));
        default: return e;
        }
    }

private:
    const ir::Launch& launch_;
};

}  // namespace

ThreadSet::ThreadSet(const ir::Launch& launch) : launch_(&launch)
{
    const auto& [x, y, z] = launch.threads;
    active_.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(x * y * z, 1, kMaxThreads)), 1);
}

std::vector<std::int64_t> ThreadSet::values(const Expr& e) const
{
    ThreadIndices indices(*launch_);
    const std::array<const ir::ExprNode*, 3> vars{launch_->threadVars[0].get(), launch_->threadVars[1].get(),
                                                  launch_->threadVars[2].get()};
    auto evaluation = arith::Evaluation::compile(indices.rewrite(e), vars);
    if (!evaluation)
        return {};
    const auto& [x, y, z] = launch_->threads;
    std::vector<std::int64_t> result;
    for (std::size_t t = 0; t < active_.size(); ++t) {
        if (!active_[t])
            continue;
        const auto linear = static_cast<std::int64_t>(t);
        const std::array<std::int64_t, 3> thread{linear % x, linear / x % y, linear / x / y};
        const auto value = evaluation->run(thread);
        if (!value)
            return {};
        result.push_back(*value);
    }
    return result;
}

void ThreadSet::restrictTo(const Expr& condition, bool holds)
{
    const auto* both = as<ir::Binary>(condition);
    const bool splits = both && ((both->op == ir::BinaryOp::kAnd && holds) || (both->op == ir::BinaryOp::kOr && !holds));
    if (splits) {
        restrictTo(both->a, holds);
        return restrictTo(both->b, holds);
    }
    const std::vector<std::int64_t> truth = values(condition);
    std::size_t next = 0;
    for (std::size_t t = 0; t < active_.size() && next < truth.size(); ++t)
        if (active_[t])
            active_[t] = (truth[next++] != 0) == holds;
}

bool ThreadSet::isDisjoint(const ThreadSet& other) const
{
    for (std::size_t t = 0; t < active_.size(); ++t)
        if (active_[t] && other.active_[t])
            return false;
    return true;
}

std::int64_t ThreadSet::count() const
{
    return std::count(active_.begin(), active_.end(), 1);
}

}  // namespace tw::analysis

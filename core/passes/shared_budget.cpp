#include "core/passes/shared_budget.h"

#include <algorithm>

#include "core/analysis/walk.h"
#include "core/ir/call.h"
#include "core/passes/tile_accesses.h"

namespace tw::passes {

// Numbers the statements and notes where each shared buffer is touched.
class SharedBudget::Walker final : public ir::Visitor {
public:
    std::map<const ir::BufferNode*, Span> touched;
    std::map<const ir::StmtNode*, Span> loops;
    std::vector<std::pair<ir::Stmt, Span>> bodies;
    int position = 0;

    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        if (!s)
            return;
        const int begin = ++position;
        allocating_ = s->kind == ir::StmtKind::kAllocate;
        ir::Visitor::visit(s);
        allocating_ = false;
        ++position;
        const Span span{begin, position};
        if (const auto* loop = ir::as<ir::For>(s)) {
            loops[s.get()] = span;
            if (loop->loop != ir::ForKind::kParallel)
                bodies.emplace_back(loop->body, span);
        } else if (const auto* endless = ir::as<ir::While>(s)) {
            bodies.emplace_back(endless->body, span);
        }
    }
    void visitBuffer(const ir::Buffer& buffer) override
    {
        const ir::BufferNode* storage = analysis::storageOf(buffer.get());
        if (storage->scope != ir::MemoryScope::kShared || allocating_)
            return;
        const auto [at, fresh] = touched.try_emplace(storage, Span{position, position});
        at->second.last = position;
    }

private:
    bool allocating_ = false;
};

SharedBudget::SharedBudget(const ir::Launch& launch)
{
    Walker walker;
    static_cast<ir::Visitor&>(walker).visit(launch.body);
    all_ = {0, walker.position};
    loops_ = std::move(walker.loops);
    for (auto [storage, span] : walker.touched) {
        std::int64_t elements = 1;
        for (const ir::Expr& extent : storage->shape)
            elements *= ir::asInt(extent) ? *ir::asInt(extent) : 0;
        for (const auto& [body, loop] : walker.bodies)
            if (span.first <= loop.last && loop.first <= span.last && flowOf(body, storage).exposed)
                span = {std::min(span.first, loop.first), std::max(span.last, loop.last)};
        uses_.push_back({span, storage->dtype.storageBytes(elements)});
    }
}

std::int64_t SharedBudget::peakWithin(const ir::StmtNode* loop) const
{
    const auto found = loops_.find(loop);
    const Span within = found == loops_.end() ? all_ : found->second;
    std::int64_t peak = 0;
    for (const Use& start : uses_) {
        const int at = std::max(start.span.first, within.first);
        if (at > within.last || at > start.span.last)
            continue;
        std::int64_t bytes = 0;
        for (const Use& use : uses_)
            bytes += use.span.first <= at && at <= use.span.last ? use.bytes : 0;
        peak = std::max(peak, bytes);
    }
    return peak;
}

}  // namespace tw::passes

// The life of a deferred reduction: T.reducer_init, updates, T.finalize_reducer (language.md d.9).
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/walk.h"

namespace tw::analysis {

namespace {

using ir::OpId;

class ReducerWalk final : public Walk {
public:
    explicit ReducerWalk(const CheckContext& context) : context_(context) {}

    using Walk::visit;
    void visit(const ir::OpCall& call) override
    {
        if (ir::info(call.op).cls == ir::OpClass::kReducer && !call.operands.empty())
            if (const auto* region = std::get_if<ir::Region>(&call.operands[0]); region && isReducer(*region->buffer))
                step(call.op, *region->buffer);
        Walk::visit(call);
    }

    // What was begun and never combined leaves the threads' contributions apart.
    void finish()
    {
        for (const auto& [buffer, range] : open_)
            if (!finalized_.contains(buffer))
                context_.diagnostics.error(Code::kStructure, range,
                                           fmt::format("the reduction into {} begins here but no T.finalize_reducer({}, …) ends it",
                                                       buffer->name, buffer->name));
    }

private:
    // The legacy form (replication=…) is filled and updated like a fragment.
    static bool isReducer(const ir::BufferNode& buffer)
    {
        return buffer.scope == ir::MemoryScope::kReducer && buffer.replication.empty();
    }

    void step(OpId op, const ir::BufferNode& buffer)
    {
        const SourceRange range = statement() ? statement()->where.range : SourceRange{};
        if (op == OpId::kReducerInit) {
            open_.try_emplace(&buffer, range);
            return;
        }
        if (!open_.contains(&buffer) && reported_.insert(&buffer).second) {
            context_.diagnostics.error(Code::kUninitialized, range,
                                       fmt::format("the reducer {} is used before T.reducer_init({}) has begun its reduction", buffer.name,
                                                   buffer.name));
            open_.try_emplace(&buffer, range);
            finalized_.insert(&buffer);
        }
        if (op == OpId::kFinalizeReducer)
            finalized_.insert(&buffer);
    }

    const CheckContext& context_;
    std::map<const ir::BufferNode*, SourceRange> open_;
    std::set<const ir::BufferNode*> finalized_, reported_;
};

}  // namespace

void checkReducers(const CheckContext& context)
{
    ReducerWalk walk(context);
    walk.visit(context.function.body);
    walk.finish();
}

}  // namespace tw::analysis

// The rules of T.Parallel (language.md d.4, g.2).
#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/walk.h"
#include "core/ir/call.h"
#include "core/ir/search.h"

namespace tw::analysis {

namespace {

using ir::as;
using ir::OpClass;

class StructureWalk final : public Walk {
public:
    explicit StructureWalk(const CheckContext& context) : context_(context) {}

    using Walk::visit;
    void visit(const ir::OpCall& call) override
    {
        checkOperation(call);
        Walk::visit(call);
    }

protected:
    void enter(const ir::Stmt& s) override
    {
        const auto* loop = as<ir::For>(s);
        if (loop)
            enterLoop(*loop);
        if (loop || as<ir::While>(s))
            isUnordered_.push_back(loop && (loop->loop == ir::ForKind::kParallel || loop->loop == ir::ForKind::kVectorized));
        if (as<ir::Break>(s) && !isUnordered_.empty() && isUnordered_.back())
            error(s->where.range, "`break` cannot leave a loop whose iterations run at the same time (T.Parallel, T.vectorized): there is no first one "
                                  "to stop at; use T.serial, or put the body under an if");
        if (const auto* allocate = as<ir::Allocate>(s); allocate && parallelNest() && allocate->buffer->scope == ir::MemoryScope::kShared)
            error(s->where.range, fmt::format("{} is shared by all threads of the block and cannot be allocated inside T.Parallel, whose iterations they "
                                              "share out; allocate it before the loop, or use T.alloc_local", allocate->buffer->name));
        if (const auto* store = as<ir::Store>(s))
            checkPrivate(store->buffer, store->indices, s->where.range);
    }

    void leave(const ir::Stmt& s) override
    {
        if (as<ir::For>(s) || as<ir::While>(s))
            isUnordered_.pop_back();
    }

    void enterExpr(const ir::Expr& e) override
    {
        if (const auto* load = as<ir::Load>(e))
            checkPrivate(load->buffer, load->indices, rangeOf(e));
    }

private:
    void error(const SourceRange& range, std::string message)
    {
        context_.diagnostics.error(Code::kStructure, range, std::move(message));
    }

    void enterLoop(const ir::For& loop)
    {
        const ir::For* nest = parallelNest();
        if (!nest)
            return;
        if (loop.loop == ir::ForKind::kPipelined)
            return error(loop.where.range,
                         "T.Pipelined cannot stand inside T.Parallel; make T.Pipelined the outer loop and T.Parallel the inner one");
        if (loop.loop != ir::ForKind::kParallel)
            return;
        const ir::For* outer = loops().back();
        if (outer->loop != ir::ForKind::kParallel || outer->body.get() != &loop)
            error(loop.where.range,
                  "a T.Parallel inside another one must be its only statement; write one nest, for i, j in T.Parallel(m, n)");
    }

    // Operations of the whole block inside a loop whose iterations are spread over its threads.
    void checkOperation(const ir::OpCall& call)
    {
        if (!parallelNest())
            return;
        const ir::OpInfo& op = ir::info(call.op);
        switch (op.cls) {
        case OpClass::kCopy:
        case OpClass::kProduct:
        case OpClass::kFill:
        case OpClass::kReduce:
        case OpClass::kScan:
            if (call.op == ir::OpId::kDp4a || call.op == ir::OpId::kAnyOf || call.op == ir::OpId::kAllOf)
                return;
            return error(place(),
                         fmt::format("T.{} works on whole tiles with all threads of the block and cannot stand inside T.Parallel; "
                                     "move it out of the loop, or use T.serial for the loop",
                                     op.name));
        case OpClass::kReducer:
            if (call.op != ir::OpId::kReducerUpdate)
                error(place(), fmt::format("T.{} cannot stand inside T.Parallel; move it out of the loop", op.name));
            return;
        case OpClass::kAtomic:
            if (ir::info(call.op).operands.size() > 2 && ir::regionOperand(call, "src"))
                error(place(), fmt::format("the tile form of T.{} cannot stand inside T.Parallel; give it one element, such as A[i]", op.name));
            return;
        case OpClass::kBarrier:
            if (op.effect == ir::Effect::kSync && call.op != ir::OpId::kSyncWarp)
                error(place(), fmt::format("T.{} cannot stand inside T.Parallel, whose iterations the threads of the block share; "
                                           "move it out of the loop",
                                           op.name));
            return;
        default: return;
        }
    }

    // Every thread has its own copy of a local buffer, so iterations on other threads never see what this one stores.
    void checkPrivate(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, const SourceRange& range)
    {
        if (buffer->scope != ir::MemoryScope::kLocal)
            return;
        for (const ir::For* loop : loops()) {
            if (loop->loop != ir::ForKind::kParallel)
                continue;
            for (const ir::Axis& axis : loop->axes)
                for (const ir::Expr& index : indices)
                    if (ir::mentions(expand(index), axis.var.get()))
                        return error(range,
                                     fmt::format("{} is local, private to each thread, and cannot be indexed by {} of T.Parallel; "
                                                 "use T.alloc_fragment for a tile that the threads share out",
                                                 buffer->name, axis.var->name));
        }
    }

    [[nodiscard]] SourceRange place() const { return statement() ? statement()->where.range : SourceRange{}; }

    const CheckContext& context_;
    std::vector<bool> isUnordered_;  // of every loop around this place, the innermost last
};

}  // namespace

void checkStructure(const CheckContext& context)
{
    StructureWalk walk(context);
    walk.visit(context.function.body);
}

}  // namespace tw::analysis

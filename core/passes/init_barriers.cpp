#include "core/passes/init_barriers.h"

#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::passes {

using ir::as;
using ir::Expr;
using ir::MemoryScope;
using ir::OpId;
using ir::Stmt;

namespace {

bool isBarrier(const Stmt& s)
{
    const auto* allocate = as<ir::Allocate>(s);
    return allocate && !allocate->buffer->viewOf &&
           (allocate->buffer->scope == MemoryScope::kBarrier || allocate->buffer->scope == MemoryScope::kClusterBarrier);
}

Stmt initOp(OpId id, std::vector<ir::Operand> operands, ir::Provenance where)
{
    return std::make_shared<ir::OpStmt>(ir::OpCall{id, std::move(operands), {}}, where);
}

class Initializer final : public ir::Rewriter {
public:
    explicit Initializer(const target::Target& target) : target_(target) {}
    using ir::Rewriter::rewrite;

    Stmt rewrite(const Stmt& s) override
    {
        if (const auto* launch = as<ir::Launch>(s))
            launch_ = launch;
        if (isBarrier(s))
            return ir::sequence(withInit({s}));
        const auto* seq = as<ir::Seq>(s);
        if (!seq)
            return rewriteChildren(s);
        std::vector<Stmt> out, barriers;
        bool changed = false;
        for (const Stmt& child : seq->stmts) {
            const bool allocates = child->kind == ir::StmtKind::kAllocate;
            if (!allocates)
                flush(barriers, out);
            if (isBarrier(child))
                barriers.push_back(child);
            const Stmt next = isBarrier(child) ? child : rewrite(child);
            changed = changed || next != child || isBarrier(child);
            out.push_back(next);
        }
        flush(barriers, out);
        return changed ? ir::sequence(std::move(out)) : s;
    }

private:
    // Allocations that stand together are initialised together.
    void flush(std::vector<Stmt>& barriers, std::vector<Stmt>& out) const
    {
        if (barriers.empty())
            return;
        const auto init = withInit(barriers);
        out.insert(out.end(), init.begin() + static_cast<std::ptrdiff_t>(barriers.size()), init.end());
        barriers.clear();
    }

    [[nodiscard]] std::vector<Stmt> withInit(const std::vector<Stmt>& barriers) const
    {
        std::vector<Stmt> all = barriers, inits;
        bool cluster = false;
        const ir::Provenance where = barriers.front()->where;
        for (const Stmt& s : barriers) {
            const ir::Buffer& buffer = as<ir::Allocate>(s)->buffer;
            cluster = cluster || buffer->scope == MemoryScope::kClusterBarrier;
            for (std::size_t i = 0; i < buffer->arrivals.size(); ++i)
                inits.push_back(initOp(OpId::kBarrierInit,
                                   {ir::Region{buffer, {ir::intImm(static_cast<std::int64_t>(i))}, {ir::intImm(1)}},
                                    ir::intImm(buffer->arrivals[i])},
                                   s->where));
        }
        Expr first;
        for (std::size_t k = 0; k < 3; ++k)
            if (launch_->threads[k] > 1)
                first = ir::logicalAnd(first, ir::binary(ir::BinaryOp::kEq, launch_->threadVars[k], ir::intImm(0)));
        const Stmt init = ir::sequence(std::move(inits));
        all.push_back(first ? Stmt(std::make_shared<ir::If>(first, init, Stmt{}, where)) : init);
        if (target_.hasTma())
            all.push_back(initOp(OpId::kFenceBarrierInit, {}, where));
        all.push_back(initOp(cluster && !launch_->cluster.empty() ? OpId::kClusterSync : OpId::kSyncThreads, {}, where));
        return all;
    }

    const target::Target& target_;
    const ir::Launch* launch_ = nullptr;
};

}  // namespace

ir::Function initBarriers(const ir::Function& in, PassContext& context)
{
    ir::Function out = in;
    out.body = Initializer(context.target).rewrite(in.body);
    return out;
}

}  // namespace tw::passes

#include "core/passes/fence_accumulators.h"

#include <set>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/product_steps.h"

namespace tw::passes {

namespace {

using ir::OpId;
using ir::Stmt;

class Accumulators final : public ir::Visitor {
public:
    std::set<const ir::BufferNode*> found;
    using ir::Visitor::visit;
    void visit(const ir::OpCall& call) override
    {
        if (call.op == OpId::kWgmma)
            found.insert(ir::regionOperand(call, "C")->buffer.get());
    }
};

class Fencer final : public ir::Rewriter {
public:
    explicit Fencer(const std::set<const ir::BufferNode*>& accumulators) : accumulators_(accumulators) {}

    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        if (const auto* allocate = ir::as<ir::Allocate>(s); allocate && accumulators_.contains(allocate->buffer.get()))
            alive_.push_back(allocate->buffer);
        if (const auto* op = ir::as<ir::OpStmt>(s))
            return operation(s, op->call);
        const std::size_t mark = alive_.size();
        Stmt result = Rewriter::rewrite(s);
        if (s->kind != ir::StmtKind::kAllocate)
            alive_.resize(std::min(mark, alive_.size()));
        return result;
    }

private:
    using Group = std::set<const ir::BufferNode*>;

    Stmt operation(const Stmt& s, const ir::OpCall& call)
    {
        if (call.op == OpId::kWgmma)
            open_.insert(ir::regionOperand(call, "C")->buffer.get());
        else if (call.op == OpId::kWarpgroupCommit)
            groups_.push_back(std::exchange(open_, {}));
        else if (call.op == OpId::kWaitWgmma || call.op == OpId::kWarpgroupWait)
            if (const auto* pending = ir::asInt(ir::exprOperand(call, "n")))
                return fenced(s, static_cast<std::size_t>(*pending));
        return s;
    }

    // The registers of groups that may be pending stay untouched.
    Stmt fenced(const Stmt& wait, std::size_t pending) const
    {
        std::vector<Stmt> stmts{wait};
        for (const ir::Buffer& buffer : alive_) {
            const auto in = [&](const Group& group) { return group.contains(buffer.get()); };
            if (std::none_of(groups_.end() - static_cast<std::ptrdiff_t>(std::min(pending, groups_.size())), groups_.end(), in))
                stmts.push_back(passes::operation(OpId::kWarpgroupFence, {span(buffer, ir::intImm(0), *ir::asInt(buffer->shape.front()))}, {}, wait->where));
        }
        return ir::sequence(std::move(stmts));
    }

    const std::set<const ir::BufferNode*>& accumulators_;
    std::vector<ir::Buffer> alive_;  // allocated in the scopes around
    Group open_;                 // accumulators since the last commit
    std::vector<Group> groups_;  // in the order of the text
};

}  // namespace

ir::Function fenceAccumulators(const ir::Function& in, PassContext&)
{
    Accumulators accumulators;
    accumulators.visit(in.body);
    if (accumulators.found.empty())
        return in;
    ir::Function out = in;
    out.body = Fencer(accumulators.found).rewrite(in.body);
    return out;
}

}  // namespace tw::passes

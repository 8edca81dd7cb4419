#include "core/passes/narrow_scopes.h"

#include <map>

#include "core/ir/visit.h"
#include "core/passes/body_filter.h"
#include "core/passes/tile_accesses.h"

namespace tw::passes {

using ir::as;
using ir::BufferNode;
using ir::Stmt;

namespace {

class Names final : public ir::Visitor {
public:
    explicit Names(const BufferNode* buffer) : buffer_(buffer) {}
    bool found = false;
    using ir::Visitor::visit;
    void visitBuffer(const ir::Buffer& b) override
    {
        for (const BufferNode* at = b.get(); at; at = at->viewOf.get())
            found = found || at == buffer_;
    }

private:
    const BufferNode* buffer_;
};

bool names(const Stmt& s, const BufferNode* buffer)
{
    Names visitor(buffer);
    static_cast<ir::Visitor&>(visitor).visit(s);
    return visitor.found;
}

// The allocation itself, and the layout that the author fixed: they move together.
bool isDeclaration(const Stmt& s, const BufferNode* buffer)
{
    if (const auto* allocate = as<ir::Allocate>(s))
        return allocate->buffer.get() == buffer;
    const auto* op = as<ir::OpStmt>(s);
    return op && op->call.op == ir::OpId::kAnnotateLayout && std::get<ir::Region>(op->call.operands[0]).buffer.get() == buffer;
}

// The body of the innermost loop that may hold the allocation; empty if none may.
Stmt innermostLoop(const Stmt& within, const BufferNode* buffer)
{
    Stmt only;
    for (const Stmt& s : statementsOf(within)) {
        if (isDeclaration(s, buffer) || !names(s, buffer))
            continue;
        if (only)
            return {};
        only = s;
    }
    if (const auto* branch = as<ir::If>(only))
        return branch->otherwise ? Stmt{} : innermostLoop(branch->then, buffer);
    const auto* loop = as<ir::For>(only);
    if (!loop || loop->loop == ir::ForKind::kParallel || flowOf(loop->body, buffer).exposed)
        return {};
    const Stmt deeper = innermostLoop(loop->body, buffer);
    return deeper ? deeper : loop->body;
}

class Mover final : public ir::Rewriter {
public:
    using ir::Rewriter::rewrite;

    Stmt rewrite(const Stmt& s) override
    {
        if (const auto* seq = as<ir::Seq>(s))
            plan(*seq, s);
        if (moved_.contains(s.get()))
            return {};
        const auto arriving = arrivals_.find(s.get());
        const Stmt next = rewriteChildren(s);
        if (arriving == arrivals_.end())
            return next;
        std::vector<Stmt> all = arriving->second;
        all.push_back(next);
        return ir::sequence(std::move(all));
    }

private:
    void plan(const ir::Seq& seq, const Stmt& s)
    {
        for (const Stmt& child : seq.stmts) {
            const auto* allocate = as<ir::Allocate>(child);
            if (!allocate || allocate->buffer->scope != ir::MemoryScope::kShared || allocate->buffer->viewOf)
                continue;
            const BufferNode* buffer = allocate->buffer.get();
            const Stmt body = innermostLoop(s, buffer);
            if (!body)
                continue;
            for (const Stmt& declaration : seq.stmts)
                if (isDeclaration(declaration, buffer)) {
                    moved_.insert(declaration.get());
                    arrivals_[body.get()].push_back(declaration);
                }
        }
    }

    std::set<const ir::StmtNode*> moved_;
    std::map<const ir::StmtNode*, std::vector<Stmt>> arrivals_;
};

}  // namespace

ir::Function narrowScopes(const ir::Function& in, PassContext&)
{
    ir::Function out = in;
    out.body = Mover().rewrite(in.body);
    return out;
}

}  // namespace tw::passes

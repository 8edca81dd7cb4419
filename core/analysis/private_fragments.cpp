#include "core/analysis/private_fragments.h"

#include <map>
#include <set>

#include "core/analysis/uniform.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::analysis {

namespace {

using ir::as;
using ir::Buffer;
using ir::BufferNode;
using ir::MemoryScope;
using ir::Stmt;

// The fragments of a launch, and those that something else than a thread's own statements uses.
class Uses final : public ir::Visitor {
public:
    std::vector<Buffer> fragments;
    std::set<const BufferNode*> shared;

    using ir::Visitor::visit;
    void visit(const Stmt& s) override
    {
        if (const auto* allocate = as<ir::Allocate>(s)) {
            if (allocate->buffer->scope == MemoryScope::kFragment)
                fragments.push_back(allocate->buffer);
            if (allocate->buffer->viewOf)
                share(allocate->buffer), share(allocate->buffer->viewOf);
        }
        const auto* loop = as<ir::For>(s);
        const bool distributes = loop && loop->loop == ir::ForKind::kParallel;
        nests_ += distributes ? 1 : 0;
        ir::Visitor::visit(s);
        nests_ -= distributes ? 1 : 0;
    }

    void visit(const ir::OpCall& call) override
    {
        const bool fills = call.op == ir::OpId::kFill || call.op == ir::OpId::kClear;
        for (const ir::Operand& operand : call.operands)
            if (const auto* region = std::get_if<ir::Region>(&operand); region && region->buffer && !fills)
                share(region->buffer);
        ir::Visitor::visit(call);
    }

    void visitBuffer(const Buffer& b) override
    {
        if (nests_ > 0)
            share(b);
    }

private:
    void share(const Buffer& b) { shared.insert(b.get()); }

    int nests_ = 0;
};

class Replacer final : public ir::Rewriter {
public:
    std::map<const BufferNode*, Buffer> to;
    bool keepsFills = true;  // a fill is alike in all threads, but an analysis of writes does not know that

    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        const auto* op = as<ir::OpStmt>(s);
        const bool fills = op && (op->call.op == ir::OpId::kFill || op->call.op == ir::OpId::kClear);
        if (fills && !keepsFills && to.contains(std::get<ir::Region>(op->call.operands[0]).buffer.get()))
            return {};
        return rewriteChildren(s);
    }
    Buffer rewriteBuffer(const Buffer& b) override
    {
        const auto found = to.find(b.get());
        return found == to.end() ? b : found->second;
    }
};

class Launches final : public ir::Rewriter {
public:
    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override { return as<ir::Launch>(s) ? launch(s) : rewriteChildren(s); }

private:
    static Stmt launch(const Stmt& s)
    {
        Uses uses;
        static_cast<ir::Visitor&>(uses).visit(as<ir::Launch>(s)->body);
        Replacer all;
        for (const Buffer& fragment : uses.fragments)
            if (!uses.shared.contains(fragment.get())) {
                auto own = std::make_shared<BufferNode>(*fragment);
                own->scope = MemoryScope::kLocal;
                all.to[fragment.get()] = std::move(own);
            }
        if (all.to.empty())
            return s;
        all.keepsFills = false;
        const Stmt tried = all.rewrite(s);
        all.keepsFills = true;
        const Uniformity uniformity(*as<ir::Launch>(tried));
        std::erase_if(all.to, [&](const auto& pair) {
            const std::vector<ir::Expr> first(pair.second->shape.size(), ir::intImm(0));
            return uniformity.isUniform(std::make_shared<ir::Load>(pair.second->dtype, pair.second, first));
        });
        return all.to.empty() ? s : all.rewrite(s);
    }
};

}  // namespace

ir::Function privateFragments(const ir::Function& in)
{
    ir::Function out = in;
    out.body = Launches().rewrite(in.body);
    return out;
}

}  // namespace tw::analysis

#include "core/passes/direct_operands.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"
#include "core/passes/facts_rewriter.h"
#include "core/passes/plan_threads.h"
#include "core/passes/tile_accesses.h"

namespace tw::passes {

using analysis::storageOf;
using ir::as;
using ir::BufferNode;
using ir::Expr;
using ir::Region;
using ir::Stmt;

namespace {

const ir::OpCall* callOf(const Stmt& s, ir::OpId id)
{
    const auto* op = as<ir::OpStmt>(s);
    return op && op->call.op == id ? &op->call : nullptr;
}

// The buffer that a statement only declares: its allocation, or the layout that the author fixed.
const BufferNode* declared(const Stmt& s)
{
    if (const auto* allocate = as<ir::Allocate>(s))
        return allocate->buffer.get();
    const ir::OpCall* layout = callOf(s, ir::OpId::kAnnotateLayout);
    return layout ? std::get<Region>(layout->operands[0]).buffer.get() : nullptr;
}

// How often each storage is named, declarations aside; views count for what they show.
class Namings final : public ir::Visitor {
public:
    std::map<const BufferNode*, int> count;
    using ir::Visitor::visit;
    void visit(const Stmt& s) override
    {
        const BufferNode* buffer = s ? declared(s) : nullptr;
        if (!buffer || buffer->viewOf)
            ir::Visitor::visit(s);
    }
    void visitBuffer(const ir::Buffer& b) override
    {
        if (b)
            ++count[storageOf(b.get())];
    }
};

bool mayWriteGlobal(const TileAccesses& accesses)
{
    return accesses.meetsOthers || std::ranges::any_of(accesses.all, [](const TileAccess& a) {
               return a.writes && (a.storage->scope == ir::MemoryScope::kGlobal || a.buffer->address || a.storage->address);
           });
}

class Finder final : public FactsRewriter {
public:
    explicit Finder(const ir::Function& function) : FactsRewriter(function) { namings_.ir::Visitor::visit(function.body); }
    using FactsRewriter::rewrite;

    std::map<const BufferNode*, Region> sources;  // of the tiles that go
    std::set<const ir::StmtNode*> copies;         // that filled them

    Stmt rewrite(const Stmt& s) override
    {
        if (const auto* launch = as<ir::Launch>(s); launch && runsThreads(*launch))
            return s;
        const auto* seq = as<ir::Seq>(s);
        if (!seq)
            return FactsRewriter::rewrite(s);
        for (std::size_t i = 0; i < seq->stmts.size(); ++i) {
            rewrite(seq->stmts[i]);
            if (const ir::OpCall* copy = callOf(seq->stmts[i], ir::OpId::kCopy); copy && goes(*copy, *seq, i)) {
                sources[ir::regionOperand(*copy, "dst")->buffer.get()] = *ir::regionOperand(*copy, "src");
                copies.insert(seq->stmts[i].get());
            }
        }
        return s;
    }

private:
    bool goes(const ir::OpCall& copy, const ir::Seq& seq, std::size_t at) const
    {
        const Region *src = ir::regionOperand(copy, "src"), *dst = ir::regionOperand(copy, "dst");
        return fillsTile(*src, *dst) && isInside(*src) && onlyProductsRead(dst->buffer.get(), seq, at);
    }

    static bool fillsTile(const Region& src, const Region& dst)
    {
        const BufferNode &from = *src.buffer, &tile = *dst.buffer;
        const std::size_t rank = src.extents.size();
        if (tile.scope != ir::MemoryScope::kShared || tile.viewOf || tile.address || tile.shape.size() != 2 || !ir::isWhole(dst))
            return false;
        if (from.scope != ir::MemoryScope::kGlobal || from.dtype != tile.dtype || rank < 2)
            return false;
        for (std::size_t axis = 0; axis + 2 < rank; ++axis)
            if (!ir::isOne(src.extents[axis]))
                return false;
        return ir::equal(src.extents[rank - 2], tile.shape[0]) && ir::equal(src.extents[rank - 1], tile.shape[1]);
    }

    bool isInside(const Region& r) const
    {
        const auto proved = [&](const Expr& low, const Expr& high) { return facts_.lessEqual(expanded(low), expanded(high)) == arith::Truth::kProved; };
        for (std::size_t axis = 0; axis < r.mins.size(); ++axis)
            if (ir::hasRuntimeValue(r.mins[axis]) || !proved(ir::intImm(0), r.mins[axis]) ||
                !proved(ir::add(r.mins[axis], r.extents[axis]), r.buffer->shape[axis]))
                return false;
        return true;
    }

    // Nor does anything change what they read before they have read it.
    bool onlyProductsRead(const BufferNode* tile, const ir::Seq& seq, std::size_t copy) const
    {
        int left = namings_.count.at(tile) - 1;  // the copy names it, too
        bool written = false;
        for (std::size_t i = copy + 1; i < seq.stmts.size() && left > 0; ++i) {
            written = written || mayWriteGlobal(accessesOf(seq.stmts[i]));
            const ir::OpCall* product = callOf(seq.stmts[i], ir::OpId::kGemm);
            const int reads = product ? operandsOf(*product, tile) : 0;
            if (reads > 0 && (written || ir::regionOperand(*product, "C")->buffer->dtype.bits() < 32))
                return false;
            left -= reads;
        }
        return left == 0;
    }

    static int operandsOf(const ir::OpCall& product, const BufferNode* tile)
    {
        int count = 0;
        for (const char* name : {"A", "B"})
            count += ir::regionOperand(product, name)->buffer.get() == tile ? 1 : 0;
        return count;
    }

    Namings namings_;
};

class OperandReplacer final : public ir::Rewriter {
public:
    explicit OperandReplacer(const Finder& found) : found_(found) {}
    using ir::Rewriter::rewrite;

    Stmt rewrite(const Stmt& s) override
    {
        const BufferNode* buffer = declared(s);
        return found_.copies.contains(s.get()) || (buffer && found_.sources.contains(buffer)) ? Stmt{} : rewriteChildren(s);
    }

    // A part of the tile is the same part of what was copied into it.
    Region rewrite(const Region& r) override
    {
        const auto source = found_.sources.find(r.buffer.get());
        if (source == found_.sources.end())
            return ir::Rewriter::rewrite(r);
        Region result = source->second;
        for (std::size_t axis = 0, at = result.mins.size() - 2; axis < 2; ++axis, ++at) {
            result.mins[at] = ir::add(result.mins[at], r.mins[axis]);
            result.extents[at] = r.extents[axis];
        }
        return result;
    }

private:
    const Finder& found_;
};

}  // namespace

ir::Function directOperands(const ir::Function& in, PassContext&)
{
    Finder finder(in);
    finder.rewrite(in.body);
    if (finder.sources.empty())
        return in;
    ir::Function out = in;
    out.body = OperandReplacer(finder).rewrite(in.body);
    return out;
}

}  // namespace tw::passes

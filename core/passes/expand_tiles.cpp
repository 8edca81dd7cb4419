// Element-wise tile operations as nests:
//   T.copy(A[by*32:by*32+32, 0:64], s)  ->  for i, j in T.Parallel(32, 64): s[i, j] = A[by*32 + i, j]
// Then one machinery distributes, guards and vectorises all of them, the author's own nests included.
#include "core/passes/expand_tiles.h"

#include <functional>
#include <optional>

#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"
#include "core/passes/copy_hints.h"
#include "core/passes/expand_scans.h"
#include "core/passes/lower_steps.h"
#include "core/passes/plan_threads.h"
#include "core/passes/thread_values.h"
#include "core/passes/tile_regions.h"
#include "core/passes/waited_bulk_copies.h"

namespace tw::passes {

namespace {

using ir::Expr;
using ir::ForKind;
using ir::OpClass;
using ir::OpId;
using ir::Region;
using ir::Stmt;

constexpr std::int64_t kMaxUnrolled = 64;  // elements of a thread's own loops that are unrolled

using ElementMaker = std::function<Stmt(const std::vector<Expr>& at)>;

bool loadsFragment(const Expr& e)
{
    return ir::anyExpr(e, [](const Expr& x) {
        const auto* load = ir::as<ir::Load>(x);
        return load && analysis::storageOf(load->buffer.get())->scope == ir::MemoryScope::kFragment;
    });
}

bool isDataOfTiles(const ir::Buffer& buffer)
{
    switch (analysis::storageOf(buffer.get())->scope) {
    case ir::MemoryScope::kGlobal: case ir::MemoryScope::kShared: case ir::MemoryScope::kFragment: case ir::MemoryScope::kLocal:
    case ir::MemoryScope::kVar: return true;
    default: return false;
    }
}

class TileExpander : public ir::Rewriter {
public:
    TileExpander(const ir::Function& function, PassContext& context) : context_(context), bulk_(function)
    {
        const auto found = function.passConfigs.find("tl.enable_async_copy");
        mayPreferAsync_ = found == function.passConfigs.end() || found->second != ir::Attr(false);
    }

    using ir::Rewriter::rewrite;

    Stmt rewrite(const Stmt& s) override
    {
        switch (s->kind) {
        case ir::StmtKind::kLaunch: return launch(s);
        case ir::StmtKind::kFor: return loop(s);
        case ir::StmtKind::kIf: return branch(s);
        case ir::StmtKind::kStore: return store(s);
        case ir::StmtKind::kOp: return operation(s, static_cast<const ir::OpStmt&>(*s).call);
        case ir::StmtKind::kBind: {
            const auto& bind = static_cast<const ir::Bind&>(*s);
            if (!ir::hasRuntimeValue(bind.value))
                lets_[bind.var.get()] = ir::substitute(bind.value, lets_);
            return s;
        }
        default: return rewriteChildren(s);
        }
    }

private:
    // ---- where we are ----
    Stmt launch(const Stmt& s)
    {
        const auto& launch = static_cast<const ir::Launch&>(*s);
        values_.emplace(launch);
        threads_.emplace(launch);
        Stmt next = rewriteChildren(s);
        values_.reset();
        threads_.reset();
        return bulk_.finish(next);
    }

    Stmt loop(const Stmt& s)
    {
        const auto& loop = static_cast<const ir::For&>(*s);
        if (loop.loop == ForKind::kPersistent)
            return serialPersistent(loop, rewrite(loop.body));
        nestDepth_ += loop.loop == ForKind::kParallel;
        Stmt next = rewriteChildren(s);
        nestDepth_ -= loop.loop == ForKind::kParallel;
        if (nestDepth_ > 0 || !mayPreferAsync_ || !wantsAsync(loop, context_))
            return next;
        auto nest = std::make_shared<ir::For>(static_cast<const ir::For&>(*next));
        nest->attrs["async"] = true;
        return finished(nest, !ir::boolAttr(loop.attrs, "parallel_async_without_async_commit_wait", false));
    }

    Stmt branch(const Stmt& s)
    {
        const auto& branch = static_cast<const ir::If&>(*s);
        if (!threads_)
            return rewriteChildren(s);
        const Expr condition = ir::substitute(branch.condition, lets_);
        const auto arm = [&](const Stmt& body, bool holds) {
            if (!body)
                return body;
            const auto outside = threads_;
            threads_->restrictTo(condition, holds);
            Stmt next = rewrite(body);
            threads_ = outside;
            return next ? next : ir::sequence({});
        };
        const Stmt then = arm(branch.then, true);
        const Stmt otherwise = arm(branch.otherwise, false);
        if (then == branch.then && otherwise == branch.otherwise)
            return s;
        return std::make_shared<ir::If>(branch.condition, then, otherwise, branch.where);
    }

    // Whether every thread does the operation for itself.
    bool isPrivateTo(const Region& r) const
    {
        if (!r.buffer)
            return false;
        if (isPrivate(r.buffer))
            return true;
        return std::any_of(r.mins.begin(), r.mins.end(), [&](const Expr& min) { return values_->mayDiffer(ir::substitute(min, lets_), *threads_); });
    }
    bool eachThread(const Region& a, const Region& b = {}) const { return nestDepth_ > 0 || !values_ || isPrivateTo(a) || isPrivateTo(b); }

    // ---- building ----

    // A place that is read from memory is read once, in front of the elements. (From a fragment it is read in the nest.)
    Region fixed(Region r, std::vector<Stmt>& before, const ir::Provenance& where) const
    {
        for (Expr& min : r.mins) {
            if (!ir::hasRuntimeValue(min) || loadsFragment(min))
                continue;
            const auto var = std::make_shared<const ir::VarNode>(min->dtype, "at");
            before.push_back(std::make_shared<ir::Bind>(var, min, where));
            min = var;
        }
        return r;
    }

    Expr fixed(const Expr& value, std::vector<Stmt>& before, const ir::Provenance& where) const
    {
        if (!ir::hasRuntimeValue(value) || loadsFragment(value))
            return value;
        const auto var = std::make_shared<const ir::VarNode>(value->dtype, "value");
        before.push_back(std::make_shared<ir::Bind>(var, value, where));
        return var;
    }

    static Stmt threadLoops(const std::vector<Expr>& extents, const ElementMaker& make, const ir::Provenance& where)
    {
        std::vector<ir::Var> vars;
        std::vector<Expr> at;
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            vars.push_back(newVar(std::string(1, static_cast<char>('i' + axis % 8))));
            at.push_back(vars.back());
        }
        Stmt body = make(at);
        std::int64_t unrolled = 1;
        for (std::size_t axis = extents.size(); axis-- > 0;) {
            const auto* n = ir::asInt(extents[axis]);
            unrolled = n && unrolled <= kMaxUnrolled ? unrolled * *n : kMaxUnrolled + 1;
            const ForKind kind = unrolled <= kMaxUnrolled ? ForKind::kUnrolled : ForKind::kSerial;
            body = loopOver(kind, vars[axis], ir::intImm(0), extents[axis], body, where);
        }
        return body;
    }

    Stmt elements(std::vector<Expr> extents, bool each, ir::Attrs attrs, const ElementMaker& make, const ir::Provenance& where) const
    {
        if (each)
            return threadLoops(extents, make, where);
        if (extents.empty())
            extents.push_back(ir::intImm(1));
        std::vector<ir::Axis> axes;
        std::vector<Expr> at;
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            const ir::Var var = newVar(std::string(1, static_cast<char>('i' + axis % 8)));
            axes.push_back({var, ir::intImm(0), extents[axis], ir::intImm(1)});
            at.push_back(var);
        }
        Stmt body = make(at);
        return std::make_shared<ir::For>(ForKind::kParallel, std::move(axes), std::move(body), std::move(attrs), where);
    }

    static std::vector<Expr> extentsOf(const std::vector<CopyAxis>& axes)
    {
        std::vector<Expr> extents;
        for (const CopyAxis& axis : axes)
            extents.push_back(axis.extent);
        return extents;
    }

    static ir::Attrs nestAttrs(const ir::OpCall& call)
    {
        ir::Attrs attrs{{"op", std::string(ir::info(call.op).name)}};
        if (const auto found = call.attrs.find("coalesced_width"); found != call.attrs.end())
            attrs.insert(*found);
        return attrs;
    }

    // ---- operations ----
    Stmt store(const Stmt& s) const
    {
        const auto& store = static_cast<const ir::Store&>(*s);
        const bool ofBlock = analysis::storageOf(store.buffer.get())->scope == ir::MemoryScope::kFragment;
        if (!ofBlock || nestDepth_ > 0 || !values_)
            return s;
        return elements({}, false, {{"op", std::string("store")}}, [&](const auto&) { return s; }, s->where);
    }

    Stmt operation(const Stmt& s, const ir::OpCall& call)
    {
        switch (ir::info(call.op).cls) {
        case OpClass::kCopy: return copy(s, call);
        case OpClass::kFill: return fill(call, s->where);
        case OpClass::kAtomic: return atomic(s, call);
        case OpClass::kScan: return scan(call, s->where);
        case OpClass::kDebug: return print(s, call);
        default: return s;
        }
    }

    Stmt copy(const Stmt& s, const ir::OpCall& call)
    {
        const ir::Provenance& where = s->where;
        if (call.op == OpId::kTmaCopy || call.op == OpId::kCopyCluster)
            return s;
        if (call.op == OpId::kIm2col)
            return im2col(call, where);
        std::vector<Stmt> stmts;
        const Region src = fixed(*ir::regionOperand(call, "src"), stmts, where);
        const Region dst = fixed(*ir::regionOperand(call, "dst"), stmts, where);
        if (!isDataOfTiles(src.buffer) || !isDataOfTiles(dst.buffer))
            return s;
        const bool each = eachThread(src, dst);
        ir::Attrs attrs = nestAttrs(call);
        if (call.op == OpId::kTranspose) {
            const std::size_t rank = src.extents.size();
            stmts.push_back(elements({src.extents[rank - 2], src.extents[rank - 1]}, each, attrs,
                                     [&](const auto& at) { return transposedElement(src, dst, at[0], at[1], where); }, where));
            return ir::sequence(std::move(stmts));
        }
        const bool ofBlock = !each && values_;
        if (wantsBulk(call, ofBlock ? bulk_.problemOf(src) : "each thread copies for itself here", where, context_)) {
            stmts.push_back(bulk_.make(call, src, dst, threads_->count(), where));
            return ir::sequence(std::move(stmts));
        }
        const bool preferred = wantsAsync(call, where, context_);
        const bool async = call.op == OpId::kAsyncCopy || preferred;
        if (async)
            attrs["async"] = true;
        const auto axes = matchAxes(src, dst);
        const auto element = [&](const std::vector<Expr>& at) {
            const Expr value = ir::cast(dst.buffer->dtype, loadAt(src.buffer, elementAt(src, axes, at, true)));
            return storeAt(dst.buffer, elementAt(dst, axes, at, false), value, where);
        };
        stmts.push_back(elements(extentsOf(axes), each, attrs, element, where));
        if (preferred)
            stmts.back() = finished(stmts.back(), true);
        else if (async && !ir::boolAttr(call.attrs, "no_commit", false))
            stmts.push_back(std::make_shared<ir::OpStmt>(ir::OpCall{OpId::kCommitGroup, {}, {}}, where));
        return ir::sequence(std::move(stmts));
    }

    Stmt scan(const ir::OpCall& call, const ir::Provenance& where) const
    {
        const bool each = eachThread(*ir::regionOperand(call, "src"), *ir::regionOperand(call, "dst"));
        return expandScan(call, each ? 0 : threads_->count(), where);
    }

    Stmt im2col(const ir::OpCall& call, const ir::Provenance& where)
    {
        const Region& col = *ir::regionOperand(call, "col");
        const std::size_t rank = col.extents.size();
        return elements({col.extents[rank - 2], col.extents[rank - 1]}, eachThread(col), nestAttrs(call),
                        [&](const auto& at) { return im2colElement(call, at[0], at[1], where); }, where);
    }

    Stmt fill(const ir::OpCall& call, const ir::Provenance& where)
    {
        std::vector<Stmt> stmts;
        const Region dst = fixed(std::get<Region>(call.operands[0]), stmts, where);
        const Expr value = call.op == OpId::kFill ? fixed(ir::exprOperand(call, "value"), stmts, where) : number(dst.buffer->dtype, 0);
        const auto axes = matchAxes(Region{}, dst);
        const auto element = [&](const std::vector<Expr>& at) {
            return storeAt(dst.buffer, elementAt(dst, axes, at, false), ir::cast(dst.buffer->dtype, value), where);
        };
        stmts.push_back(elements(extentsOf(axes), eachThread(dst), nestAttrs(call), element, where));
        return ir::sequence(std::move(stmts));
    }

    Stmt atomic(const Stmt& s, const ir::OpCall& call)
    {
        auto tile = tileAtomic(call);
        if (!tile)
            return s;
        const ir::Provenance& where = s->where;
        std::vector<Stmt> stmts;
        tile->dst = fixed(tile->dst, stmts, where);
        if (tile->src.buffer)
            tile->src = fixed(tile->src, stmts, where);
        else
            tile->value = fixed(tile->value, stmts, where);
        ir::Attrs attrs;
        if (const auto order = call.attrs.find("memory_order"); order != call.attrs.end())
            attrs.insert(*order);
        const auto axes = matchAxes(tile->src, tile->dst);
        const auto element = [&](const std::vector<Expr>& at) -> Stmt {
            Region target{tile->dst.buffer, elementAt(tile->dst, axes, at, false), {}};
            target.extents.assign(target.mins.size(), ir::intImm(1));
            const Expr value = tile->src.buffer ? loadAt(tile->src.buffer, elementAt(tile->src, axes, at, true)) : tile->value;
            return std::make_shared<ir::OpStmt>(ir::OpCall{call.op, {target, ir::cast(target.buffer->dtype, value)}, attrs}, where);
        };
        stmts.push_back(elements(extentsOf(axes), eachThread(tile->dst, tile->src), nestAttrs(call), element, where));
        return ir::sequence(std::move(stmts));
    }

    // Elements are printed one by one, by the threads that hold them, with the buffer's name.
    Stmt print(const Stmt& s, const ir::OpCall& call)
    {
        const Region* region = call.op == OpId::kPrint ? ir::regionOperand(call, "buffer") : nullptr;
        if (!region || !region->buffer)
            return s;
        const bool each = eachThread(*region) || region->buffer->scope == ir::MemoryScope::kGlobal;
        const auto axes = matchAxes(Region{}, *region);
        ir::Attrs attrs = call.attrs;
        const auto given = attrs.find("msg");
        attrs["msg"] = (given != attrs.end() ? std::get<std::string>(given->second) + " " : std::string()) + "buffer=" + region->buffer->name;
        const auto element = [&](const std::vector<Expr>& at) -> Stmt {
            const Expr value = loadAt(region->buffer, elementAt(*region, axes, at, false));
            return std::make_shared<ir::OpStmt>(ir::OpCall{OpId::kPrint, {value}, attrs}, s->where);
        };
        return elements(extentsOf(axes), each, nestAttrs(call), element, s->where);
    }

    PassContext& context_;
    WaitedBulkCopies bulk_;
    bool mayPreferAsync_ = true;
    std::optional<ThreadValues> values_;            // of the launch around
    std::optional<analysis::ThreadSet> threads_;    // those that come here
    std::map<const ir::ExprNode*, Expr> lets_;
    int nestDepth_ = 0;
};

}  // namespace

ir::Function expandTiles(const ir::Function& in, PassContext& context)
{
    ir::Function out = in;
    TileExpander expander(in, context);
    out.body = expander.rewrite(in.body);
    return out;
}

}  // namespace tw::passes

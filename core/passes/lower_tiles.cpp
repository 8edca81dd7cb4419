#include "core/passes/lower_tiles.h"

#include <set>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/guard_bounds.h"
#include "core/passes/lower_steps.h"
#include "core/passes/plan_threads.h"
#include "core/passes/tile_regions.h"
#include "core/support/check.h"

namespace tw::passes {

using ir::Expr;
using ir::ForKind;
using ir::OpClass;
using ir::OpId;
using ir::Region;
using ir::Stmt;

// ---- small constructors ----

ir::Var newVar(const std::string& name) { return std::make_shared<const ir::VarNode>(ir::kInt32, name); }

Stmt loopOver(ForKind kind, const ir::Var& var, Expr begin, Expr end, Stmt body, const ir::Provenance& where)
{
    return std::make_shared<ir::For>(kind, std::vector<ir::Axis>{{var, std::move(begin), std::move(end), ir::intImm(1)}}, std::move(body), ir::Attrs{}, where);
}

Expr loadAt(const ir::Buffer& buffer, std::vector<Expr> indices)
{
    return std::make_shared<ir::Load>(buffer->dtype, buffer, std::move(indices));
}

Stmt storeAt(const ir::Buffer& buffer, std::vector<Expr> indices, Expr value, const ir::Provenance& where)
{
    return std::make_shared<ir::Store>(buffer, std::move(indices), std::move(value), where);
}

ir::Buffer newLocal(const std::string& name, ir::DType type, std::int64_t extent)
{
    auto buffer = std::make_shared<ir::BufferNode>();
    buffer->name = name;
    buffer->dtype = type;
    buffer->shape = {ir::intImm(extent)};
    buffer->scope = ir::MemoryScope::kLocal;
    return buffer;
}

Expr number(ir::DType type, double value)
{
    const ir::DType element = type.element();
    const Expr scalar = element.isFloating() ? ir::constant(element, value) : ir::constant(element, static_cast<std::int64_t>(value));
    return type.lanes > 1 ? std::make_shared<ir::Broadcast>(scalar, type.lanes) : scalar;
}

namespace {

// What a parallel nest stores to, and whether two iterations may update one element.
class NestInfo : public ir::Visitor {
public:
    explicit NestInfo(const Stmt& body) { visit(body); }
    bool ordered = false;        // must run one iteration after the other
    bool onlyPrivate = true;     // all that is written is private memory
    bool onlyOwnPrivate = true;  // private memory that it writes is its own
    bool random = false;         // draws random numbers

    using ir::Visitor::visit;
    void visit(const Stmt& s) override
    {
        if (const auto* store = ir::as<ir::Store>(s)) {
            ordered = ordered || store->buffer->dtype.bits() < 8 || store->buffer->scope == ir::MemoryScope::kReducer;
            onlyPrivate = onlyPrivate && isPrivate(store->buffer);
            onlyOwnPrivate = onlyOwnPrivate && (!isPrivate(store->buffer) || own_.contains(store->buffer.get()));
        }
        if (const auto* allocate = ir::as<ir::Allocate>(s))
            own_.insert(allocate->buffer.get());
        ir::Visitor::visit(s);
    }
    void visit(const ir::OpCall& call) override
    {
        const auto& info = ir::info(call.op);
        ordered = ordered || info.cls == OpClass::kReducer || info.cls == OpClass::kExtern;
        random = random || info.cls == OpClass::kRandom;
        if (info.effect != ir::Effect::kNone)
            onlyPrivate = false;
        ir::Visitor::visit(call);
    }

private:
    std::set<const ir::BufferNode*> own_;
};

class Lowerer : public ir::Rewriter {
public:
    Lowerer(const ir::Function& function, PassContext& context)
        : safe_(safeValues(function)), context_{ranges_, safe_, boundsAreTrusted(function), context.diagnostics}
    {
        ranges_.addSymbols(function);
    }
    using ir::Rewriter::rewrite;

    Stmt rewrite(const Stmt& s) override
    {
        switch (s->kind) {
        case ir::StmtKind::kLaunch: return launch(s);
        case ir::StmtKind::kFor: return loop(s);
        case ir::StmtKind::kOp: return operation(s);
        case ir::StmtKind::kStore: return store(s);
        default: {
            const Stmt next = rewriteChildren(s);
            if (const auto* bind = ir::as<ir::Bind>(next))
                ranges_.add(*bind);
            return next;
        }
        }
    }

private:
    Stmt launch(const Stmt& s)
    {
        const auto& launch = static_cast<const ir::Launch&>(*s);
        ranges_.add(launch);
        threads_ = runsThreads(launch);
        singleBlock_ = !threads_;
        for (const Expr& extent : launch.grid)
            singleBlock_ = singleBlock_ && ir::isOne(extent);
        const Stmt next = rewriteChildren(s);
        threads_ = singleBlock_ = false;
        return next;
    }

    // One thread of those that come runs `body` for all.
    Stmt together(const Stmt& body, const ir::Provenance& where)
    {
        if (!threads_ || inTile_)
            return body;
        const Expr enter = ir::call(ir::kBool, ir::OpCall{OpId::kTileEnter, {}, {}}, where);
        const Stmt leave = std::make_shared<ir::OpStmt>(ir::OpCall{OpId::kTileLeave, {}, {}}, where);
        return std::make_shared<ir::If>(enter, ir::sequence({body, leave}), Stmt{}, where);
    }

    Stmt store(const Stmt& s)
    {
        const Stmt next = rewriteChildren(s);
        const auto& store = static_cast<const ir::Store&>(*next);
        // An element of a fragment belongs to the block: every thread that comes here means the same store.
        const bool ofBlock = store.buffer->scope == ir::MemoryScope::kFragment || store.buffer->scope == ir::MemoryScope::kReducer;
        return ofBlock ? together(next, s->where) : next;
    }

    Stmt loop(const Stmt& s)
    {
        const auto& loop = static_cast<const ir::For&>(*s);
        ranges_.add(loop);
        if (loop.loop == ForKind::kParallel)
            return parallel(loop);
        if (loop.loop == ForKind::kPersistent)
            return serialPersistent(loop, rewrite(loop.body));
        Stmt next = rewriteChildren(s);
        if (loop.loop == ForKind::kSerial)
            return next;
        auto plain = std::make_shared<ir::For>(static_cast<const ir::For&>(*next));
        if (loop.loop == ForKind::kVectorized)
            plain->loop = ForKind::kParallel;
        else if (loop.loop == ForKind::kPipelined)
            plain->loop = ForKind::kSerial;
        if (plain->loop == ForKind::kParallel && NestInfo(plain->body).ordered)
            plain->loop = ForKind::kSerial;
        plain->attrs.clear();
        return plain;
    }

    Stmt parallel(const ir::For& loop)
    {
        const NestInfo info(loop.body);
        const bool wrap = threads_ && !inTile_ && !info.onlyPrivate;
        if (!wrap && threads_ && !inTile_) {  // each thread runs the nest for itself
            return plainNest(loop, info, false);
        }
        const bool outermost = !inTile_;
        inTile_ = true;
        const bool spread = singleBlock_ && outermost && !info.ordered && info.onlyOwnPrivate && worthSpreading(loop);
        Stmt body = plainNest(loop, info, spread);
        inTile_ = !outermost;
        return wrap ? together(body, loop.where) : body;
    }

    // The last axis stays parallel; the others become loops around it. Whoever runs it, iteration i draws the random numbers of
    // thread i (of those that came, and round again), as if every thread ran its own: "lanes" says which loops count.
    Stmt plainNest(const ir::For& loop, const NestInfo& info, bool spread)
    {
        Stmt body = rewrite(loop.body);
        for (std::size_t axis = loop.axes.size(); axis-- > 0;) {
            const bool last = axis + 1 == loop.axes.size();
            const ir::Axis& a = loop.axes[axis];
            auto next = std::make_shared<ir::For>(last && !info.ordered ? ForKind::kParallel : ForKind::kSerial,
                                                  std::vector<ir::Axis>{{a.var, rewrite(a.begin), rewrite(a.end), a.step}}, body, ir::Attrs{}, loop.where);
            if (axis == 0 && spread)
                next->attrs["spread"] = true;
            if (info.random)
                next->attrs["lanes"] = true;
            body = next;
        }
        return body;
    }

    // Small nests cost less than waking the workers.
    bool worthSpreading(const ir::For& loop) const
    {
        double count = 1;
        for (const ir::Axis& axis : loop.axes) {
            const auto range = ranges_.of(ir::sub(axis.end, axis.begin));
            count *= range ? static_cast<double>(range->high) : 1e9;
        }
        return count >= (1 << 14);
    }

    Stmt operation(const Stmt& s)
    {
        const Stmt next = rewriteChildren(s);
        const auto& op = static_cast<const ir::OpStmt&>(*next);
        const ir::OpCall& call = op.call;
        const auto& info = ir::info(call.op);
        switch (info.cls) {
        case OpClass::kCopy: return multicast(call) ? multicastCopy(call, s->where) : together(copy(call, s->where), s->where, call);
        case OpClass::kProduct: return call.op == OpId::kDp4a ? next : together(product(call, s->where), s->where, call);
        case OpClass::kFill: {
            const Expr value = call.op == OpId::kFill ? ir::exprOperand(call, "value") : number(std::get<Region>(call.operands[0]).buffer->dtype, 0);
            return together(lowerFill(std::get<Region>(call.operands[0]), value, context_, s->where), s->where, call);
        }
        case OpClass::kReduce: return together(lowerReduce(call, s->where), s->where, call);
        case OpClass::kScan: return together(lowerScan(call, s->where), s->where, call);
        case OpClass::kReducer: return together(reducer(call, s->where), s->where);
        case OpClass::kAtomic: return atomic(next, call, s->where);
        case OpClass::kAnnotation: return ir::sequence({});
        case OpClass::kDebug: {
            const Region* region = call.op == OpId::kPrint ? ir::regionOperand(call, "buffer") : nullptr;
            const bool once = region && region->buffer && !isPrivate(region->buffer) && region->buffer->scope != ir::MemoryScope::kGlobal;
            return once ? together(next, s->where) : next;
        }
        default: return next;
        }
    }

    // Unless the operation writes private memory only, or every thread moves what it has itself out of it.
    Stmt together(const Stmt& body, const ir::Provenance& where, const ir::OpCall& call)
    {
        const auto& roles = ir::info(call.op).operands;
        bool onlyPrivate = true;
        for (std::size_t i = 0; i < call.operands.size() && i < roles.size(); ++i)
            if (const auto* region = std::get_if<Region>(&call.operands[i]); region && region->buffer)
                if (roles[i].role == ir::Role::kWrite || roles[i].role == ir::Role::kReadWrite)
                    onlyPrivate = onlyPrivate && isPrivate(region->buffer);
        return onlyPrivate || movesOwn(call) ? body : together(body, where);
    }

    static bool movesOwn(const ir::OpCall& call)
    {
        const bool copies = ir::info(call.op).cls == OpClass::kCopy && call.op != OpId::kIm2col;
        const Region* src = copies ? ir::regionOperand(call, "src") : nullptr;
        const Region* dst = src ? ir::regionOperand(call, "dst") : nullptr;
        return dst && src->buffer && dst->buffer && isPrivate(src->buffer) && dst->buffer->scope != ir::MemoryScope::kFragment;
    }

    Stmt copy(const ir::OpCall& call, const ir::Provenance& where)
    {
        if (call.op == OpId::kIm2col)
            return lowerIm2col(call, where);
        const Region& src = *ir::regionOperand(call, "src");
        const Region& dst = *ir::regionOperand(call, "dst");
        if (call.op == OpId::kTranspose)
            return lowerTranspose(src, dst, where);
        const Expr block = call.op == OpId::kCopyCluster ? ir::exprOperand(call, "dst_block") : Expr{};
        if (!block)
            return ir::sequence({lowerCopy(src, dst, {}, context_, where), bytesBrought(call, dst, where)});
        std::vector<Stmt> stmts = remoteCopy(src, dst, block, where);
        if (const Region* barrier = ir::regionOperand(call, "remote_barrier"); barrier && barrier->buffer)
            stmts.push_back(std::make_shared<ir::OpStmt>(ir::OpCall{OpId::kBarrierArrive, {*barrier, block}, {}}, where));
        return ir::sequence(std::move(stmts));
    }

    // Bytes that the program announced on the copy's barrier are there now.
    static Stmt bytesBrought(const ir::OpCall& call, const Region& dst, const ir::Provenance& where)
    {
        const Region* barrier = call.op == OpId::kTmaCopy ? ir::regionOperand(call, "barrier") : nullptr;
        if (!barrier || !barrier->buffer)
            return {};
        Expr count = ir::intImm(1);
        for (const Expr& extent : dst.extents)
            count = ir::mul(count, extent);
        const Expr bytes = ir::floorDiv(ir::mul(count, ir::intImm(dst.buffer->dtype.bits() * dst.buffer->dtype.lanes)), ir::intImm(8));
        return std::make_shared<ir::OpStmt>(ir::OpCall{OpId::kBarrierExpectTx, {*barrier, ir::sub(ir::intImm(0), bytes)}, {}}, where);
    }

    // Into the memory of another block of the cluster.
    std::vector<Stmt> remoteCopy(const Region& src, const Region& dst, const Expr& rank, const ir::Provenance& where)
    {
        auto remote = std::make_shared<ir::BufferNode>(*dst.buffer);
        remote->name += "_remote";
        remote->viewOf = {};
        const Region base{dst.buffer, std::vector<Expr>(dst.mins.size(), ir::intImm(0)), std::vector<Expr>(dst.mins.size(), ir::intImm(1))};
        remote->address = ir::call(ir::kInt64, ir::OpCall{OpId::kRemoteAddress, {base, rank}, {}}, where);
        const Region target{remote, dst.mins, dst.extents};
        return {std::make_shared<ir::Allocate>(remote, where), lowerCopy(src, target, {}, context_, where)};
    }

    bool multicast(const ir::OpCall& call) const
    {
        // T.tma_copy is no meeting: each block of the mask waits at its own barrier and here loads for itself.
        return threads_ && ir::intAttr(call.attrs, "cluster_mask", 0) > 0 && call.op == OpId::kCopyCluster;
    }

    // The first block of the mask brings the tile of all; the others wait for it; blocks outside the mask load for themselves.
    Stmt multicastCopy(const ir::OpCall& call, const ir::Provenance& where)
    {
        const Region& src = *ir::regionOperand(call, "src");
        const Region& dst = *ir::regionOperand(call, "dst");
        const std::int64_t mask = ir::intAttr(call.attrs, "cluster_mask", 0);
        std::int64_t leader = 0;
        while (((mask >> leader) & 1) == 0)
            ++leader;
        std::vector<Stmt> stmts;
        for (std::int64_t rank = leader; rank < 32; ++rank)
            if ((mask >> rank) & 1)
                for (Stmt& s : remoteCopy(src, dst, ir::intImm(rank), where))
                    stmts.push_back(std::move(s));
        const Expr rank = ir::call(ir::kInt32, ir::OpCall{OpId::kBlockRank, {}, {}}, where);
        const Expr member = ir::binary(ir::BinaryOp::kNe, ir::binary(ir::BinaryOp::kBitAnd, ir::binary(ir::BinaryOp::kShr, ir::intImm(mask), rank), ir::intImm(1)),
                                       ir::intImm(0));
        const Stmt alone = std::make_shared<ir::If>(ir::unary(ir::UnaryOp::kNot, member), lowerCopy(src, dst, {}, context_, where), Stmt{}, where);
        const Stmt copy = std::make_shared<ir::If>(ir::binary(ir::BinaryOp::kEq, rank, ir::intImm(leader)), ir::sequence(std::move(stmts)), alone, where);
        const Stmt meet = std::make_shared<ir::OpStmt>(ir::OpCall{OpId::kClusterSync, {}, {}}, where);
        return ir::sequence({together(copy, where), meet});
    }

    Stmt product(const ir::OpCall& call, const ir::Provenance& where)
    {
        ir::OpCall plain{OpId::kGemm, call.operands, {}};
        for (const char* name : {"transpose_A", "transpose_B"})
            if (const auto found = call.attrs.find(name); found != call.attrs.end())
                plain.attrs[name] = found->second;
        return std::make_shared<ir::OpStmt>(std::move(plain), where);
    }

    Stmt reducer(const ir::OpCall& call, const ir::Provenance& where)
    {
        const Region& acc = *ir::regionOperand(call, "acc");
        const auto kind = ir::parseCombiner(acc.buffer->reducer.empty() ? "sum" : acc.buffer->reducer).value_or(ir::Combiner::kSum);
        if (call.op == OpId::kReducerInit) {
            const Expr start = ir::exprOperand(call, "start");
            return lowerFill(acc, start ? start : identity(kind, acc.buffer->dtype), context_, where);
        }
        if (call.op == OpId::kReducerUpdate) {
            const Expr value = ir::cast(acc.buffer->dtype, ir::exprOperand(call, "value"));
            return storeAt(acc.buffer, acc.mins, combine(kind, loadAt(acc.buffer, acc.mins), value), where);
        }
        const Region* dst = ir::regionOperand(call, "dst");
        return dst && dst->buffer ? lowerCopy(acc, *dst, {}, context_, where) : ir::sequence({});
    }

    // The tile form becomes one element atomic for each element; element atomics stay.
    Stmt atomic(const Stmt& s, const ir::OpCall& call, const ir::Provenance& where)
    {
        const auto tile = tileAtomic(call);
        if (!tile)
            return s;
        const auto update = [&](const Region& target, const Expr& element) -> Stmt {
            ir::OpCall one{call.op, {target, ir::cast(target.buffer->dtype, element ? element : tile->value)}, {}};
            return std::make_shared<ir::OpStmt>(std::move(one), where);
        };
        Stmt body = lowerCopy(tile->src, tile->dst, update, context_, where);
        return tile->src.buffer && isPrivate(tile->src.buffer) ? body : together(body, where);
    }

    Ranges ranges_;
    std::map<const ir::BufferNode*, Expr> safe_;
    LowerContext context_;
    bool threads_ = false;
    bool singleBlock_ = false;  // the launch has one block: its loops are shared by the workers
    bool inTile_ = false;  // inside a nest that one thread runs for all
};

}  // namespace

ir::Function lowerTiles(const ir::Function& in, PassContext& context)
{
    ir::Function out = in;
    Lowerer lowerer(in, context);
    out.body = lowerer.rewrite(in.body);
    out.stage = ir::Stage::kThread;
    return out;
}

}  // namespace tw::passes

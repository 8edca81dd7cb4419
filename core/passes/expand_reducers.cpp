//   for i, k in T.Parallel(16, 64):                 for i, k in T.Parallel(16, 64):
//       T.reducer_update(acc[i], x[i, k])      ->       partial[i, k] = partial[i, k] + x[i, k]
//   T.finalize_reducer(acc, out)                    T.reduce_sum(partial, sum, dim=1)
//                                                   for i in T.Parallel(16): acc[i] = acc[i] + sum[i]
//                                                   T.copy(acc, out)
#include "core/passes/expand_reducers.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/lower_steps.h"
#include "core/passes/whole_tiles.h"

namespace tw::passes {

namespace {

using ir::Buffer;
using ir::Combiner;
using ir::Expr;
using ir::OpId;
using ir::Region;
using ir::Stmt;

bool isReducer(const Buffer& buffer) { return buffer && buffer->scope == ir::MemoryScope::kReducer; }

Combiner combinerOf(const ir::BufferNode& reducer) { return ir::parseCombiner(reducer.reducer.empty() ? "sum" : reducer.reducer).value_or(Combiner::kSum); }

// One contribution: reducer[indices] ∘= value.
struct Update {
    Buffer reducer;
    std::vector<Expr> indices;
    Expr value;
};

std::optional<Update> updateOf(const Stmt& s)
{
    if (const auto* op = ir::as<ir::OpStmt>(s); op && op->call.op == OpId::kReducerUpdate) {
        const Region& acc = *ir::regionOperand(op->call, "acc");
        return Update{acc.buffer, acc.mins, ir::exprOperand(op->call, "value")};
    }
    // The older form: acc[i] = acc[i] ∘ value.
    const auto* store = ir::as<ir::Store>(s);
    if (!store || !isReducer(store->buffer))
        return {};
    const auto* b = ir::as<ir::Binary>(store->value);
    const auto isOld = [&](const Expr& e) {
        const auto* load = ir::as<ir::Load>(e);
        return load && load->buffer == store->buffer &&
               std::equal(load->indices.begin(), load->indices.end(), store->indices.begin(), [](const Expr& x, const Expr& y) { return ir::equal(x, y); });
    };
    if (!b || (!isOld(b->a) && !isOld(b->b)))
        return {};
    const auto* sample = ir::as<ir::Binary>(combine(combinerOf(*store->buffer), b->a, b->b));
    if (!sample || sample->op != b->op)
        return {};
    return Update{store->buffer, store->indices, isOld(b->a) ? b->b : b->a};
}

// The fragment in which the contributions of one nest gather.
struct Partial {
    std::vector<const ir::For*> nests;  // outermost first
    std::vector<int> axisOf;            // the axis of the nests that each axis of the reducer is, -1: its only element
    Buffer buffer;
    std::vector<std::pair<std::int64_t, Buffer>> reductions;  // axis to reduce, result
    std::vector<int> kept;                                    // axes of the nests that are left then

    [[nodiscard]] std::vector<ir::Axis> axes() const
    {
        std::vector<ir::Axis> all;
        for (const ir::For* nest : nests)
            all.insert(all.end(), nest->axes.begin(), nest->axes.end());
        return all;
    }
};

struct Reducer {
    Combiner combiner{};
    Buffer total;  // a fragment, or shared memory
    bool atomic = false;
    std::vector<Partial> partials;
};

// Where the contributions to each reducer stand.
class Sites final : public ir::Visitor {
public:
    struct Site {
        std::vector<const ir::For*> nests;
        std::vector<Expr> indices;
    };
    std::map<const ir::BufferNode*, std::vector<Site>> found;

    using ir::Visitor::visit;
    void visit(const Stmt& s) override
    {
        if (!s)
            return;
        const auto* loop = ir::as<ir::For>(s);
        const bool nest = loop && loop->loop == ir::ForKind::kParallel;
        if (nest)
            nests_.push_back(loop);
        if (const auto update = updateOf(s))
            found[update->reducer.get()].push_back({nests_, update->indices});
        ir::Visitor::visit(s);
        if (nest)
            nests_.pop_back();
    }

private:
    std::vector<const ir::For*> nests_;
};

class ReducerExpander final : public ir::Rewriter {
public:
    ReducerExpander(const ir::Function& function, PassContext& context) : context_(context) { static_cast<ir::Visitor&>(sites_).visit(function.body); }
    using ir::Rewriter::rewrite;

    Stmt rewrite(const Stmt& s) override
    {
        if (const auto* allocate = ir::as<ir::Allocate>(s); allocate && isReducer(allocate->buffer))
            return this->allocate(allocate->buffer, s->where);
        if (const auto* loop = ir::as<ir::For>(s); loop && loop->loop == ir::ForKind::kParallel) {
            nests_.push_back(loop);
            Stmt next = rewriteChildren(s);
            nests_.pop_back();
            return next;
        }
        if (const auto up = updateOf(s))
            return update(*up, s->where);
        if (const auto* op = ir::as<ir::OpStmt>(s))
            if (const auto* acc = op->call.operands.empty() ? nullptr : std::get_if<Region>(&op->call.operands[0]); acc && isReducer(acc->buffer))
                return operation(s, op->call, *acc);
        return rewriteChildren(s);
    }

    // Where an older reducer is used as the fragment that it is.
    Buffer rewriteBuffer(const Buffer& b) override
    {
        const auto found = reducers_.find(b.get());
        return found == reducers_.end() ? b : found->second.total;
    }

private:
    Buffer make(const ir::BufferNode& like, const char* suffix, ir::DType type, std::vector<Expr> shape, ir::MemoryScope scope = ir::MemoryScope::kFragment) const
    {
        auto buffer = std::make_shared<ir::BufferNode>();
        buffer->name = like.name + suffix;
        buffer->dtype = type;
        buffer->shape = std::move(shape);
        buffer->scope = scope;
        buffer->where = like.where;
        return buffer;
    }

    // The axes of the nests that the reducer's axes are; empty if they are anything else.
    static std::optional<std::vector<int>> axesOf(const ir::BufferNode& reducer, const Sites::Site& site)
    {
        if (site.nests.empty())
            return {};
        std::vector<int> result;
        Partial nests{site.nests, {}, {}, {}, {}};
        const auto axes = nests.axes();
        for (const ir::Axis& axis : axes)
            if (!ir::isZero(axis.begin) || !ir::asInt(axis.end))
                return {};
        for (std::size_t d = 0; d < site.indices.size(); ++d) {
            int from = ir::isZero(site.indices[d]) && ir::isOne(reducer.shape[d]) ? -1 : -2;
            for (std::size_t k = 0; k < axes.size(); ++k)
                if (site.indices[d].get() == axes[k].var.get() && *ir::asInt(axes[k].end) <= *ir::asInt(reducer.shape[d]))
                    from = static_cast<int>(k);
            if (from == -2 || (from >= 0 && std::find(result.begin(), result.end(), from) != result.end()))
                return {};
            result.push_back(from);
        }
        return result;
    }

    Stmt allocate(const Buffer& buffer, const ir::Provenance& where)
    {
        Reducer reducer{combinerOf(*buffer), {}, false, {}};
        const bool narrow = buffer->dtype.isFloating() && buffer->dtype.bits() < 32;
        const ir::DType type = narrow ? ir::kFloat32 : buffer->dtype;
        for (const Sites::Site& site : sites_.found[buffer.get()]) {
            const auto axes = axesOf(*buffer, site);
            reducer.atomic = reducer.atomic || !axes;
            const auto same = [&](const Partial& p) { return p.nests == site.nests && p.axisOf == *axes; };
            if (axes && std::none_of(reducer.partials.begin(), reducer.partials.end(), same))
                reducer.partials.push_back(partial(*buffer, site, *axes, type));
        }
        if (reducer.atomic)
            reducer.partials.clear();
        reducer.total = make(*buffer, "", reducer.atomic && buffer->replication.empty() ? type : buffer->dtype, buffer->shape,
                             reducer.atomic ? ir::MemoryScope::kShared : ir::MemoryScope::kFragment);
        std::vector<Stmt> stmts{std::make_shared<ir::Allocate>(reducer.total, where)};
        for (const Partial& p : reducer.partials) {
            stmts.push_back(std::make_shared<ir::Allocate>(p.buffer, where));
            for (const auto& reduction : p.reductions)
                stmts.push_back(std::make_shared<ir::Allocate>(reduction.second, where));
        }
        reducers_[buffer.get()] = std::move(reducer);
        return ir::sequence(std::move(stmts));
    }

    Partial partial(const ir::BufferNode& reducer, const Sites::Site& site, const std::vector<int>& axisOf, ir::DType type) const
    {
        Partial result{site.nests, axisOf, {}, {}, {}};
        std::vector<Expr> shape;
        const auto axes = result.axes();
        for (const ir::Axis& axis : axes)
            shape.push_back(axis.end);
        result.buffer = make(reducer, "_partial", type, shape);
        for (int axis = static_cast<int>(axes.size()); axis-- > 0;) {
            if (std::find(axisOf.begin(), axisOf.end(), axis) != axisOf.end()) {
                result.kept.insert(result.kept.begin(), axis);
                continue;
            }
            shape.erase(shape.begin() + axis);
            if (shape.empty())
                shape.push_back(ir::intImm(1));
            result.reductions.emplace_back(axis, make(reducer, "_reduced", type, shape));
        }
        return result;
    }

    Stmt update(const Update& up, const ir::Provenance& where)
    {
        const Reducer& reducer = reducers_.at(up.reducer.get());
        const Expr value = rewrite(up.value);
        std::vector<Expr> indices;
        for (const Expr& i : up.indices)
            indices.push_back(rewrite(i));
        if (reducer.atomic)
            return atomicUpdate(reducer, indices, value, where);
        for (const Partial& p : reducer.partials) {
            if (p.nests != nests_ || !matches(p, up.indices))
                continue;
            std::vector<Expr> at;
            for (const ir::Axis& axis : p.axes())
                at.push_back(axis.var);
            return storeAt(p.buffer, at, combine(reducer.combiner, loadAt(p.buffer, at), ir::cast(p.buffer->dtype, value)), where);
        }
        return {};
    }

    static bool matches(const Partial& p, const std::vector<Expr>& indices)
    {
        const auto axes = p.axes();
        for (std::size_t d = 0; d < indices.size(); ++d)
            if (p.axisOf[d] >= 0 && indices[d].get() != axes[static_cast<std::size_t>(p.axisOf[d])].var.get())
                return false;
        return true;
    }

    Stmt atomicUpdate(const Reducer& reducer, const std::vector<Expr>& indices, const Expr& value, const ir::Provenance& where)
    {
        OpId op = OpId::kAtomicAdd;
        switch (reducer.combiner) {
        case Combiner::kSum: break;
        case Combiner::kMax: op = OpId::kAtomicMax; break;
        case Combiner::kMin: op = OpId::kAtomicMin; break;
        case Combiner::kBitOr: op = OpId::kAtomicOr; break;
        default:
            context_.diagnostics.error(Code::kNotSupported, where.range,
                                       "not supported: a contribution to a bitand or bitxor reducer at a place that is no variable of its parallel loop, on a GPU");
            return {};
        }
        const Region target{reducer.total, indices, std::vector<Expr>(indices.size(), ir::intImm(1))};
        return std::make_shared<ir::OpStmt>(ir::OpCall{op, {target, ir::cast(reducer.total->dtype, value)}, {}}, where);
    }

    Stmt operation(const Stmt& s, const ir::OpCall& call, const Region& acc)
    {
        const Reducer& reducer = reducers_.at(acc.buffer.get());
        const bool fills = call.op == OpId::kFill || call.op == OpId::kClear;
        if (call.op == OpId::kReducerInit || fills)
            return begin(reducer, call, s->where);
        if (call.op == OpId::kFinalizeReducer)
            return finalize(reducer, call, s->where);
        return rewriteChildren(s);
    }

    static Stmt fill(const Buffer& buffer, const Expr& value, const ir::Provenance& where)
    {
        return std::make_shared<ir::OpStmt>(ir::OpCall{OpId::kFill, {wholeOf(buffer), ir::cast(buffer->dtype, value)}, {}}, where);
    }

    Stmt begin(const Reducer& reducer, const ir::OpCall& call, const ir::Provenance& where)
    {
        Expr start = call.op == OpId::kReducerInit ? ir::exprOperand(call, "start") : call.op == OpId::kFill ? ir::exprOperand(call, "value") : number(reducer.total->dtype, 0);
        start = start ? rewrite(start) : identity(reducer.combiner, reducer.total->dtype);
        std::vector<Stmt> stmts{fill(reducer.total, start, where)};
        for (const Partial& p : reducer.partials)
            stmts.push_back(fill(p.buffer, identity(reducer.combiner, p.buffer->dtype), where));
        return ir::sequence(std::move(stmts));
    }

    Stmt finalize(const Reducer& reducer, const ir::OpCall& call, const ir::Provenance& where)
    {
        std::vector<Stmt> stmts;
        for (const Partial& p : reducer.partials) {
            Buffer from = p.buffer;
            for (const auto& [axis, to] : p.reductions) {
                stmts.push_back(std::make_shared<ir::OpStmt>(ir::OpCall{reduceOp(reducer.combiner), {wholeOf(from), wholeOf(to)}, {{"dim", axis}}}, where));
                from = to;
            }
            stmts.push_back(gather(reducer, p, from, where));
        }
        if (const Region* dst = ir::regionOperand(call, "dst"); dst && dst->buffer)
            stmts.push_back(std::make_shared<ir::OpStmt>(ir::OpCall{OpId::kCopy, {wholeOf(reducer.total), rewrite(*dst)}, {}}, where));
        return ir::sequence(std::move(stmts));
    }

    // total ∘= what a nest contributed.
    static Stmt gather(const Reducer& reducer, const Partial& p, const Buffer& from, const ir::Provenance& where)
    {
        std::vector<ir::Axis> axes;
        std::vector<Expr> at;
        for (std::size_t k = 0; k < from->shape.size(); ++k) {
            const ir::Var var = newVar(std::string(1, static_cast<char>('i' + k % 8)));
            axes.push_back({var, ir::intImm(0), from->shape[k], ir::intImm(1)});
            at.push_back(var);
        }
        std::vector<Expr> to;
        for (const int axis : p.axisOf) {
            const auto found = std::find(p.kept.begin(), p.kept.end(), axis);
            to.push_back(axis < 0 || found == p.kept.end() ? Expr(ir::intImm(0)) : at[static_cast<std::size_t>(found - p.kept.begin())]);
        }
        const ir::DType type = from->dtype;
        const Expr value = combine(reducer.combiner, ir::cast(type, loadAt(reducer.total, to)), loadAt(from, at));
        return std::make_shared<ir::For>(ir::ForKind::kParallel, std::move(axes), storeAt(reducer.total, to, ir::cast(reducer.total->dtype, value), where), ir::Attrs{}, where);
    }

    static OpId reduceOp(Combiner combiner)
    {
        switch (combiner) {
        case Combiner::kMax: return OpId::kReduceMax;
        case Combiner::kMin: return OpId::kReduceMin;
        case Combiner::kBitAnd: return OpId::kReduceBitAnd;
        case Combiner::kBitOr: return OpId::kReduceBitOr;
        case Combiner::kBitXor: return OpId::kReduceBitXor;
        default: return OpId::kReduceSum;
        }
    }

    PassContext& context_;
    Sites sites_;
    std::map<const ir::BufferNode*, Reducer> reducers_;
    std::vector<const ir::For*> nests_;
};

}  // namespace

ir::Function expandReducers(const ir::Function& in, PassContext& context)
{
    ir::Function out = in;
    ReducerExpander expander(in, context);
    out.body = expander.rewrite(in.body);
    return out;
}

}  // namespace tw::passes

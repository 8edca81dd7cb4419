#include "core/passes/infer_layouts.h"

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/layout/shared.h"
#include "core/passes/layout_solver.h"
#include "core/passes/lower_steps.h"
#include "core/passes/own_expressions.h"
#include "core/passes/whole_tiles.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Buffer;
using ir::Expr;
using ir::Region;
using ir::Stmt;
using layout::Fragment;

class Inferrer final : public ir::Rewriter {
public:
    explicit Inferrer(const ir::Function& function, PassContext& context) : function_(function), context_(context) {}

    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        switch (s->kind) {
        case ir::StmtKind::kLaunch: return launch(s);
        case ir::StmtKind::kAllocate: return allocate(s);
        case ir::StmtKind::kFor:
            if (static_cast<const ir::For&>(*s).loop == ir::ForKind::kParallel && launch_)
                return nest(s);
            break;
        case ir::StmtKind::kOp:
            if (launch_)
                return operation(s);
            break;
        default: break;
        }
        if (!launch_)
            return rewriteChildren(s);
        return outside(s);
    }

private:
    Stmt launch(const Stmt& s)
    {
        launch_ = static_cast<const ir::Launch*>(s.get());
        solution_ = solveLayouts(function_, *launch_, context_);
        context_.layoutReasons.insert(context_.layoutReasons.end(), solution_.reasons.begin(), solution_.reasons.end());
        Stmt next = rewriteChildren(s);
        launch_ = nullptr;
        return next;
    }

    Stmt allocate(const Stmt& s)
    {
        const Buffer& buffer = static_cast<const ir::Allocate&>(*s).buffer;
        if (const auto f = solution_.fragments.find(buffer.get()); f != solution_.fragments.end())
            return ir::sequence({s, annotation(buffer, layout::toMap(f->second), s->where)});
        if (const auto map = solution_.shared.find(buffer.get()); map != solution_.shared.end())
            return ir::sequence({s, annotation(buffer, map->second, s->where)});
        return s;
    }

    // ---- conversions ----

    Buffer allocateFragment(const std::string& name, ir::DType type, const Fragment& f, std::vector<Stmt>& out, const ir::Provenance& where)
    {
        const Buffer buffer = newTile(name, type, f.shape, ir::MemoryScope::kFragment);
        solution_.fragments.emplace(buffer.get(), f);
        keep_.push_back(buffer);
        out.push_back(std::make_shared<ir::Allocate>(buffer, where));
        out.push_back(annotation(buffer, layout::toMap(f), where));
        return buffer;
    }

    Buffer allocateShared(const Buffer& like, Ref<const ir::LayoutMap> map, std::vector<Stmt>& out, const ir::Provenance& where)
    {
        const Buffer buffer = newTile(like->name + "_shared", like->dtype, shapeOf(*like), ir::MemoryScope::kShared);
        keep_.push_back(buffer);
        out.push_back(std::make_shared<ir::Allocate>(buffer, where));
        out.push_back(annotation(buffer, std::move(map), where));
        return buffer;
    }

    // The fragment's elements where every thread can read them.
    Buffer toShared(const Buffer& fragment, Ref<const ir::LayoutMap> map, std::vector<Stmt>& out, const ir::Provenance& where)
    {
        const Buffer staged = allocateShared(fragment, std::move(map), out, where);
        const auto known = solution_.fragments.find(fragment.get());
        if (known != solution_.fragments.end())
            out.push_back(copyNest(fragment, staged, known->second, where));
        context_.layoutReasons.push_back({staged->name, "a use of " + fragment->name + " that its layout does not fit", 0, 1, where});
        return staged;
    }

    // ---- nests ----

    Stmt nest(const Stmt& s)
    {
        const auto known = solution_.nests.find(s.get());
        const auto& loop = static_cast<const ir::For&>(*s);
        if (known == solution_.nests.end())
            return s;
        if (!solution_.groups.at(s.get()).contiguous) {
            unsupported(s, "a tile operation by threads that are no range");
            return s;
        }
        const Nest info = describe(loop, launch_->threadVars);
        if (!info.constantExtents) {
            unsupported(s, "a parallel loop with run-time bounds");
            return s;
        }
        BufferNames staged;
        std::vector<Stmt> before, after;
        for (const Buffer& buffer : misfits(info, known->second)) {
            const Buffer shared = toShared(buffer, layout::rowMajor(shapeOf(*buffer)), before, s->where);
            staged[buffer.get()] = shared;
            if (writes(info, buffer))
                after.push_back(copyNest(shared, buffer, solution_.fragments.at(buffer.get()), s->where));
        }
        auto next = std::make_shared<ir::For>(loop);
        next->layout = layout::toMap(known->second);
        if (!staged.empty())
            next->body = renamed(loop.body, staged);
        before.push_back(next);
        before.insert(before.end(), after.begin(), after.end());
        return ir::sequence(std::move(before));
    }

    static bool writes(const Nest& nest, const Buffer& buffer)
    {
        return std::any_of(nest.accesses.begin(), nest.accesses.end(), [&](const NestAccess& a) { return a.write && a.buffer == buffer; });
    }

    // Fragments that have to go through shared memory.
    std::vector<Buffer> misfits(const Nest& nest, const Fragment& loop) const
    {
        std::vector<Buffer> result;
        const auto stage = [&](const Buffer& buffer) {
            if (std::find(result.begin(), result.end(), buffer) == result.end())
                result.push_back(buffer);
        };
        std::vector<const NestAccess*> masked;
        for (const NestAccess& access : nest.accesses) {
            if (!isSpread(access.buffer) || !access.write)
                continue;
            const auto known = solution_.fragments.find(access.buffer.get());
            const Fit f = known == solution_.fragments.end() ? Fit::kNone : fit(nest, loop, access, known->second);
            if (f == Fit::kMasked)
                masked.push_back(&access);
            else if (f != Fit::kExact)
                stage(access.buffer);
        }
        // Threads are masked for one fragment at most, and only where nothing else happens.
        if (masked.size() > 1 || (masked.size() == 1 && nest.writesMemory))
            for (const NestAccess* access : masked)
                stage(access->buffer);
        for (const NestAccess& access : nest.accesses) {
            if (!isSpread(access.buffer) || access.write)
                continue;
            const auto known = solution_.fragments.find(access.buffer.get());
            const Fit f = known == solution_.fragments.end() ? Fit::kNone : fit(nest, loop, access, known->second);
            const bool own = f == Fit::kMasked && masked.size() == 1 && masked.front()->buffer == access.buffer && sameIndices(*masked.front(), access);
            if (f != Fit::kExact && f != Fit::kHolds && !own)
                stage(access.buffer);
        }
        return result;
    }

    static bool sameIndices(const NestAccess& a, const NestAccess& b)
    {
        for (std::size_t k = 0; k < a.indices.size(); ++k)
            if (!ir::equal(a.indices[k], b.indices[k]))
                return false;
        return true;
    }

    // ---- products and reductions ----

    Stmt operation(const Stmt& s)
    {
        const auto& op = static_cast<const ir::OpStmt&>(*s);
        if (op.call.op == ir::OpId::kAnnotateLayout)
            return ir::sequence({});  // stands behind the allocation now
        if (solution_.products.contains(s.get()))
            return product(s, op.call);
        const auto& info = ir::info(op.call.op);
        if (info.cls == ir::OpClass::kReduce && info.stage == ir::StageMask::kTile)
            return reduction(s, op.call);
        return outside(s);
    }

    bool inGroup(const Stmt& s)
    {
        if (solution_.groups.at(s.get()).contiguous)
            return true;
        unsupported(s, "a tile operation by threads that are no range");
        return false;
    }

    static Region& regionAt(ir::OpCall& call, std::string_view name)
    {
        const auto& operands = ir::info(call.op).operands;
        for (std::size_t k = 0; k < call.operands.size(); ++k)
            if (operands[k].name == name)
                return std::get<Region>(call.operands[k]);
        return std::get<Region>(call.operands.front());
    }

    // A region of a fragment as a tile of its own, and back.
    Buffer cutOut(const Region& region, const std::string& name, const Fragment& f, bool load, std::vector<Stmt>& out, const ir::Provenance& where)
    {
        const Buffer tile = allocateFragment(name, region.buffer->dtype, f, out, where);
        if (load)
            out.push_back(regionNest(region, tile, true, where));
        return tile;
    }

    // tile = region (or back), as a nest that is inferred like the author's own.
    Stmt regionNest(const Region& region, const Buffer& tile, bool load, const ir::Provenance& where)
    {
        std::vector<ir::Axis> axes;
        std::vector<Expr> at, of;
        for (std::size_t k = 0; k < tile->shape.size(); ++k) {
            const ir::Var v = newVar(std::string(1, static_cast<char>('i' + static_cast<int>(k % 8))));
            axes.push_back({v, ir::intImm(0), tile->shape[k], {}});
            at.emplace_back(v);
            of.push_back(ir::add(region.mins[k], v));
        }
        Stmt body = load ? storeAt(tile, at, ir::cast(tile->dtype, loadAt(region.buffer, of)), where)
                         : storeAt(region.buffer, of, ir::cast(region.buffer->dtype, loadAt(tile, at)), where);
        const Stmt loop = std::make_shared<ir::For>(ir::ForKind::kParallel, std::move(axes), std::move(body), ir::Attrs{}, where);
        solution_.nests.emplace(loop.get(), solution_.fragments.at(tile.get()));
        solution_.groups[loop.get()] = {0, 0, true};
        keepStmts_.push_back(loop);
        return nest(loop);
    }

    Stmt product(const Stmt& s, const ir::OpCall& call)
    {
        if (!inGroup(s))
            return s;
        const ProductPlan& plan = solution_.products.at(s.get());
        const I first = solution_.groups.at(s.get()).first;
        std::vector<Stmt> out, after;
        ir::OpCall next = call;
        for (const char* name : {"A", "B"}) {
            Region& operand = regionAt(next, name);
            const ProductOperandPlan& want = name[0] == 'A' ? plan.a : plan.b;
            if (operand.buffer->scope == ir::MemoryScope::kShared)
                continue;
            if (!isSpread(operand.buffer)) {
                unsupported(s, "a product of tiles in global memory on a GPU");
                return s;
            }
            const Fragment& have = solution_.fragments.at(operand.buffer.get());
            Fragment wanted = want.fragment.value_or(Fragment{});
            wanted.firstThread = first;
            if (want.fragment && ir::isWhole(operand) && have == wanted)
                continue;
            const auto best = bestLayout(want, shapeOf(*operand.buffer), operand.buffer->dtype.bits());
            const Buffer staged = toShared(operand.buffer, best, out, s->where);
            operand.buffer = staged;
        }
        Region& c = regionAt(next, "C");
        Fragment wanted = plan.c;
        wanted.firstThread = first;
        const bool fits = isSpread(c.buffer) && ir::isWhole(c) && solution_.fragments.at(c.buffer.get()) == wanted;
        if (!fits && next.op == ir::OpId::kWgmmaGemm) {
            unsupported(s, "an accumulator of T.wgmma_gemm that another operation wants in another layout");
            return s;
        }
        if (!fits) {
            const Buffer tile = cutOut(c, c.buffer->name + "_tile", tileOf(wanted, c), true, out, s->where);
            after.push_back(regionNest(c, tile, false, s->where));
            c = wholeOf(tile);
        }
        out.push_back(std::make_shared<ir::OpStmt>(std::move(next), s->where));
        out.insert(out.end(), after.begin(), after.end());
        return ir::sequence(std::move(out));
    }

    // The plan's layout over a region's extents (it was made for the region, which may have leading axes of extent 1).
    static Fragment tileOf(Fragment f, const Region& region)
    {
        std::vector<int> from;
        const std::size_t lead = region.extents.size() - std::min(region.extents.size(), f.shape.size());
        for (std::size_t k = 0; k < region.extents.size(); ++k)
            from.push_back(k < lead ? -1 : static_cast<int>(k - lead));
        return layout::select(f, from);
    }

    Stmt reduction(const Stmt& s, const ir::OpCall& call)
    {
        if (!inGroup(s))
            return s;
        std::vector<Stmt> out, after;
        ir::OpCall next = call;
        Region& src = regionAt(next, "src");
        Region& dst = regionAt(next, "dst");
        if (!isSpread(src.buffer) || !ir::isWhole(src)) {
            std::vector<I> shape;
            for (const Expr& extent : src.extents)
                shape.push_back(ir::asInt(extent) ? *ir::asInt(extent) : 1);
            const ThreadGroup& group = solution_.groups.at(s.get());
            Fragment f = layout::dealt(shape, group.count, 4);
            f.firstThread = group.first;
            src = wholeOf(cutOut(src, src.buffer->name + "_tile", f, true, out, s->where));
        }
        const Fragment result = reducedLayout(solution_.fragments.at(src.buffer.get()), reducedAxis(call), dst.mins.size());
        const bool fits = isSpread(dst.buffer) && ir::isWhole(dst) && solution_.fragments.at(dst.buffer.get()) == result;
        if (!fits) {
            const bool clear = ir::boolAttr(call.attrs, "clear", true);
            const Buffer tile = cutOut(dst, dst.buffer->name + "_tile", result, !clear, out, s->where);
            after.push_back(regionNest(dst, tile, false, s->where));
            dst = wholeOf(tile);
        }
        out.push_back(std::make_shared<ir::OpStmt>(std::move(next), s->where));
        out.insert(out.end(), after.begin(), after.end());
        return ir::sequence(std::move(out));
    }

    // ---- statements outside of nests ----

    // What they load of a fragment has to be there for every thread.
    Stmt outside(const Stmt& s)
    {
        const Stmt next = rewriteChildren(s);
        if (s->kind == ir::StmtKind::kSeq)
            return next;
        BufferNames staged;
        std::vector<Stmt> out;
        for (const Buffer& buffer : fragmentsLoadedBy(s)) {
            const auto known = solution_.fragments.find(buffer.get());
            if (staged.contains(buffer.get()) || (known != solution_.fragments.end() && known->second.copies() == known->second.threads &&
                                                  known->second.threads == threadCount(*launch_)))
                continue;
            if (s->kind == ir::StmtKind::kWhile) {
                unsupported(s, "a while loop on an element of " + buffer->name + ", which is spread over threads");
                return next;
            }
            staged[buffer.get()] = toShared(buffer, layout::rowMajor(shapeOf(*buffer)), out, s->where);
        }
        if (staged.empty())
            return next;
        out.push_back(renamedOwn(next, staged));
        return ir::sequence(std::move(out));
    }

    void unsupported(const Stmt& s, const std::string& what)
    {
        context_.diagnostics.error(Code::kNotSupported, s->where.range, "not supported: " + what);
    }

    const ir::Function& function_;
    PassContext& context_;
    const ir::Launch* launch_ = nullptr;
    LayoutSolution solution_;
    std::vector<Buffer> keep_;     // keeps addresses used as keys alive
    std::vector<Stmt> keepStmts_;
};

}  // namespace

ir::Function inferLayouts(const ir::Function& in, PassContext& context)
{
    ir::Function out = in;
    Inferrer inferrer(in, context);
    out.body = inferrer.rewrite(in.body);
    return out;
}

}  // namespace tw::passes

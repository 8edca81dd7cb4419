// A reduction of a fragment: in registers, then among the lanes of a warp by shuffles, then among warps through shared memory.
#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/passes/hardware.h"
#include "core/passes/layout_solver.h"
#include "core/passes/lower_steps.h"
#include "core/passes/thread_tiles.h"
#include "core/support/check.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::Stmt;
using layout::Digit;
using layout::DigitValue;
using layout::Fragment;


bool isPowerOfTwo(I n) { return n > 0 && (n & (n - 1)) == 0; }

// The threads that share the reduced axis: pieces within a warp, and pieces across warps.
struct Exchange {
    struct Piece {
        I stride = 1, extent = 1, span = 1;
    };
    std::vector<Piece> lanes, warps;
};

Exchange exchangeOf(const Fragment& f, int axis)
{
    const bool wholeWarps = f.threads % kWarpSize == 0 && f.firstThread % kWarpSize == 0;
    Exchange result;
    for (const Digit& d : f.digits) {
        if (d.axis != axis || !d.onThread)
            continue;
        I within = 1;
        if (wholeWarps && isPowerOfTwo(d.stride) && isPowerOfTwo(d.extent) && f.threadSpan(d.stride) == d.extent)
            within = std::clamp<I>(kWarpSize / d.stride, 1, d.extent);
        if (within > 1)
            result.lanes.push_back({d.stride, within, within});
        if (d.extent > within)
            result.warps.push_back({d.stride * within, d.extent / within, f.threadSpan(d.stride) / within});
    }
    return result;
}

class ThreadReduction {
public:
    ThreadReduction(const ir::OpCall& call, const ThreadTiles& tiles, const ir::Provenance& where)
        : tiles_(tiles), where_(where), src_(tiles.spread.at(ir::regionOperand(call, "src")->buffer.get())),
          dst_(tiles.spread.at(ir::regionOperand(call, "dst")->buffer.get())), axis_(reducedAxis(call)),
          keepsAxis_(dst_.layout.shape.size() == src_.layout.shape.size()), combiner_(ir::combiner(call.op).value()),
          clear_(ir::boolAttr(call.attrs, "clear", true)), nanWins_(ir::boolAttr(call.attrs, "nan_propagate", false)),
          type_(accumulatorType(src_.registers->dtype, dst_.registers->dtype)), exchange_(exchangeOf(src_.layout, axis_))
    {
        for (const int k : layout::registerDigits(src_.layout)) {
            const Digit& d = src_.layout.digits[static_cast<std::size_t>(k)];
            vars_.push_back(newVar(d.axis == axis_ ? "k" : "r"));
            reduced_.push_back(d.axis == axis_);
            extents_.push_back(d.extent);
        }
    }

    Stmt build()
    {
        I crossing = 1, results = 1;
        for (const auto& piece : exchange_.warps)
            crossing *= piece.extent;
        for (const I extent : dst_.layout.shape)
            results *= extent;
        partial_ = newLocal("partial", type_, dst_.layout.registers());
        std::vector<Stmt> out{std::make_shared<ir::Allocate>(partial_, where_), overResults(inRegisters())};
        if (crossing > 1) {
            workspace_ = shared("partials", results * crossing);
            out.push_back(std::make_shared<ir::Allocate>(workspace_, where_));
            out.push_back(overResults(give(crossing)));
            out.push_back(overResults(collect(crossing)));
        }
        out.push_back(overResults(finish()));
        return ir::sequence(std::move(out));
    }

private:
    ir::Buffer shared(const std::string& name, I elements) const
    {
        auto buffer = std::make_shared<ir::BufferNode>(*newLocal(name, type_, elements));
        buffer->scope = ir::MemoryScope::kShared;
        return buffer;
    }

    Stmt loops(Stmt body, bool overReduced) const
    {
        for (std::size_t k = vars_.size(); k-- > 0;)
            if (reduced_[k] == overReduced)
                body = loopOver(ir::ForKind::kUnrolled, vars_[k], ir::intImm(0), ir::intImm(extents_[k]), body, where_);
        return body;
    }
    // Variables are bound once: each set of loops has its own.
    Stmt overResults(Stmt body)
    {
        Stmt loop = loops(std::move(body), false);
        std::map<const ir::ExprNode*, Expr> fresh;
        for (std::size_t k = 0; k < vars_.size(); ++k) {
            const ir::Var next = newVar(vars_[k]->name);
            vars_[k] = next;
        }
        return loop;
    }

    std::vector<DigitValue> digits(int axis) const
    {
        const std::vector<Expr> registers(vars_.begin(), vars_.end());
        auto result = layout::coordinate(src_.layout, axis, tiles_.thread, registers);
        if (result.empty())
            result.push_back({ir::intImm(0), 1, 1, false});
        return result;
    }
    std::vector<std::vector<DigitValue>> resultDigits() const
    {
        std::vector<std::vector<DigitValue>> at;
        for (int k = 0; k < static_cast<int>(src_.layout.shape.size()); ++k)
            if (k != axis_)
                at.push_back(digits(k));
            else if (keepsAxis_)
                at.push_back({{ir::intImm(0), 1, 1, false}});
        if (at.empty())
            at.push_back({{ir::intImm(0), 1, 1, false}});
        return at;
    }
    Expr resultRegister() const { return layout::registerExpr(dst_.layout, resultDigits()); }
    Expr resultNumber() const
    {
        Expr number = ir::intImm(0);
        const auto at = resultDigits();
        for (std::size_t k = 0; k < at.size(); ++k)
            number = ir::add(ir::mul(number, ir::intImm(dst_.layout.shape[k])), layout::valueOf(at[k]));
        return number;
    }
    // Whether the coordinates that a thread sees exist; empty where they all do.
    Expr exists(bool alongAxis) const
    {
        Expr all;
        for (int k = 0; k < static_cast<int>(src_.layout.shape.size()); ++k)
            if ((k == axis_) == alongAxis && src_.layout.covered(k) > src_.layout.shape[static_cast<std::size_t>(k)])
                all = ir::logicalAnd(all, ir::less(layout::valueOf(digits(k)), ir::intImm(src_.layout.shape[static_cast<std::size_t>(k)])));
        return all;
    }

    Stmt inRegisters()
    {
        const Expr at = resultRegister(), none = identity(combiner_, type_);
        Expr reg = ir::intImm(0);
        const auto order = layout::registerDigits(src_.layout);
        for (std::size_t k = 0; k < order.size(); ++k)
            reg = ir::add(reg, ir::mul(vars_[k], ir::intImm(src_.layout.digits[static_cast<std::size_t>(order[k])].stride)));
        Expr element = contribution(combiner_, ir::cast(type_, loadAt(src_.registers, {reg})));
        Expr valid = layout::holdsAny(src_.layout, tiles_.thread);
        for (const bool alongAxis : {true, false})
            if (const Expr inside = exists(alongAxis))
                valid = ir::logicalAnd(valid, inside);
        if (valid)
            element = ir::select(valid, element, none, true);
        Stmt step = storeAt(partial_, {at}, combine(combiner_, loadAt(partial_, {at}), element, nanWins_), where_);
        std::vector<Stmt> out{storeAt(partial_, {at}, none, where_), loops(std::move(step), true)};
        for (std::size_t p = exchange_.lanes.size(); p-- > 0;)
            for (I offset = exchange_.lanes[p].stride * exchange_.lanes[p].extent / 2; offset >= exchange_.lanes[p].stride; offset /= 2) {
                const Expr other = ir::call(type_, ir::OpCall{ir::OpId::kShflXor, {loadAt(partial_, {at}), ir::intImm(offset)}, {}}, where_);
                out.push_back(storeAt(partial_, {at}, combine(combiner_, loadAt(partial_, {at}), other, nanWins_), where_));
            }
        return ir::sequence(std::move(out));
    }

    Expr pieceOf(const Exchange::Piece& piece) const
    {
        const Expr thread = src_.layout.firstThread == 0 ? tiles_.thread : ir::sub(tiles_.thread, ir::intImm(src_.layout.firstThread));
        const Expr high = piece.stride == 1 ? thread : ir::floorDiv(thread, ir::intImm(piece.stride));
        return piece.stride * piece.span >= src_.layout.threads ? high : ir::floorMod(high, ir::intImm(piece.span));
    }

    // One lane of each group that agrees writes what its group knows.
    Stmt give(I crossing)
    {
        Expr place = ir::intImm(0), mine;
        for (const auto& piece : exchange_.warps) {
            place = ir::add(ir::mul(place, ir::intImm(piece.extent)), pieceOf(piece));
            if (piece.span > piece.extent)
                mine = ir::logicalAnd(mine, ir::less(pieceOf(piece), ir::intImm(piece.extent)));
        }
        for (const auto& piece : exchange_.lanes)
            mine = ir::logicalAnd(mine, ir::binary(ir::BinaryOp::kEq, pieceOf(piece), ir::intImm(0)));
        if (const Expr first = layout::firstCopy(src_.layout, tiles_.thread))
            mine = ir::logicalAnd(mine, first);
        if (const Expr holds = layout::holdsAny(src_.layout, tiles_.thread))
            mine = ir::logicalAnd(mine, holds);
        if (const Expr inside = exists(false))
            mine = ir::logicalAnd(mine, inside);
        Stmt store = storeAt(workspace_, {ir::add(ir::mul(resultNumber(), ir::intImm(crossing)), place)}, loadAt(partial_, {resultRegister()}), where_);
        return mine ? std::make_shared<ir::If>(mine, store, Stmt{}, where_) : store;
    }

    Stmt collect(I crossing)
    {
        const Expr at = resultRegister();
        const ir::Var c = newVar("c");
        const Expr other = loadAt(workspace_, {ir::add(ir::mul(resultNumber(), ir::intImm(crossing)), c)});
        Stmt step = storeAt(partial_, {at}, combine(combiner_, loadAt(partial_, {at}), other, nanWins_), where_);
        Stmt body = ir::sequence({storeAt(partial_, {at}, identity(combiner_, type_), where_),
                                  loopOver(ir::ForKind::kUnrolled, c, ir::intImm(0), ir::intImm(crossing), step, where_)});
        Expr valid = layout::holdsAny(src_.layout, tiles_.thread);
        if (const Expr inside = exists(false))
            valid = ir::logicalAnd(valid, inside);
        return valid ? std::make_shared<ir::If>(valid, body, Stmt{}, where_) : body;
    }

    Stmt finish()
    {
        const Expr at = resultRegister();
        const ir::DType type = dst_.registers->dtype;
        Expr value = loadAt(partial_, {at});
        if (!clear_)
            value = combine(combiner_, ir::cast(type_, loadAt(dst_.registers, {at})), value, nanWins_);
        const Stmt store = storeAt(dst_.registers, {at}, ir::cast(type, value), where_);
        Expr inside = exists(false);
        if (!clear_)  // threads that hold no element have no old value either
            if (const Expr holds = layout::holdsAny(src_.layout, tiles_.thread))
                inside = inside ? ir::logicalAnd(holds, inside) : holds;
        return inside ? std::make_shared<ir::If>(inside, store, Stmt{}, where_) : store;
    }

    const ThreadTiles& tiles_;
    ir::Provenance where_;
    const SpreadTile& src_;
    const SpreadTile& dst_;
    int axis_;
    bool keepsAxis_;
    ir::Combiner combiner_;
    bool clear_, nanWins_;
    ir::DType type_;
    Exchange exchange_;
    std::vector<ir::Var> vars_;  // one a register digit of the source
    std::vector<bool> reduced_;
    std::vector<I> extents_;
    ir::Buffer partial_, workspace_;
};

}  // namespace

Stmt reduceByThreads(const ir::OpCall& call, const ThreadTiles& tiles, const ir::Provenance& where)
{
    return ThreadReduction(call, tiles, where).build();
}

}  // namespace tw::passes

// Running sums and maxima as nests: every line is cut into pieces, a thread runs over a piece, then over the ends of the pieces of a
// line, then all elements get what came in front of their piece. Where there are as many lines as threads, a line is one piece.
#include "core/passes/expand_scans.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/lower_steps.h"

namespace tw::passes {

namespace {

using ir::Buffer;
using ir::Combiner;
using ir::Expr;
using ir::ForKind;
using ir::Region;
using ir::Stmt;

constexpr std::int64_t kShortPiece = 4;  // elements that one thread runs over at least

class ScanExpander {
public:
    ScanExpander(const ir::OpCall& call, const ir::Provenance& where)
        : src_(*ir::regionOperand(call, "src")), dst_(*ir::regionOperand(call, "dst")), where_(where),
          combiner_(call.op == ir::OpId::kCumSum ? Combiner::kSum : Combiner::kMax), reverse_(ir::boolAttr(call.attrs, "reverse", false)),
          type_(accumulatorType(src_.buffer->dtype, dst_.buffer->dtype))
    {
        const auto rank = static_cast<std::int64_t>(src_.mins.size());
        const std::int64_t dim = ir::intAttr(call.attrs, "dim", 0);
        axis_ = static_cast<std::size_t>(((dim % rank) + rank) % rank);
        length_ = *ir::asInt(src_.extents[axis_]);
        for (std::size_t k = 0; k < src_.extents.size(); ++k)
            if (k != axis_)
                lineExtents_.push_back(src_.extents[k]);
    }

    Stmt byOneThread() const
    {
        std::vector<ir::Var> vars;
        const auto line = lineVars(vars);
        Stmt body = piece(line, ir::intImm(0), length_, {}, {});
        for (std::size_t k = vars.size(); k-- > 0;)
            body = loopOver(ForKind::kSerial, vars[k], ir::intImm(0), lineExtents_[k], body, where_);
        return body;
    }

    Stmt byThreads(std::int64_t threads)
    {
        std::int64_t lines = 1;
        for (const Expr& extent : lineExtents_)
            lines *= *ir::asInt(extent);
        const std::int64_t pieces = std::min(std::max<std::int64_t>(1, threads / lines), length_ / kShortPiece);
        std::vector<Stmt> stmts;
        const Buffer work = workBuffer(stmts);
        if (src_.buffer->scope == ir::MemoryScope::kFragment)
            stmts.push_back(stage(work));
        const bool whole = pieces <= 1;
        // An odd length keeps the pieces of a line in different banks.
        const std::int64_t length = whole ? length_ : ((length_ + pieces - 1) / pieces) | 1;
        const std::int64_t count = (length_ + length - 1) / length;
        Buffer ends;
        if (count > 1) {
            ends = newBuffer("_ends", lineShape(count));
            stmts.insert(stmts.begin(), std::make_shared<ir::Allocate>(ends, where_));
        }
        stmts.push_back(pieceNest(work, ends, length, count));
        if (count > 1)
            stmts.push_back(endsNest(ends, count));
        if (count > 1 || work != dst_.buffer)
            stmts.push_back(resultNest(work, ends, length));
        return ir::sequence(std::move(stmts));
    }

private:
    using At = std::vector<Expr>;

    std::vector<Expr> lineVars(std::vector<ir::Var>& vars) const
    {
        At line;
        for (std::size_t k = 0; k < lineExtents_.size(); ++k) {
            vars.push_back(newVar(std::string(1, static_cast<char>('i' + k % 8))));
            line.push_back(vars.back());
        }
        return line;
    }

    static ir::Axis axisOf(const ir::Var& var, const Expr& extent) { return {var, ir::intImm(0), extent, ir::intImm(1)}; }

    // A nest over the lines and, where `extra` is given, one more axis.
    Stmt nest(const std::vector<ir::Var>& vars, const ir::Var& extra, std::int64_t extent, Stmt body) const
    {
        std::vector<ir::Axis> axes;
        for (std::size_t k = 0; k < vars.size(); ++k)
            axes.push_back(axisOf(vars[k], lineExtents_[k]));
        if (extra || axes.empty())
            axes.push_back(axisOf(extra ? extra : newVar("one"), ir::intImm(extra ? extent : 1)));
        return std::make_shared<ir::For>(ForKind::kParallel, std::move(axes), std::move(body), ir::Attrs{{"op", std::string(combiner_ == Combiner::kSum ? "cumsum" : "cummax")}},
                                         where_);
    }

    Expr position(const Expr& step) const { return reverse_ ? ir::sub(ir::intImm(length_ - 1), step) : step; }

    At at(const At& line, const Expr& step) const
    {
        At result = line;
        result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis_), position(step));
        return result;
    }
    static At within(const Region& r, const At& at)
    {
        At indices = r.mins;
        const std::size_t skip = at.size() - indices.size();
        for (std::size_t k = 0; k < indices.size(); ++k)
            indices[k] = ir::add(indices[k], at[k + skip]);
        return indices;
    }

    Buffer newBuffer(const char* suffix, std::vector<Expr> shape) const
    {
        auto buffer = std::make_shared<ir::BufferNode>();
        buffer->name = dst_.buffer->name + suffix;
        buffer->dtype = type_;
        buffer->shape = std::move(shape);
        buffer->scope = ir::MemoryScope::kShared;
        buffer->where = where_;
        return buffer;
    }
    std::vector<Expr> lineShape(std::int64_t last) const
    {
        std::vector<Expr> shape = lineExtents_;
        shape.push_back(ir::intImm(last));
        return shape;
    }

    // Where the sums are formed: shared memory of the accumulator's type, the destination itself if it is that.
    Buffer workBuffer(std::vector<Stmt>& stmts) const
    {
        if (dst_.buffer->scope == ir::MemoryScope::kShared && dst_.buffer->dtype == type_ && ir::isWhole(dst_) && src_.buffer->scope != ir::MemoryScope::kFragment)
            return dst_.buffer;
        const Buffer work = newBuffer("_scan", src_.extents);
        stmts.push_back(std::make_shared<ir::Allocate>(work, where_));
        return work;
    }

    // Fragments are read where they are held.
    Stmt stage(const Buffer& work) const
    {
        std::vector<ir::Axis> axes;
        At all;
        for (std::size_t k = 0; k < src_.extents.size(); ++k) {
            const ir::Var var = newVar(std::string(1, static_cast<char>('i' + k % 8)));
            axes.push_back(axisOf(var, src_.extents[k]));
            all.push_back(var);
        }
        return std::make_shared<ir::For>(ForKind::kParallel, std::move(axes), storeAt(work, all, ir::cast(type_, loadAt(src_.buffer, within(src_, all))), where_), ir::Attrs{},
                                         where_);
    }

    // One thread over steps [first, first + length) of a line; the end goes to ends[line, number].
    Stmt piece(const At& line, const Expr& first, std::int64_t length, const Buffer& work, const Stmt& atEnd) const { return pieceTo(line, first, length, work, atEnd, newLocal("total", type_, 1)); }

    Stmt pieceTo(const At& line, const Expr& first, std::int64_t length, const Buffer& work, const Stmt& atEnd, const Buffer& total) const
    {
        const Expr zero = ir::intImm(0);
        const ir::Var k = newVar("k");
        const Expr step = ir::add(first, Expr(k));
        const At place = at(line, step);
        const bool staged = work && src_.buffer->scope == ir::MemoryScope::kFragment;
        const Expr element = staged ? loadAt(work, place) : ir::cast(type_, loadAt(src_.buffer, within(src_, place)));
        const Stmt store = !work                    ? storeAt(dst_.buffer, within(dst_, place), ir::cast(dst_.buffer->dtype, loadAt(total, {zero})), where_)
                           : work == dst_.buffer    ? storeAt(work, within(dst_, place), loadAt(total, {zero}), where_)
                                                    : storeAt(work, place, loadAt(total, {zero}), where_);
        Stmt body = ir::sequence({storeAt(total, {zero}, combine(combiner_, loadAt(total, {zero}), element), where_), store});
        if (!ir::isZero(first))
            body = std::make_shared<ir::If>(ir::less(step, ir::intImm(length_)), body, Stmt{}, where_);
        return ir::sequence({std::make_shared<ir::Allocate>(total, where_), storeAt(total, {zero}, identity(combiner_, type_), where_),
                             loopOver(ForKind::kSerial, k, zero, ir::intImm(length), body, where_), atEnd});
    }

    Stmt pieceNest(const Buffer& work, const Buffer& ends, std::int64_t length, std::int64_t count) const
    {
        std::vector<ir::Var> vars;
        const At line = lineVars(vars);
        if (!ends)
            return nest(vars, {}, 1, piece(line, ir::intImm(0), length, work, {}));
        const ir::Var c = newVar("c");
        const Buffer total = newLocal("total", type_, 1);
        At end = line;
        end.push_back(c);
        const Stmt atEnd = storeAt(ends, end, loadAt(total, {ir::intImm(0)}), where_);
        return nest(vars, c, count, pieceTo(line, ir::mul(Expr(c), ir::intImm(length)), length, work, atEnd, total));
    }

    // ends[line, c] becomes what stands in front of piece c.
    Stmt endsNest(const Buffer& ends, std::int64_t count) const
    {
        std::vector<ir::Var> vars;
        At end = lineVars(vars);
        const ir::Var c = newVar("c");
        end.push_back(c);
        const Buffer total = newLocal("total", type_, 1);
        const Expr zero = ir::intImm(0);
        const ir::Var own = std::make_shared<const ir::VarNode>(type_, "own");
        const Stmt body = ir::sequence({std::make_shared<ir::Bind>(own, loadAt(ends, end), where_), storeAt(ends, end, loadAt(total, {zero}), where_),
                                        storeAt(total, {zero}, combine(combiner_, loadAt(total, {zero}), Expr(own)), where_)});
        return nest(vars, {}, 1,
                    ir::sequence({std::make_shared<ir::Allocate>(total, where_), storeAt(total, {zero}, identity(combiner_, type_), where_),
                                  loopOver(ForKind::kSerial, c, zero, ir::intImm(count), body, where_)}));
    }

    Stmt resultNest(const Buffer& work, const Buffer& ends, std::int64_t length) const
    {
        std::vector<ir::Axis> axes;
        At place;
        for (std::size_t k = 0; k < src_.extents.size(); ++k) {
            const ir::Var var = newVar(std::string(1, static_cast<char>('i' + k % 8)));
            axes.push_back(axisOf(var, src_.extents[k]));
            place.push_back(var);
        }
        const At inWork = work == dst_.buffer ? within(dst_, place) : place;
        Expr value = loadAt(work, inWork);
        if (ends) {
            At end = place;
            end.erase(end.begin() + static_cast<std::ptrdiff_t>(axis_));
            end.push_back(ir::floorDiv(position(place[axis_]), ir::intImm(length)));
            value = combine(combiner_, loadAt(ends, end), value);
        }
        return std::make_shared<ir::For>(ForKind::kParallel, std::move(axes), storeAt(dst_.buffer, within(dst_, place), ir::cast(dst_.buffer->dtype, value), where_), ir::Attrs{},
                                         where_);
    }

    Region src_, dst_;
    ir::Provenance where_;
    Combiner combiner_;
    bool reverse_;
    ir::DType type_;
    std::size_t axis_ = 0;
    std::int64_t length_ = 0;
    std::vector<Expr> lineExtents_;
};

}  // namespace

Stmt expandScan(const ir::OpCall& call, std::int64_t threads, const ir::Provenance& where)
{
    ScanExpander expander(call, where);
    return threads == 0 ? expander.byOneThread() : expander.byThreads(threads);
}

}  // namespace tw::passes

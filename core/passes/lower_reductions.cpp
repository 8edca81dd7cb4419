// Reductions and scans. Sums of narrow floats are kept in float32 (language.md g.2b).
//
// Along the last axis a reduction keeps a row of partial results, so that its loop is as parallel as the processor is wide;
// along another axis the row of results itself is that.
#include <cmath>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/number.h"
#include "core/ir/visit.h"
#include "core/passes/lower_steps.h"
#include "core/support/check.h"

namespace tw::passes {

namespace {

using ir::BinaryOp;
using ir::Combiner;
using ir::DType;
using ir::Expr;
using ir::ForKind;
using ir::Region;
using ir::Stmt;

constexpr std::int64_t kPartials = 64;       // results kept side by side along a long row
constexpr std::int64_t kShortRow = 32;       // rows below this are reduced one element after the other

// The axes of a reduction or scan, and where its elements are.
struct Walk {
    Region src, dst;
    std::size_t axis = 0;
    Combiner combiner{};
    bool nanWins = false;  // a NaN among the elements is the result
    DType type;  // of the accumulator
    ir::Provenance where;

    std::size_t rank() const { return src.mins.size(); }
    std::int64_t extent() const
    {
        const auto* n = ir::asInt(src.extents[axis]);
        return n ? *n : -1;
    }
    Expr join(const Expr& a, const Expr& b) const { return combine(combiner, a, b, nanWins); }
    // `at` has one expression for each axis of src.
    Expr element(const std::vector<Expr>& at) const
    {
        std::vector<Expr> indices;
        for (std::size_t i = 0; i < rank(); ++i)
            indices.push_back(ir::add(src.mins[i], at[i]));
        return contribution(combiner, ir::cast(type, loadAt(src.buffer, std::move(indices))));
    }
    // The destination lacks the axis, has it with extent 1, or (a whole row to one value) is a single element.
    std::vector<Expr> target(const std::vector<Expr>& at) const
    {
        std::vector<Expr> indices = dst.mins;
        if (dst.mins.size() == rank()) {
            for (std::size_t i = 0; i < rank(); ++i)
                if (i != axis)
                    indices[i] = ir::add(dst.mins[i], at[i]);
            return indices;
        }
        std::size_t to = dst.mins.size();
        for (std::size_t i = rank(); i-- > 0 && to > 0;)
            if (i != axis) {
                --to;
                indices[to] = ir::add(dst.mins[to], at[i]);
            }
        return indices;
    }
};

// Serial loops over every axis but those in `without`; `at` gets their variables.
Stmt outerLoops(const Walk& walk, std::vector<Expr>& at, const std::vector<std::size_t>& without, const std::function<Stmt()>& body,
                std::size_t axis = 0)
{
    while (axis < walk.rank() && std::find(without.begin(), without.end(), axis) != without.end())
        ++axis;
    if (axis >= walk.rank())
        return body();
    const ir::Var var = newVar(std::string(1, static_cast<char>('i' + static_cast<int>(axis % 8))));
    at[axis] = var;
    Stmt inner = outerLoops(walk, at, without, body, axis + 1);
    return loopOver(ForKind::kSerial, var, ir::intImm(0), walk.src.extents[axis], inner, walk.where);
}

Stmt finish(const Walk& walk, const std::vector<Expr>& at, Expr value, bool clear)
{
    const auto indices = walk.target(at);
    if (!clear)
        value = walk.join(ir::cast(walk.type, loadAt(walk.dst.buffer, indices)), value);
    return storeAt(walk.dst.buffer, indices, ir::cast(walk.dst.buffer->dtype, value), walk.where);
}

// One element after the other into a variable.
Stmt reduceShortRow(const Walk& walk, bool clear)
{
    std::vector<Expr> at(walk.rank(), ir::intImm(0));
    return outerLoops(walk, at, {walk.axis}, [&] {
        const ir::Buffer total = newLocal("total", walk.type, 1);
        const ir::Var k = newVar("k");
        at[walk.axis] = k;
        const Expr zero = ir::intImm(0);
        Stmt step = storeAt(total, {zero}, walk.join(loadAt(total, {zero}), walk.element(at)), walk.where);
        at[walk.axis] = zero;
        return ir::sequence({std::make_shared<ir::Allocate>(total, walk.where),
                             storeAt(total, {zero}, identity(walk.combiner, walk.type), walk.where),
                             loopOver(ForKind::kSerial, k, zero, walk.src.extents[walk.axis], step, walk.where),
                             finish(walk, at, loadAt(total, {zero}), clear)});
    });
}

// partial[l] for 64 lanes, then a tree over the lanes.
Stmt reduceLongRow(const Walk& walk, bool clear)
{
    std::vector<Expr> at(walk.rank(), ir::intImm(0));
    const std::int64_t n = walk.extent();
    const std::int64_t lanes = n >= kPartials ? kPartials : kShortRow;
    const std::int64_t whole = n / lanes * lanes;
    return outerLoops(walk, at, {walk.axis}, [&] {
        const ir::Buffer partial = newLocal("partial", walk.type, lanes);
        std::vector<Stmt> stmts{std::make_shared<ir::Allocate>(partial, walk.where)};
        const auto lanesLoop = [&](std::int64_t count, const std::function<Expr(const ir::Var&)>& value) {
            const ir::Var l = newVar("l");
            const Expr v = value(l);
            return loopOver(ForKind::kParallel, l, ir::intImm(0), ir::intImm(count), storeAt(partial, {l}, v, walk.where), walk.where);
        };
        const auto accumulate = [&](const Expr& base) {
            return [&walk, &at, &partial, base](const ir::Var& l) {
                at[walk.axis] = ir::add(base, l);
                return walk.join(loadAt(partial, {l}), walk.element(at));
            };
        };
        stmts.push_back(lanesLoop(lanes, [&](const ir::Var&) { return identity(walk.combiner, walk.type); }));
        const ir::Var block = newVar("k");
        stmts.push_back(loopOver(ForKind::kSerial, block, ir::intImm(0), ir::intImm(whole / lanes),
                                 lanesLoop(lanes, accumulate(ir::mul(block, ir::intImm(lanes)))), walk.where));
        if (n > whole)
            stmts.push_back(lanesLoop(n - whole, accumulate(ir::intImm(whole))));
        std::int64_t left = lanes;
        for (; left > 1; left /= 2)
            stmts.push_back(lanesLoop(left / 2, [&](const ir::Var& l) {
                return walk.join(loadAt(partial, {l}), loadAt(partial, {ir::add(l, ir::intImm(left / 2))}));
            }));
        at[walk.axis] = ir::intImm(0);
        stmts.push_back(finish(walk, at, loadAt(partial, {ir::intImm(0)}), clear));
        return ir::sequence(std::move(stmts));
    });
}

// Rows of results, one step of the reduced (or scanned) axis after the other; `eachStep` stores after every step.
Stmt alongRows(const Walk& walk, bool reverse, const std::function<Stmt(const std::vector<Expr>&, const Expr&)>& eachStep,
               const std::function<Stmt(const std::vector<Expr>&, const Expr&)>& atEnd)
{
    std::vector<Expr> at(walk.rank(), ir::intImm(0));
    const std::size_t last = walk.rank() - 1;
    const auto* width = ir::asInt(walk.src.extents[last]);
    TW_CHECK(width, "the rows of a reduction have a constant extent");
    return outerLoops(walk, at, {walk.axis, last}, [&] {
        const ir::Buffer row = newLocal("row", walk.type, *width);
        const auto over = [&](const std::function<Stmt(const ir::Var&)>& body) {
            const ir::Var j = newVar("j");
            at[last] = j;
            Stmt inner = body(j);
            return loopOver(ForKind::kParallel, j, ir::intImm(0), walk.src.extents[last], inner, walk.where);
        };
        std::vector<Stmt> stmts{std::make_shared<ir::Allocate>(row, walk.where)};
        stmts.push_back(over([&](const ir::Var& j) { return storeAt(row, {j}, identity(walk.combiner, walk.type), walk.where); }));
        const ir::Var k = newVar("k");
        at[walk.axis] = reverse ? ir::sub(ir::sub(walk.src.extents[walk.axis], ir::intImm(1)), k) : Expr(k);
        Stmt step = over([&](const ir::Var& j) {
            Stmt update = storeAt(row, {j}, walk.join(loadAt(row, {j}), walk.element(at)), walk.where);
            return eachStep ? ir::sequence({update, eachStep(at, loadAt(row, {j}))}) : update;
        });
        stmts.push_back(loopOver(ForKind::kSerial, k, ir::intImm(0), walk.src.extents[walk.axis], step, walk.where));
        at[walk.axis] = ir::intImm(0);
        if (atEnd)
            stmts.push_back(over([&](const ir::Var& j) { return atEnd(at, loadAt(row, {j})); }));
        return ir::sequence(std::move(stmts));
    });
}

Walk makeWalk(const ir::OpCall& call, const ir::Provenance& where, std::int64_t defaultDim)
{
    Walk walk;
    walk.src = *ir::regionOperand(call, "src");
    walk.dst = *ir::regionOperand(call, "dst");
    walk.where = where;
    const std::int64_t dim = ir::intAttr(call.attrs, "dim", defaultDim);
    const auto rank = static_cast<std::int64_t>(walk.rank());
    walk.axis = static_cast<std::size_t>(((dim % rank) + rank) % rank);
    walk.combiner = call.op == ir::OpId::kCumSum ? Combiner::kSum : call.op == ir::OpId::kCumMax ? Combiner::kMax : ir::combiner(call.op).value();
    walk.nanWins = ir::boolAttr(call.attrs, "nan_propagate", false);
    walk.type = accumulatorType(walk.src.buffer->dtype, walk.dst.buffer->dtype);
    return walk;
}

}  // namespace

DType accumulatorType(DType src, DType dst)
{
    if (dst.isFloating() || src.isFloating())
        return src.scalar == ir::Scalar::kFloat64 || dst.scalar == ir::Scalar::kFloat64 ? ir::kFloat64 : ir::kFloat32;
    return dst;
}

Expr contribution(Combiner combiner, Expr value)
{
    const bool absolute = combiner == Combiner::kAbsSum || combiner == Combiner::kAbsMax;
    return absolute ? ir::call(value->dtype, ir::OpCall{ir::OpId::kAbs, {value}, {}}) : value;
}

Expr combine(Combiner combiner, Expr a, Expr b, bool nanWins)
{
    if (nanWins && a->dtype.isFloating()) {
        const auto isNan = [](const Expr& x) { return ir::binary(BinaryOp::kNe, x, x); };
        return ir::select(isNan(a), a, ir::select(isNan(b), b, combine(combiner, a, b), false), false);
    }
    switch (combiner) {
    case Combiner::kMax: case Combiner::kAbsMax: return ir::binary(BinaryOp::kMax, a, b);
    case Combiner::kMin: return ir::binary(BinaryOp::kMin, a, b);
    case Combiner::kBitAnd: return ir::binary(BinaryOp::kBitAnd, a, b);
    case Combiner::kBitOr: return ir::binary(BinaryOp::kBitOr, a, b);
    case Combiner::kBitXor: return ir::binary(BinaryOp::kBitXor, a, b);
    case Combiner::kProduct: return ir::binary(BinaryOp::kMul, a, b);
    default: return ir::binary(BinaryOp::kAdd, a, b);
    }
}

Expr identity(Combiner combiner, DType type)
{
    switch (combiner) {
    case Combiner::kMax:
        return type.isFloating() ? ir::constant(type, ir::hasInfinity(type) ? -INFINITY : -ir::largestFinite(type)) : ir::constant(type, ir::smallestInt(type));
    case Combiner::kMin:
        return type.isFloating() ? ir::constant(type, ir::hasInfinity(type) ? INFINITY : ir::largestFinite(type))
                                 : ir::constant(type, static_cast<std::int64_t>(ir::largestInt(type)));
    case Combiner::kBitAnd: return type.isBool() ? ir::boolImm(true) : ir::constant(type, std::int64_t{-1});
    case Combiner::kProduct: return number(type, 1);
    default: return number(type, 0);
    }
}

Stmt lowerReduce(const ir::OpCall& call, const ir::Provenance& where)
{
    const Walk walk = makeWalk(call, where, -1);
    const bool clear = ir::boolAttr(call.attrs, "clear", true);
    if (walk.axis + 1 != walk.rank())
        return alongRows(walk, false, {}, [&](const std::vector<Expr>& at, const Expr& value) { return finish(walk, at, value, clear); });
    return walk.extent() >= kShortRow ? reduceLongRow(walk, clear) : reduceShortRow(walk, clear);
}

Stmt lowerScan(const ir::OpCall& call, const ir::Provenance& where)
{
    const Walk walk = makeWalk(call, where, 0);
    const bool reverse = ir::boolAttr(call.attrs, "reverse", false);
    const auto store = [&](const std::vector<Expr>& at, const Expr& value) {
        std::vector<Expr> indices = walk.dst.mins;
        const std::size_t skip = walk.rank() - indices.size();
        for (std::size_t i = 0; i < indices.size(); ++i)
            indices[i] = ir::add(indices[i], at[i + skip]);
        return storeAt(walk.dst.buffer, indices, ir::cast(walk.dst.buffer->dtype, value), where);
    };
    if (walk.axis + 1 != walk.rank())
        return alongRows(walk, reverse, store, {});
    std::vector<Expr> at(walk.rank(), ir::intImm(0));
    return outerLoops(walk, at, {walk.axis}, [&] {
        const ir::Buffer total = newLocal("total", walk.type, 1);
        const Expr zero = ir::intImm(0);
        const ir::Var k = newVar("k");
        at[walk.axis] = reverse ? ir::sub(ir::sub(walk.src.extents[walk.axis], ir::intImm(1)), k) : Expr(k);
        Stmt step = ir::sequence({storeAt(total, {zero}, walk.join(loadAt(total, {zero}), walk.element(at)), where),
                                  store(at, loadAt(total, {zero}))});
        return ir::sequence({std::make_shared<ir::Allocate>(total, where), storeAt(total, {zero}, identity(walk.combiner, walk.type), where),
                             loopOver(ForKind::kSerial, k, zero, walk.src.extents[walk.axis], step, where)});
    });
}

}  // namespace tw::passes

// Products on tensor cores: for each step along K, the operands of all of a warp's instructions, then the instructions.
#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/passes/lower_steps.h"
#include "core/passes/product_steps.h"
#include "core/support/check.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::Stmt;

// One multiplicand as a warp sees it: `atoms` instructions' operands of `rows` x `step` each, its rows from `first` on.
struct Side {
    const ProductOperand& operand;
    const ProductOperandPlan& plan;
    layout::Fragment atom;  // (row, k) of one instruction over 32 lanes
    I atoms, steps;
    Expr first;

    [[nodiscard]] I rows() const { return atom.shape[0]; }
    [[nodiscard]] I step() const { return atom.shape[1]; }
    [[nodiscard]] I registers() const { return atom.registers(); }
};

// Where the operands of one step lie in a local array: an instruction's from `first` + its number * `stride` on.
struct Loaded {
    ir::Buffer buffer;
    Expr first;
    I stride;
};

class MmaProduct {
public:
    MmaProduct(const ProductPlan& plan, const ProductOperands& operands, const Expr& thread, const ir::Provenance& where)
        : plan_(plan), operands_(operands), where_(where), lane_(bind("lane", ir::floorMod(thread, ir::intImm(32))))
    {
        const Expr warp = ir::floorDiv(thread, ir::intImm(32));
        warpRow_ = warpIndex("warp_m", warp, plan.warps.rows, 1, plan.warps.columns);
        warpColumn_ = warpIndex("warp_n", warp, plan.warps.columns, plan.warps.rows, 1);
    }

    Stmt lower()
    {
        const layout::MmaInstruction& mma = plan_.mma;
        const I rows = plan_.m / plan_.warps.rows, columns = plan_.n / plan_.warps.columns, steps = plan_.k / mma.k;
        const Side a{operands_.a, plan_.a, layout::mmaA(mma), rows / mma.m, steps, ir::mul(warpRow_, ir::intImm(rows))};
        const Side b{operands_.b, plan_.b, layout::mmaB(mma), columns / mma.n, steps, ir::mul(warpColumn_, ir::intImm(columns))};
        stmts_.push_back(unrolled("ki", steps, [&](const Expr& ki) {
            std::vector<Stmt> body;
            const Loaded left = load(a, ki, body), right = load(b, ki, body);
            body.push_back(multiply(a, left, b, right));
            return ir::sequence(std::move(body));
        }, where_));
        return ir::sequence(std::move(stmts_));
    }

private:
    Expr bind(const char* name, Expr value)
    {
        if (ir::isConstant(value))
            return value;
        const ir::Var var = newVar(name);
        stmts_.push_back(std::make_shared<ir::Bind>(var, ir::cast(ir::kInt32, std::move(value)), where_));
        return var;
    }
    // (warp / lower) % extent, where `above` warps differ in what lies above.
    Expr warpIndex(const char* name, Expr warp, I extent, I lower, I above)
    {
        if (extent == 1)
            return ir::intImm(0);
        warp = ir::floorDiv(std::move(warp), ir::intImm(lower));
        return bind(name, above == 1 ? warp : ir::floorMod(std::move(warp), ir::intImm(extent)));
    }
    // (lane / lower) % extent.
    Expr laneDigit(I lower, I extent) const
    {
        if (extent == 1)
            return ir::intImm(0);
        const Expr high = ir::floorDiv(lane_, ir::intImm(lower));
        return lower * extent >= 32 ? high : ir::floorMod(high, ir::intImm(extent));
    }

    // ---- operands ----

    Loaded load(const Side& side, const Expr& ki, std::vector<Stmt>& body)
    {
        if (const auto* registers = std::get_if<RegisterOperand>(&side.operand))
            return fromRegisters(side, registers->buffer, ki, body);
        const auto& shared = std::get<SharedOperand>(side.operand);
        const ir::DType type = shared.buffer->dtype;
        const ir::Buffer to = newLocal(shared.buffer->name + "_r", type, side.atoms * side.registers());
        body.push_back(std::make_shared<ir::Allocate>(to, where_));
        const bool matrices = type.bits() <= 32 && (side.plan.kInner || type.bits() == 16) && hasRows16(shared);
        body.push_back(matrices ? loadMatrices(side, shared, to, ki) : loadElements(side, shared, to, ki));
        return rounded(side, {to, ir::intImm(0), side.registers()}, body);
    }

    // A fragment's registers are those of whole instructions, the steps along K of a row of them first.
    Loaded fromRegisters(const Side& side, const ir::Buffer& buffer, const Expr& ki, std::vector<Stmt>& body)
    {
        return rounded(side, {buffer, ir::mul(ki, ir::intImm(side.registers())), side.steps * side.registers()}, body);
    }

    // Up to four 8-row matrices of 16 bytes at once; lane 8j + r names row r of matrix j (compiler.md 3.3).
    Stmt loadMatrices(const Side& side, const SharedOperand& from, const ir::Buffer& to, const Expr& ki)
    {
        const int bits = from.buffer->dtype.bits();
        const I perRegister = 32 / bits, chunk = 128 / bits;
        const I atomMatrices = side.registers() / perRegister, total = side.atoms * atomMatrices;
        const I num = total % 4 == 0 ? 4 : total % 2 == 0 ? 2 : 1;
        const I rowBlocks = side.rows() / 8, atomsAtOnce = std::max<I>(num / atomMatrices, 1);
        const Expr inAtom = laneDigit(8 * atomMatrices, atomsAtOnce);
        const Expr blockRow = ir::mul(laneDigit(8, rowBlocks), ir::intImm(8)), matrixRow = laneDigit(1, 8);
        const Expr chunkNumber = laneDigit(8 * rowBlocks, atomMatrices / rowBlocks);
        return unrolled("g", total / num, [&](const Expr& g) {
            const Expr atom = scaled(g, atomsAtOnce, inAtom);
            const Expr atomRow = ir::add(side.first, ir::mul(atom, ir::intImm(side.rows())));
            const Expr k = ir::mul(ki, ir::intImm(side.step()));
            const Expr index = side.plan.kInner
                ? elementIndex(from, ir::add(atomRow, rowBlocks == 2 ? laneDigit(1, 16) : matrixRow), scaled(chunkNumber, chunk, k))
                : elementIndex(from, ir::add(scaled(chunkNumber, 8, k), matrixRow), ir::add(atomRow, blockRow));
            ir::Attrs attrs{{"num", num}};
            if (!side.plan.kInner)
                attrs.emplace("trans", true);
            const I values = num * perRegister;
            return operation(ir::OpId::kLdMatrix, {span(to, ir::mul(g, ir::intImm(values)), values), span(from.buffer, index, chunk)},
                             std::move(attrs), where_);
        }, where_);
    }

    // Element by element, the registers' digits as loops.
    Stmt loadElements(const Side& side, const SharedOperand& from, const ir::Buffer& to, const Expr& ki)
    {
        const std::vector<int> order = layout::registerDigits(side.atom);
        return unrolled("i", side.atoms, [&](const Expr& i) {
            std::vector<Expr> values;
            const std::function<Stmt()> nest = [&]() -> Stmt {
                if (values.size() == order.size())
                    return loadElement(side, from, to, ki, i, values);
                const layout::Digit& d = side.atom.digits[static_cast<std::size_t>(order[values.size()])];
                return unrolled("v", d.extent, [&](const Expr& v) {
                    values.push_back(v);
                    Stmt inner = nest();
                    values.pop_back();
                    return inner;
                }, where_);
            };
            return nest();
        }, where_);
    }

    Stmt loadElement(const Side& side, const SharedOperand& from, const ir::Buffer& to, const Expr& ki, const Expr& i,
                     const std::vector<Expr>& values)
    {
        const std::vector<int> order = layout::registerDigits(side.atom);
        Expr reg = ir::mul(i, ir::intImm(side.registers()));
        for (std::size_t n = 0; n < order.size(); ++n)
            reg = ir::add(reg, ir::mul(values[n], ir::intImm(side.atom.digits[static_cast<std::size_t>(order[n])].stride)));
        const Expr row = ir::add(scaled(i, side.rows(), side.first), layout::valueOf(layout::coordinate(side.atom, 0, lane_, values)));
        const Expr k = scaled(ki, side.step(), layout::valueOf(layout::coordinate(side.atom, 1, lane_, values)));
        const Expr index = side.plan.kInner ? elementIndex(from, row, k) : elementIndex(from, k, row);
        return storeAt(to, {reg}, loadAt(from.buffer, {index}), where_);
    }

    // The tensor cores cut float32 off to TF32; the language rounds.
    Loaded rounded(const Side& side, Loaded from, std::vector<Stmt>& body)
    {
        if (from.buffer->dtype != ir::kFloat32)
            return from;
        const I each = side.registers();
        const ir::Buffer to = newLocal(from.buffer->name + "_tf32", {ir::Scalar::kTFloat32}, side.atoms * each);
        body.push_back(std::make_shared<ir::Allocate>(to, where_));
        body.push_back(unrolled("i", side.atoms, [&](const Expr& i) {
            return unrolled("v", each, [&](const Expr& v) {
                const Expr value = loadAt(from.buffer, {ir::add(scaled(i, from.stride, from.first), v)});
                return storeAt(to, {scaled(i, each, v)}, ir::cast(to->dtype, value), where_);
            }, where_);
        }, where_));
        return {to, ir::intImm(0), each};
    }

    // ---- instructions ----

    Stmt multiply(const Side& a, const Loaded& left, const Side& b, const Loaded& right)
    {
        const I perC = plan_.mma.m * plan_.mma.n / 32;
        const auto place = [](const Side& side, const Loaded& from, const Expr& atom) {
            return span(from.buffer, scaled(atom, from.stride, from.first), side.registers());
        };
        const ir::Attrs attrs{{"shape", plan_.mma.shape()}, {"type", left.buffer->dtype.name()}};
        return unrolled("i", a.atoms, [&](const Expr& i) {
            return unrolled("j", b.atoms, [&](const Expr& j) {
                const Expr c = ir::mul(scaled(i, b.atoms, j), ir::intImm(perC));
                return operation(ir::OpId::kMma, {place(a, left, i), place(b, right, j), span(operands_.c.buffer, c, perC)}, attrs, where_);
            }, where_);
        }, where_);
    }

    const ProductPlan& plan_;
    const ProductOperands& operands_;
    const ir::Provenance& where_;
    std::vector<Stmt> stmts_;
    Expr lane_, warpRow_, warpColumn_;
};

}  // namespace

Stmt multiplyByMma(const ProductPlan& plan, const ProductOperands& operands, const Expr& thread, const ir::Provenance& where)
{
    return MmaProduct(plan, operands, thread, where).lower();
}

}  // namespace tw::passes

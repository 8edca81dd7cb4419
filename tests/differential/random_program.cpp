#include "tests/differential/random_program.h"

#include <random>

#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::test {

namespace {

using namespace ir;


class Generator {
public:
    Generator(std::uint32_t seed, const RandomOptions& options) : random_(seed), options_(options) {}

    Function make()
    {
        rows_ = 16 << pick(0, 2);
        columns_ = 16 << pick(0, 2);
        gridX_ = pick(1, 3);
        gridY_ = pick(1, 3);
        // Powers of two, and no more warps than 16x8 pieces: every product has a partition.
        do
            threads_ = 32 << pick(0, 2);
        while (threads_ / 32 > rows_ / 16 * (columns_ / 8));
        // Ragged edges: the last blocks stick out.
        height_ = gridY_ * rows_ - (chance(3) ? pick(1, rows_ - 1) : 0);
        width_ = gridX_ * columns_ - (chance(3) ? pick(1, columns_ - 1) : 0);
        blockX_ = var("bx");
        blockY_ = var("by");
        makeInputs();
        for (int n = pick(options_.statements / 2 + 1, options_.statements); n > 0; --n)
            statement(body_, 2);
        makeOutputs();
        function_.name = "main";
        const std::array<Var, 3> threadVars{var("tx"), var("ty"), var("tz")};
        function_.body = std::make_shared<Launch>(std::vector<Expr>{intImm(gridX_), intImm(gridY_)},
                                                  std::vector<Var>{blockX_, blockY_}, std::array<std::int64_t, 3>{threads_, 1, 1},
                                                  threadVars, sequence(std::move(body_)));
        return std::move(function_);
    }

private:
    using Stmts = std::vector<Stmt>;

    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool chance(int oneIn) { return pick(1, oneIn) == 1; }
    template <class T>
    const T& any(const std::vector<T>& list)
    {
        return list[static_cast<std::size_t>(pick(0, static_cast<int>(list.size()) - 1))];
    }

    Var var(const char* name, DType type = kInt32) { return std::make_shared<VarNode>(type, name + std::to_string(names_++)); }

    Buffer buffer(const char* name, std::vector<int> shape, DType type, MemoryScope scope)
    {
        BufferNode node;
        node.name = name + std::to_string(names_++);
        node.dtype = type;
        node.scope = scope;
        for (int extent : shape)
            node.shape.push_back(intImm(extent));
        return std::make_shared<BufferNode>(std::move(node));
    }

    DType anyType()
    {
        std::vector<DType> types{kFloat32, kFloat32, kFloat16, kInt32, kInt8};
        if (options_.smallFloats) {
            types.push_back(kBFloat16);
            types.push_back(DType{Scalar::kFloat8E4M3FN});
        }
        return any(types);
    }

    // ---- regions and statements ----
    static Region whole(const Buffer& b) { return {b, std::vector<Expr>(b->shape.size(), intImm(0)), b->shape}; }
    Region blockTile(const Buffer& global)
    {
        return {global, {mul(Expr(blockY_), intImm(rows_)), mul(Expr(blockX_), intImm(columns_))}, {intImm(rows_), intImm(columns_)}};
    }
    static Stmt op(OpId id, std::vector<Operand> operands, Attrs attrs = {})
    {
        return std::make_shared<OpStmt>(OpCall{id, std::move(operands), std::move(attrs)});
    }
    static Stmt loop(ForKind kind, const std::vector<std::pair<Var, int>>& axes, Stmts body, Attrs attrs = {})
    {
        std::vector<Axis> list;
        for (const auto& [v, extent] : axes)
            list.push_back({v, intImm(0), intImm(extent), intImm(1)});
        return std::make_shared<For>(kind, std::move(list), sequence(std::move(body)), std::move(attrs));
    }
    static Expr load(const Buffer& b, std::vector<Expr> indices) { return std::make_shared<Load>(b->dtype, b, std::move(indices)); }
    static Stmt store(const Buffer& b, std::vector<Expr> indices, const Expr& value)
    {
        return std::make_shared<Store>(b, std::move(indices), cast(b->dtype, value));
    }

    void makeInputs()
    {
        for (int n = pick(1, 3); n > 0; --n) {
            inputs_.push_back(buffer("in", {height_, width_}, anyType(), MemoryScope::kGlobal));
            function_.params.push_back(Param{inputs_.back()});
        }
        const int first = pick(1, 2);
        for (int n = 0; n < first; ++n)
            loadTile(body_);
    }

    void makeOutputs()
    {
        for (int n = pick(1, 2); n > 0; --n) {
            const Buffer out = buffer("out", {height_, width_}, anyType(), MemoryScope::kGlobal);
            function_.params.push_back(Param{out});
            const Buffer& source = any(tiles_);
            if (chance(2)) {
                body_.push_back(op(OpId::kCopy, {whole(source), blockTile(out)}));
                continue;
            }
            const Var i = var("i"), j = var("j");
            const std::vector<Expr> at{add(mul(Expr(blockY_), intImm(rows_)), i), add(mul(Expr(blockX_), intImm(columns_)), j)};
            body_.push_back(loop(ForKind::kParallel, {{i, rows_}, {j, columns_}}, {store(out, at, load(source, {i, j}))}));
        }
    }

    Buffer newTile(Stmts& out, DType type)
    {
        const Buffer tile = buffer("t", {rows_, columns_}, type, chance(2) ? MemoryScope::kShared : MemoryScope::kFragment);
        out.push_back(std::make_shared<Allocate>(tile));
        return tile;
    }

    void loadTile(Stmts& out)
    {
        const Buffer source = any(inputs_);
        const Buffer tile = newTile(out, chance(3) ? anyType() : source->dtype);
        out.push_back(op(OpId::kCopy, {blockTile(source), whole(tile)}));
        tiles_.push_back(tile);
    }

    void statement(Stmts& out, int depth)
    {
        switch (pick(0, 9)) {
        case 0:
        case 1: return loadTile(out);
        case 2:
        case 3: return newElementwise(out);
        case 4: return updateElementwise(out);
        case 5: return fill(out);
        case 6: return depth > 0 ? serialLoop(out, depth) : updateElementwise(out);
        case 7: return depth > 0 ? condition(out) : updateElementwise(out);
        case 8: return options_.reductions ? reduction(out) : newElementwise(out);
        default: return options_.products && !hasProduct_ ? product(out) : updateElementwise(out);
        }
    }

    void fill(Stmts& out)
    {
        const Buffer& tile = any(tiles_);
        if (chance(3))
            out.push_back(op(OpId::kClear, {whole(tile)}));
        else
            out.push_back(op(OpId::kFill, {whole(tile), constant(tile->dtype, std::int64_t{pick(-3, 3)})}));
    }

    void newElementwise(Stmts& out)
    {
        const Var i = var("i"), j = var("j");
        const Buffer tile = newTile(out, anyType());
        Stmts nest;
        const Expr value = expression(nest, i, j, 3);
        nest.push_back(store(tile, {i, j}, value));
        out.push_back(loop(ForKind::kParallel, {{i, rows_}, {j, columns_}}, std::move(nest)));
        tiles_.push_back(tile);
    }

    void updateElementwise(Stmts& out)
    {
        const Buffer tile = any(tiles_);
        const Var i = var("i"), j = var("j");
        Stmts nest;
        Expr value = expression(nest, i, j, 2);
        if (chance(2))
            value = arithmetic(cast(tile->dtype, value), load(tile, {i, j}));
        Stmt update = store(tile, {i, j}, value);
        if (chance(4))
            update = std::make_shared<If>(comparison(Expr(j), intImm(pick(0, columns_))), update);
        nest.push_back(update);
        out.push_back(loop(ForKind::kParallel, {{i, rows_}, {j, columns_}}, std::move(nest)));
    }

    // A loop that updates tiles that exist already; what it allocates ends with it.
    void serialLoop(Stmts& out, int depth)
    {
        const auto tiles = tiles_;
        const auto vectors = vectors_;
        const auto variables = variables_;
        Stmts body;
        const Var k = var("k");
        scalars_.push_back(k);
        for (int n = pick(1, 2); n > 0; --n)
            statement(body, depth - 1);
        if (!variables_.empty() && chance(2))
            body.push_back(store(any(variables_), {intImm(0)}, add(load(variables_.front(), {intImm(0)}), intImm(pick(1, 3)))));
        scalars_.pop_back();
        tiles_ = tiles;
        vectors_ = vectors;
        variables_ = variables;
        out.push_back(loop(chance(4) ? ForKind::kUnrolled : ForKind::kSerial, {{k, pick(1, 4)}}, std::move(body)));
    }

    void condition(Stmts& out)
    {
        if (variables_.empty() || chance(3)) {
            variables_.push_back(buffer("v", {1}, kInt32, MemoryScope::kVar));
            out.push_back(std::make_shared<Allocate>(variables_.back()));
            out.push_back(store(variables_.back(), {intImm(0)}, intImm(pick(-2, 5))));
        }
        const Expr left = chance(2) ? load(any(variables_), {intImm(0)}) : Expr(chance(2) ? blockX_ : blockY_);
        Stmts then, otherwise;
        updateElementwise(then);
        if (chance(2))
            updateElementwise(otherwise);
        const Stmt elseArm = otherwise.empty() ? Stmt{} : sequence(std::move(otherwise));
        out.push_back(std::make_shared<If>(comparison(left, intImm(pick(0, 3))), sequence(std::move(then)), elseArm));
    }

    // A row of results that later nests broadcast, or a running sum in place.
    void reduction(Stmts& out)
    {
        const Buffer source = any(tiles_);
        if (source->scope == MemoryScope::kShared && source->dtype.bits() > 8 && chance(4)) {
            out.push_back(op(OpId::kCumSum, {whole(source), whole(source)}, {{"dim", std::int64_t{pick(0, 1)}}}));
            return;
        }
        const int axis = pick(0, 1);
        const Buffer result = buffer("r", {axis == 0 ? columns_ : rows_}, source->dtype, MemoryScope::kFragment);
        out.push_back(std::make_shared<Allocate>(result));
        const OpId id = any(std::vector<OpId>{OpId::kReduceSum, OpId::kReduceMax, OpId::kReduceMin});
        out.push_back(op(id, {whole(source), whole(result)}, {{"dim", std::int64_t{axis}}}));
        vectors_.emplace_back(result, axis);
    }

    // acc = sum over k of A_k @ B_k on tiles of the inputs, as matmul kernels do it.
    void product(Stmts& out)
    {
        const DType type = any(std::vector<DType>{kFloat16, kFloat16, kBFloat16, kInt8});
        const int depth = 32, steps = pick(1, 3);
        const Buffer a = buffer("A", {height_, depth * steps}, type, MemoryScope::kGlobal);
        const Buffer b = buffer("B", {depth * steps, width_}, type, MemoryScope::kGlobal);
        function_.params.push_back(Param{a});
        function_.params.push_back(Param{b});
        const Buffer as = buffer("a", {rows_, depth}, type, MemoryScope::kShared);
        const Buffer bs = buffer("b", {depth, columns_}, type, MemoryScope::kShared);
        const Buffer acc = buffer("acc", {rows_, columns_}, type == kInt8 ? kInt32 : kFloat32, MemoryScope::kFragment);
        const Var k = var("k");
        const Expr at = mul(Expr(k), intImm(depth));
        const Region fromA{a, {mul(Expr(blockY_), intImm(rows_)), at}, {intImm(rows_), intImm(depth)}};
        const Region fromB{b, {at, mul(Expr(blockX_), intImm(columns_))}, {intImm(depth), intImm(columns_)}};
        for (const Buffer& made : {as, bs, acc})
            out.push_back(std::make_shared<Allocate>(made));
        const bool clears = chance(2);
        if (clears)
            out.push_back(op(OpId::kClear, {whole(acc)}));
        const Operand clear = clears ? Operand{Expr{}} : Operand{binary(BinaryOp::kEq, Expr(k), intImm(0))};
        Attrs attrs;
        if (const int stages = pick(0, 3))
            attrs["num_stages"] = std::int64_t{stages};
        out.push_back(loop(ForKind::kPipelined, {{k, steps}},
                           {op(OpId::kCopy, {fromA, whole(as)}), op(OpId::kCopy, {fromB, whole(bs)}),
                            op(OpId::kGemm, {whole(as), whole(bs), whole(acc), clear})},
                           std::move(attrs)));
        tiles_.push_back(acc);
        hasProduct_ = true;
    }

    // ---- expressions ----
    Expr arithmetic(const Expr& a, const Expr& b)
    {
        const BinaryOp ops[] = {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kMin, BinaryOp::kMax};
        return binary(ops[pick(0, 4)], a, b);
    }

    Expr comparison(const Expr& a, const Expr& b)
    {
        const BinaryOp ops[] = {BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kGt, BinaryOp::kGe, BinaryOp::kEq, BinaryOp::kNe};
        return binary(ops[pick(0, 5)], a, b);
    }

    Expr leaf(const Expr& i, const Expr& j)
    {
        switch (pick(0, 7)) {
        case 0: return pick(0, 1) ? i : j;
        case 1: return scalars_.empty() ? intImm(pick(-4, 4)) : Expr(any(scalars_));
        case 2: return variables_.empty() ? floatImm(pick(-8, 8) * 0.25) : load(any(variables_), {intImm(0)});
        case 3:
            if (!vectors_.empty()) {
                const auto& [vector, reducedAxis] = any(vectors_);
                return load(vector, {reducedAxis == 0 ? j : i});
            }
            [[fallthrough]];
        default: return load(any(tiles_), {i, j});
        }
    }

    Expr integerOperation(const Expr& a)
    {
        const Expr amount = intImm(pick(1, 5), a->dtype);
        switch (pick(0, 4)) {
        case 0: return binary(BinaryOp::kFloorDiv, a, amount);
        case 1: return binary(BinaryOp::kFloorMod, a, amount);
        case 2: return binary(BinaryOp::kBitXor, a, amount);
        case 3: return binary(BinaryOp::kShr, a, amount);
        default: return binary(BinaryOp::kTruncMod, a, amount);
        }
    }

    Expr transcendental(const Expr& a)
    {
        // Bounded arguments keep the answers finite.
        const Expr bounded = min(max(cast(kFloat32, a), floatImm(0.25)), floatImm(4));
        const OpId id = any(std::vector<OpId>{OpId::kExp2, OpId::kSqrt, OpId::kLog, OpId::kTanh});
        return call(kFloat32, OpCall{id, {bounded}, {}});
    }

    // Operands of different types meet in the promoted one, as the language has it.
    Expr expression(Stmts& nest, const Expr& i, const Expr& j, int depth)
    {
        if (depth == 0 || chance(5))
            return leaf(i, j);
        Expr a = expression(nest, i, j, depth - 1);
        if (chance(6)) {
            const Var let = var("x", a->dtype);
            nest.push_back(std::make_shared<Bind>(let, a));
            a = let;
        }
        if (a->dtype.isInteger() && chance(4))
            return integerOperation(a);
        if (options_.transcendental && chance(5))
            return transcendental(a);
        if (chance(8))
            return cast(anyType(), a);
        Expr b = expression(nest, i, j, depth - 1);
        const DType type = promote(a->dtype, b->dtype).value_or(kFloat32);
        a = cast(type, a);
        b = cast(type, b);
        if (chance(5))
            return select(comparison(a, b), b, a, chance(2));
        return arithmetic(a, b);
    }

    std::mt19937 random_;
    RandomOptions options_;
    Function function_;
    Stmts body_;
    int rows_ = 0, columns_ = 0, gridX_ = 0, gridY_ = 0, threads_ = 0, height_ = 0, width_ = 0;
    Var blockX_, blockY_;
    std::vector<Buffer> inputs_, tiles_, variables_;
    std::vector<std::pair<Buffer, int>> vectors_;  // and the axis that was reduced away
    std::vector<Var> scalars_;
    bool hasProduct_ = false;
    int names_ = 0;
};

}  // namespace

ir::Function randomProgram(std::uint32_t seed, const RandomOptions& options)
{
    return Generator(seed, options).make();
}

}  // namespace tw::test

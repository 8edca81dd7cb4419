#include "core/passes/expand_sparse.h"

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/lower_steps.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::Region;
using ir::Stmt;

// Element (row, column) of a matrix that may be stored transposed.
Expr elementOf(const Region& r, bool transposed, Expr row, Expr column)
{
    if (transposed)
        std::swap(row, column);
    std::vector<Expr> at = r.mins;
    at[at.size() - 2] = ir::add(at[at.size() - 2], row);
    at.back() = ir::add(at.back(), column);
    return loadAt(r.buffer, std::move(at));
}

class Sparse {
public:
    Sparse(const ir::OpCall& call, const ir::Provenance& where)
        : call_(call), where_(where), a_(*ir::regionOperand(call, "A")), e_(*ir::regionOperand(call, "E")),
          transposeA_(ir::boolAttr(call.attrs, "transpose_A", false)), transposeE_(ir::boolAttr(call.attrs, "transpose_E", false))
    {
    }

    Stmt expand()
    {
        auto dense = std::make_shared<ir::BufferNode>();
        dense->name = a_.buffer->name + "_dense";
        dense->dtype = a_.buffer->dtype;
        dense->scope = ir::MemoryScope::kShared;
        dense->where = where_;
        const std::size_t last = a_.extents.size() - 1, kAxis = transposeA_ ? last - 1 : last;
        dense->shape = {a_.extents[last - 1], a_.extents[last]};
        dense->shape[transposeA_ ? 0 : 1] = ir::mul(a_.extents[kAxis], ir::intImm(2));
        const ir::Var i = newVar("i"), j = newVar("j");
        const Expr row = transposeA_ ? j : i, column = transposeA_ ? i : j;
        Stmt store = storeAt(dense, {i, j}, valueAt(row, column), where_);
        std::vector<ir::Axis> axes{{i, ir::intImm(0), dense->shape[0], {}}, {j, ir::intImm(0), dense->shape[1], {}}};
        Stmt nest = std::make_shared<ir::For>(ir::ForKind::kParallel, std::move(axes), std::move(store), ir::Attrs{}, where_);
        return ir::sequence({std::make_shared<ir::Allocate>(dense, where_), std::move(nest), product(dense)});
    }

private:
    // Of the two kept elements of its group of four the one whose place it is, or zero. The later one wins.
    Expr valueAt(const Expr& row, const Expr& column) const
    {
        const Expr first = ir::mul(ir::floorDiv(column, ir::intImm(4)), ir::intImm(2)), second = ir::add(first, ir::intImm(1));
        const Expr place = ir::floorMod(column, ir::intImm(4));
        const ir::DType type = a_.buffer->dtype;
        const Expr zero = type.isFloating() ? ir::floatImm(0, type) : ir::intImm(0, type);
        const auto kept = [&](const Expr& k, const Expr& otherwise) {
            return ir::select(isAt(row, k, place), elementOf(a_, transposeA_, row, k), otherwise, true);
        };
        return kept(second, kept(first, zero));
    }

    // Whether kept element k of the row stood at `place` in its group: two bits of E each, the first in the low bits.
    Expr isAt(const Expr& row, const Expr& k, const Expr& place) const
    {
        const ir::DType type = e_.buffer->dtype;
        const Expr perWord = ir::intImm(type.bits() / 2);
        const Expr word = elementOf(e_, transposeE_, row, ir::floorDiv(k, perWord));
        const Expr shift = ir::mul(ir::floorMod(k, perWord), ir::intImm(2));
        const Expr bits = ir::binary(ir::BinaryOp::kBitAnd, ir::binary(ir::BinaryOp::kShr, word, ir::cast(type, shift)), ir::intImm(3, type));
        return ir::binary(ir::BinaryOp::kEq, bits, ir::cast(type, place));
    }

    Stmt product(const ir::Buffer& dense) const
    {
        const Region whole{dense, {ir::intImm(0), ir::intImm(0)}, dense->shape};
        ir::OpCall gemm{ir::OpId::kGemm, {whole, *ir::findOperand(call_, "B"), *ir::findOperand(call_, "C")}, call_.attrs};
        if (const Expr clear = ir::exprOperand(call_, "clear_accum"))
            gemm.operands.emplace_back(clear);
        gemm.attrs.erase("transpose_E");
        return std::make_shared<ir::OpStmt>(std::move(gemm), where_);
    }

    const ir::OpCall& call_;
    const ir::Provenance& where_;
    const Region &a_, &e_;
    bool transposeA_, transposeE_;
};

class SparseExpander final : public ir::Rewriter {
public:
    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        const auto* op = ir::as<ir::OpStmt>(s);
        return op && op->call.op == ir::OpId::kGemmSp ? Sparse(op->call, s->where).expand() : Rewriter::rewrite(s);
    }
};

}  // namespace

ir::Function expandSparse(const ir::Function& in, PassContext&)
{
    ir::Function out = in;
    out.body = SparseExpander().rewrite(in.body);
    return out;
}

}  // namespace tw::passes

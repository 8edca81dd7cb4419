// Matrix products: tl.dot, tl.outer's relatives and @.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/staging/array/array_impl.h"

namespace tw::staging {

using ir::Expr;

// A product as one tile operation, where both operands are plain 2-D regions (or their transposes) of one type. It adds to
// `out`, which is zero.
bool ArrayTracer::emitGemm(const ArrayRef& a, const ArrayRef& b, const ArrayRef& out)
{
    const ir::DType type = out->dtype;
    const bool fits = a->dtype == b->dtype && (a->dtype == type || isNarrowFloat(a->dtype) || a->dtype == ir::kInt8) &&
                      (type == ir::kFloat32 || type == ir::kInt32 || type == ir::kFloat64);
    if (!fits || !a->view || !b->view || a->shape.size() != 2 || b->shape.size() != 2)
        return false;
    // The two axes of the value must be the last two axes of the buffer, in order or swapped.
    const auto swapped = [](const ArrayView& view) -> std::optional<bool> {
        const std::size_t rank = view.axes.size();
        if (rank < 2 || view.buffer->shape.size() != rank || !view.buffer->strides.empty())
            return std::nullopt;
        for (std::size_t k = 0; k + 2 < rank; ++k)
            if (view.axes[k] >= 0)
                return std::nullopt;
        if (view.axes[rank - 2] == 0 && view.axes[rank - 1] == 1)
            return false;
        if (view.axes[rank - 2] == 1 && view.axes[rank - 1] == 0)
            return true;
        return std::nullopt;
    };
    const auto transA = swapped(*a->view), transB = swapped(*b->view);
    if (!transA || !transB)
        return false;
    const auto region = [](const ArrayRef& value) {
        ir::Region read;
        read.buffer = value->view->buffer;
        read.mins = value->view->start;
        for (const int axis : value->view->axes)
            read.extents.push_back(axis < 0 ? ir::intImm(1) : value->shape[static_cast<std::size_t>(axis)]);
        return read;
    };
    ir::Region target{out->storage, Exprs(2, ir::intImm(0)), out->shape};
    ir::OpCall call;
    call.op = ir::OpId::kGemm;
    call.operands = {region(a), region(b), std::move(target)};
    if (*transA)
        call.attrs["transpose_A"] = true;
    if (*transB)
        call.attrs["transpose_B"] = true;
    emit(std::make_shared<const ir::OpStmt>(std::move(call), here()));
    return true;
}

namespace {

std::set<const ir::VarNode*> variablesIn(const std::vector<Expr>& exprs)
{
    struct Finder : ir::Visitor {
        using ir::Visitor::visit;
        std::set<const ir::VarNode*> found;
        void visit(const Expr& x) override
        {
            if (const auto* var = ir::as<ir::VarNode>(x))
                found.insert(var);
            ir::Visitor::visit(x);
        }
    } finder;
    for (const Expr& e : exprs)
        finder.visit(e);
    return std::move(finder.found);
}

}  // namespace

// C[i, j] += A[i, k] * B[k, j] in loops: the factors share an index that the sum has not, and each has one of its own.
void ArrayTracer::noteLoopProduct(const ArrayRef& value, const Exprs& target)
{
    if (!value->left || !value->right || !value->left->shape.empty() || !value->right->shape.empty())
        return;
    const auto left = variablesIn({value->left->at({})}), right = variablesIn({value->right->at({})}), sum = variablesIn(target);
    const auto lacks = [](const auto& set, const auto* var) { return !set.contains(var); };
    const bool shares = std::ranges::any_of(left, [&](const auto* v) { return right.contains(v) && lacks(sum, v); });
    const bool hasRows = std::ranges::any_of(left, [&](const auto* v) { return lacks(right, v); });
    const bool hasColumns = std::ranges::any_of(right, [&](const auto* v) { return lacks(left, v); });
    if (!shares || !hasRows || !hasColumns)
        return;
    products_ = true;
    productTypes_.push_back(commonType(*value->left, *value->right));
}

ArrayRef ArrayTracer::product(const ArrayRef& first, const ArrayRef& second, bool batched, const SourceRange& range)
{
    const char* what = batched ? "@" : "tl.dot";
    for (const ArrayRef& operand : {first, second})
        if (operand->shape.empty() || (!batched && operand->shape.size() > 2))
            evaluator_.fail(Code::kShapeMismatch, range,
                            fmt::format("`{}` multiplies {} arrays, not one of shape {}{}", what, batched ? "1-D or larger" : "1-D or 2-D",
                                        arrayShapeText(operand->shape), batched ? "" : "; `@` multiplies batches"));
    const ir::DType operandType = commonType(*first, *second);
    const ir::DType type = accumulatorOf(operandType);
    products_ = true;
    productTypes_.push_back(operandType);
    const ArrayRef a = inMemory(first), b = inMemory(second);
    const bool rowOnly = a->shape.size() == 1, columnOnly = b->shape.size() == 1;
    const Expr inner = a->shape.back();
    const Expr innerB = columnOnly ? b->shape[0] : b->shape[b->shape.size() - 2];
    if (!sameShape({inner}, {innerB}))
        evaluator_.fail(Code::kShapeMismatch, range,
                        fmt::format("the inner extents of the product `{}` differ: {} of {} against {} of {}", what, extentText(inner),
                                    arrayShapeText(a->shape), extentText(innerB), arrayShapeText(b->shape)));
    const Exprs batchA(a->shape.begin(), rowOnly ? a->shape.begin() : a->shape.end() - 2);
    const Exprs batchB(b->shape.begin(), columnOnly ? b->shape.begin() : b->shape.end() - 2);
    const Exprs batch = broadcast({batchA, batchB}, range);
    Exprs shape = batch;
    if (!rowOnly)
        shape.push_back(a->shape[a->shape.size() - 2]);
    if (!columnOnly)
        shape.push_back(b->shape.back());
    const ir::Buffer out = allocate("product", type, shape, ir::MemoryScope::kGlobal);
    const auto zero = [&] { return type.isFloating() ? ir::constant(type, 0.0) : ir::constant(type, std::int64_t{0}); };
    const ArrayRef result = memory(out, shape);
    if (shape.size() == 2 && !rowOnly && !columnOnly && a->dtype == b->dtype) {
        nest(shape, ir::ForKind::kParallel, [&](const Exprs& at) { store(out, at, zero()); });
        if (emitGemm(a, b, result))
            return result;
        current_->pop_back();
    }
    const ir::DType operands = operandType;
    nest(shape, ir::ForKind::kParallel, [&](const Exprs& at) {
        const Exprs cell = shape.empty() ? Exprs{ir::intImm(0)} : at;
        const Exprs batchIndex(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(batch.size()));
        std::size_t next = batch.size();
        const Expr row = rowOnly ? nullptr : at[next++];
        const Expr column = columnOnly ? nullptr : at[next++];
        store(out, cell, zero());
        nest({inner}, ir::ForKind::kSerial, [&](const Exprs& k) {
            const auto tail = [&](const Exprs& own) {
                const Exprs last(batchIndex.end() - static_cast<std::ptrdiff_t>(own.size()), batchIndex.end());
                const Exprs full(batch.end() - static_cast<std::ptrdiff_t>(own.size()), batch.end());
                return project(last, own, full);
            };
            Exprs left = tail(batchA), right = tail(batchB);
            if (row)
                left.push_back(row);
            left.push_back(k[0]);
            right.push_back(k[0]);
            if (column)
                right.push_back(column);
            const Expr x = convert(convert(a->at(left), operands), type), y = convert(convert(b->at(right), operands), type);
            const Expr old = std::make_shared<const ir::Load>(type, out, cell, here());
            store(out, cell, ir::binary(ir::BinaryOp::kAdd, old, ir::binary(ir::BinaryOp::kMul, x, y)));
        });
    });
    return result;
}

}  // namespace tw::staging

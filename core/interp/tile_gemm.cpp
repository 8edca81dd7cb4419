// Matrix products: operands exact, accumulation in k order in the accumulator's type (language.md g.2b).
#include <cmath>

#include "core/interp/product.h"
#include "core/interp/tile_walk.h"
#include "core/ir/call.h"

namespace tw::interp {

using ir::DType;
using ir::Scalar;

namespace {

// A matrix of a view: its last two axes.
struct Matrix {
    const TileView* view = nullptr;
    TileAxis rows, cols;
};

bool matrixOf(const TileView& v, bool transposed, Matrix& out)
{
    if (v.axes.size() < 2)
        return false;
    out.view = &v;
    out.rows = v.axes[v.axes.size() - 2];
    out.cols = v.axes[v.axes.size() - 1];
    if (transposed)
        std::swap(out.rows, out.cols);
    return true;
}

// rows x cols lanes; what lies outside a global tensor is 0, and what nobody wrote marks its row and column.
void loadMatrix(const Matrix& m, std::vector<Lane>& out, std::vector<std::uint8_t>* badRows,
                std::vector<std::uint8_t>* badCols)
{
    const auto rows = static_cast<std::size_t>(m.rows.extent);
    const auto cols = static_cast<std::size_t>(m.cols.extent);
    const TileView& v = *m.view;
    out.assign(rows * cols, Lane{});
    for (std::int64_t i = m.rows.low; i < m.rows.high; ++i) {
        const std::int64_t first = v.base + i * m.rows.stride + m.cols.low * m.cols.stride;
        Lane* row = out.data() + static_cast<std::size_t>(i) * cols + m.cols.low;
        const auto count = static_cast<std::size_t>(m.cols.high - m.cols.low);
        loadRow(v.type, v.bytes, first, m.cols.stride, row, count);
        if (v.type.scalar == Scalar::kTFloat32)
            roundLanes(v.type, row, count);
        if (!v.valid)
            continue;
        for (std::size_t k = 0; k < count; ++k)
            if (!isValid(v, first + static_cast<std::int64_t>(k) * m.cols.stride)) {
                if (badRows)
                    (*badRows)[static_cast<std::size_t>(i)] = 1;
                if (badCols)
                    (*badCols)[static_cast<std::size_t>(m.cols.low) + k] = 1;
            }
    }
}

// Whether an accumulator has an element that nobody wrote, other than those that operands nobody wrote make unknown anyway: a product of
// a ragged tile leaves columns behind that the program never looks at.
bool startsUnwritten(const Matrix& c, const std::vector<std::uint8_t>& badRows, const std::vector<std::uint8_t>& badCols)
{
    const TileView& v = *c.view;
    if (!v.valid)
        return false;
    for (std::int64_t i = c.rows.low; i < c.rows.high; ++i)
        for (std::int64_t j = c.cols.low; j < c.cols.high && badRows[static_cast<std::size_t>(i)] == 0; ++j)
            if (badCols[static_cast<std::size_t>(j)] == 0 && !isValid(v, v.base + i * c.rows.stride + j * c.cols.stride))
                return true;
    return false;
}

// Elements that come from unwritten operands stay unwritten where that is `checked`.
void storeProduct(const Matrix& c, const std::vector<Lane>& values, bool checked, const std::vector<std::uint8_t>& badRows, const std::vector<std::uint8_t>& badCols)
{
    const TileView& v = *c.view;
    const std::size_t n = badCols.size();
    for (std::size_t i = 0; i < badRows.size(); ++i) {
        const std::int64_t first = v.base + static_cast<std::int64_t>(i) * c.rows.stride;
        storeRow(v.type, v.bytes, first, c.cols.stride, values.data() + i * n, n);
        if (v.valid)
            for (std::size_t j = 0; j < n; ++j) {
                const std::int64_t at = first + static_cast<std::int64_t>(j) * c.cols.stride;
                setValid(v, at);
                if (checked && (badRows[i] != 0 || badCols[j] != 0))
                    v.valid[firstByte(v.type, at)] = 0;
            }
    }
}

void toDoubles(DType type, std::vector<Lane>& lanes)
{
    if (!type.isFloating())
        castLanes(type, ir::kFloat64, lanes.data(), lanes.data(), lanes.size());
}

}  // namespace

void Machine::gemmOp(Fiber& f, const Instr& in, const OpRecord& record, int lane)
{
    const bool sparse = record.op == ir::OpId::kGemmSp;
    const std::size_t bAt = sparse ? 2 : 1;
    TileView av;
    TileView bv;
    TileView cv;
    if (!view(f, record.at(0).region, lane, false, av, in.where.range) ||
        !view(f, record.at(bAt).region, lane, false, bv, in.where.range) ||
        !view(f, record.at(bAt + 1).region, lane, true, cv, in.where.range))
        return;
    Matrix am;
    Matrix bm;
    Matrix cm;
    if (!matrixOf(av, ir::boolAttr(*record.attrs, "transpose_A", false), am) || !matrixOf(bv, ir::boolAttr(*record.attrs, "transpose_B", false), bm) ||
        !matrixOf(cv, false, cm)) {
        error(Code::kShapeMismatch, in.where.range, "the operands of a product have two axes");
        return;
    }
    const auto m = static_cast<std::size_t>(cm.rows.extent);
    const auto n = static_cast<std::size_t>(cm.cols.extent);
    const auto k = static_cast<std::size_t>(bm.rows.extent);
    const auto aCols = static_cast<std::size_t>(am.cols.extent);
    if (static_cast<std::size_t>(am.rows.extent) != m || static_cast<std::size_t>(bm.cols.extent) != n ||
        aCols * (sparse ? 2 : 1) != k) {
        error(Code::kShapeMismatch, in.where.range, "the shapes of this product do not fit together");
        return;
    }
    std::vector<std::uint8_t> badRows(m, 0);
    std::vector<std::uint8_t> badCols(n, 0);
    std::vector<Lane> a;
    std::vector<Lane> b;
    std::vector<Lane> c(m * n);
    loadMatrix(am, a, &badRows, nullptr);
    loadMatrix(bm, b, nullptr, &badCols);
    if (options_.tf32Products && av.type == ir::kFloat32) {
        roundLanes({Scalar::kTFloat32}, a.data(), a.size());
        roundLanes({Scalar::kTFloat32}, b.data(), b.size());
    }
    if (sparse && !expandSparse(f, in, record, lane, a, m, k))
        return;
    const bool clear = scalarOf(f, record.at(bAt + 2).slot, 0) != 0;
    if (!clear) {
        loadMatrix(cm, c, nullptr, nullptr);
        if (options_.checkUninitialized && startsUnwritten(cm, badRows, badCols)) {
            reportUninitialized(*cv.info, in.where.range);
            return;
        }
    }
    const DType type = cv.type;
    if (type.isFloating()) {
        toDoubles(av.type, a);
        toDoubles(bv.type, b);
    }
    if (type.isFloating() && options_.perturb)
        multiplySteps(a, b, c, m, n, k, [&](Lane* row, std::size_t count) {
            scratch_[3].assign(row, row + count);
            roundLanes(type, row, count);
            perturbLanes(type, scratch_[3].data(), row, count, false);
        });
    else
        multiply(type, a, b, c, m, n, k);
    if (!type.isFloating())
        wrapLanes(type, c.data(), c.size());
    storeProduct(cm, c, options_.checkUninitialized, badRows, badCols);
}

// 2:4 sparse A: of every four columns two are kept, and E holds the two bits of each one's position, kept column after kept
// column, the first in the low bits.
bool Machine::expandSparse(Fiber& f, const Instr& in, const OpRecord& record, int lane, std::vector<Lane>& a, std::size_t m,
                           std::size_t k)
{
    TileView ev;
    Matrix em;
    if (!view(f, record.at(1).region, lane, false, ev, in.where.range))
        return false;
    if (!matrixOf(ev, ir::boolAttr(*record.attrs, "transpose_E", false), em) || ev.type.isFloating()) {
        error(Code::kShapeMismatch, in.where.range, "the metadata of a sparse product is an integer matrix");
        return false;
    }
    std::vector<Lane> e;
    loadMatrix(em, e, nullptr, nullptr);
    const auto perWord = static_cast<std::size_t>(ev.type.bits() / 2);
    const auto words = static_cast<std::size_t>(em.cols.extent);
    if (words * perWord < k / 2) {
        error(Code::kShapeMismatch, in.where.range, "the metadata of this sparse product is too small");
        return false;
    }
    std::vector<Lane> dense(m * k);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t c = 0; c < k / 2; ++c) {
            const auto word = static_cast<std::uint64_t>(e[i * words + c / perWord].i);
            const std::size_t position = (word >> (2 * (c % perWord))) & 3U;
            dense[i * k + c / 2 * 4 + position] = a[i * (k / 2) + c];
        }
    a = std::move(dense);
    return true;
}

}  // namespace tw::interp

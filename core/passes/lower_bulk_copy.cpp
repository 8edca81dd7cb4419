#include "core/passes/lower_bulk_copy.h"

#include <bit>

#include <fmt/format.h>

#include "core/arith/evaluate.h"
#include "core/arith/facts.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/layout/shared.h"
#include "core/passes/layout_solver.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::OpId;
using ir::Region;
using ir::Stmt;

// CUDA driver API, cuTensorMapEncodeTiled: limits of boxes and strides.
constexpr I kBoxExtent = 256;
constexpr std::size_t kMostAxes = 5;
constexpr I kUnitBytes = 16;
constexpr I kPhaseRows = 8;  // after which a swizzle repeats

// Whether two maps put every element in the same place.
bool samePlaces(const ir::LayoutMap& a, const ir::LayoutMap& b)
{
    std::vector<const ir::ExprNode*> x, y;
    for (const ir::Var& v : a.vars)
        x.push_back(v.get());
    for (const ir::Var& v : b.vars)
        y.push_back(v.get());
    if (a.index.size() != 1 || b.index.size() != 1)
        return false;
    auto first = arith::Evaluation::compile(a.index[0], x), second = arith::Evaluation::compile(b.index[0], y);
    if (!first || !second || a.shape != b.shape)
        return false;
    std::vector<I> at(a.shape.size(), 0);
    while (true) {
        if (first->run(at) != second->run(at))
            return false;
        std::size_t k = at.size();
        while (k-- > 0) {
            if (++at[k] < a.shape[k])
                break;
            at[k] = 0;
        }
        if (k == static_cast<std::size_t>(-1))
            return true;
    }
}

std::vector<I> extentsOf(const Region& r)
{
    std::vector<I> extents;
    for (const Expr& e : r.extents)
        if (const auto* value = ir::asInt(e); !value || *value != 1)
            extents.push_back(value ? *value : 0);
    return extents;
}

std::string regionProblem(const Region& global, const Region& shared)
{
    if (extentsOf(global) != extentsOf(shared) || extentsOf(shared).size() > 2)
        return "a bulk copy between regions of different extents, or of more than two axes";
    if (global.mins.size() > kMostAxes)
        return "a bulk copy from a tensor of more than five axes";
    const auto *columns = ir::asInt(shared.extents.back()), *inner = ir::asInt(global.extents.back());
    if (!columns || !inner || *inner != *columns)
        return "a bulk copy across the rows of a tensor";
    return {};
}

// Part of the rows of a tile: whole panels of a swizzled one, or what is in one row.
std::string partProblem(const Region& shared, I panelColumns)
{
    const I columns = *ir::asInt(shared.extents.back()), row = shapeOf(*shared.buffer).back();
    if (columns == row || shared.extents.size() < 2)
        return {};
    const I begins = panelColumns > 0 ? arith::Facts{}.divisor(shared.mins.back()) : 1;
    if (panelColumns > 0 && columns % panelColumns == 0 && begins % panelColumns == 0)  // 0 for the first column
        return {};
    return panelColumns > 0 ? fmt::format("a bulk copy of columns that are no whole panels of {}", panelColumns)
                            : "a bulk copy of parts of the rows of a shared tile";
}

std::string boxProblem(I rows, I columns, I bits)
{
    if (rows > kBoxExtent || columns > kBoxExtent || columns * bits / 8 % kUnitBytes != 0)
        return fmt::format("a box of {} x {} elements: the TMA unit takes up to {} an axis and rows of {} bytes", rows, columns, kBoxExtent, kUnitBytes);
    return {};
}

I rowsOf(const Region& shared)
{
    const std::size_t rank = shared.extents.size();
    const auto* rows = rank > 1 ? ir::asInt(shared.extents[rank - 2]) : nullptr;
    return rows ? *rows : 1;
}

// Whether a swizzled region begins where the pattern does.
bool startsPattern(const Region& shared)
{
    const auto shape = shapeOf(*shared.buffer);
    const auto* first = shape.size() > 1 ? ir::asInt(shared.mins[shape.size() - 2]) : nullptr;
    return first && *first % kPhaseRows == 0 && shape[shape.size() - 2] % kPhaseRows == 0;
}

// Whether all rows of a tensor begin at multiples of 16 bytes, as a tensor map demands.
bool hasAlignedRows(const ir::BufferNode& tensor)
{
    I stride = 1;
    for (std::size_t axis = tensor.shape.size(); axis-- > 0;) {
        if (!tensor.strides.empty()) {
            const auto* own = ir::asInt(tensor.strides[axis]);
            if (!own)
                return false;
            stride = *own;
        }
        const bool inner = axis + 1 == tensor.shape.size();
        if (inner ? stride != 1 : stride * tensor.dtype.bits() % (8 * kUnitBytes) != 0)
            return false;
        const auto* extent = ir::asInt(tensor.shape[axis]);
        if (tensor.strides.empty() && axis > 0 && !extent)
            return false;
        stride *= extent ? *extent : 1;
    }
    return true;
}

I bytesOf(const ir::DType& type, I elements) { return type.storageBytes(elements); }

class BulkCopy {
public:
    BulkCopy(const ir::OpCall& call, const SharedTile& tile, const ir::Provenance& where)
        : call_(call), tile_(tile), where_(where), loads_(ir::regionOperand(call, "src")->buffer->scope == ir::MemoryScope::kGlobal),
          global_(*ir::regionOperand(call, loads_ ? "src" : "dst")), shared_(*ir::regionOperand(call, loads_ ? "dst" : "src"))
    {
    }

    std::variant<Stmt, std::string> run(const ThreadGroup& group, const Expr& thread)
    {
        if (const std::string problem = measure(); !problem.empty())
            return "not supported: " + problem;
        std::vector<Stmt> stmts;
        if (loads_) {
            const Region* barrier = ir::regionOperand(call_, "barrier");
            if (!barrier)
                return std::string("not supported: a bulk load without a barrier");
            stmts.push_back(op(OpId::kBarrierExpectTx, {*barrier, ir::intImm(bytesOf(shared_.buffer->dtype, rows_ * columns_ * copied_))}));
        }
        const I mask = loads_ ? ir::intAttr(call_.attrs, "cluster_mask", 0) : 0;
        stmts.push_back(mask > 0 ? multicast(mask) : boxes(false));
        if (!loads_)
            stmts.push_back(op(OpId::kTmaStoreArrive, {}));
        const Stmt all = ir::sequence(std::move(stmts));
        if (group.count == 1)
            return all;
        return Stmt(std::make_shared<ir::If>(ir::binary(ir::BinaryOp::kEq, thread, ir::intImm(group.first)), all, Stmt{}, where_));
    }

private:
    Stmt op(OpId id, std::vector<ir::Operand> operands, ir::Attrs attrs = {}) const
    {
        return std::make_shared<ir::OpStmt>(ir::OpCall{id, std::move(operands), std::move(attrs)}, where_);
    }

    // Rows, columns and panels of the tile; what is wrong with them.
    std::string measure()
    {
        const ir::DType& type = shared_.buffer->dtype;
        const auto shape = shapeOf(*shared_.buffer);
        if (std::string problem = regionProblem(global_, shared_); !problem.empty())
            return problem;
        columns_ = shape.back();
        const bool isMatrix = shape.size() > 1;
        rows_ = rowsOf(shared_);
        const I bits = I{type.bits()} * type.lanes;
        for (const I bytes : {I{128}, I{64}, I{32}})
            if (isMatrix && columns_ * bits / 8 % bytes == 0 && samePlaces(*tile_.map, *layout::panels(shape, static_cast<int>(bits), bytes))) {
                swizzle_ = bytes;
                panels_ = columns_ * bits / 8 / bytes;
                columns_ /= panels_;
            }
        const bool isRowMajor = samePlaces(*tile_.map, *layout::rowMajor(shape));
        if (swizzle_ != 0 && isRowMajor && !startsPattern(shared_)) {  // rows too few for the pattern to move anything
            columns_ *= panels_;
            panels_ = 1;
            swizzle_ = 0;
        }
        if (swizzle_ == 0 && !isRowMajor)
            return fmt::format("a bulk copy of {} in a layout that the TMA unit does not know", shared_.buffer->name);
        if (swizzle_ != 0 && !startsPattern(shared_))
            return "a bulk copy that starts inside a swizzle pattern";
        if (std::string problem = partProblem(shared_, swizzle_ != 0 ? columns_ : 0); !problem.empty())
            return problem;
        const I wanted = *ir::asInt(shared_.extents.back());
        copied_ = swizzle_ != 0 ? wanted / columns_ : 1;
        columns_ = swizzle_ != 0 ? columns_ : wanted;
        return boxProblem(rows_, columns_, bits);
    }

    Stmt boxes(bool multicast) const
    {
        std::vector<Stmt> all;
        for (I p = 0; p < copied_; ++p)
            all.push_back(box(p, multicast));
        return ir::sequence(std::move(all));
    }

    // The first block of the mask loads for all of them, each of which waits for the bytes at its own barrier; blocks outside
    // load for themselves.
    Stmt multicast(I mask) const
    {
        const Expr rank = ir::call(ir::kInt32, ir::OpCall{OpId::kBlockRank, {}, {}}, where_);
        const Expr member = ir::binary(ir::BinaryOp::kBitAnd, ir::binary(ir::BinaryOp::kShr, ir::intImm(mask), rank), ir::intImm(1));
        const Stmt alone = std::make_shared<ir::If>(ir::binary(ir::BinaryOp::kEq, member, ir::intImm(0)), boxes(false), Stmt{}, where_);
        const I leader = std::countr_zero(static_cast<std::uint64_t>(mask));
        return std::make_shared<ir::If>(ir::binary(ir::BinaryOp::kEq, rank, ir::intImm(leader)), boxes(true), alone, where_);
    }

    // One box of the tensor and its place in the tile.
    Stmt box(I panel, bool multicast) const
    {
        Region part = global_;
        part.mins.back() = ir::add(part.mins.back(), ir::intImm(panel * columns_));
        part.extents.back() = ir::intImm(columns_);
        const Region place{tile_.memory, {placeOf(panel)}, {ir::intImm(rows_ * columns_)}};
        ir::Attrs attrs;
        if (swizzle_ != 0)
            attrs["swizzle"] = swizzle_;
        if (const auto policy = call_.attrs.find("eviction_policy"); loads_ && policy != call_.attrs.end())
            attrs.insert(*policy);
        if (multicast)
            attrs.insert(*call_.attrs.find("cluster_mask"));
        if (loads_)
            return op(OpId::kTmaLoad, {part, place, *ir::regionOperand(call_, "barrier")}, attrs);
        return op(OpId::kTmaStore, {place, part}, attrs);
    }

    // Tiles one after the other, in each its panels, in each the rows.
    Expr placeOf(I panel) const
    {
        const auto shape = shapeOf(*shared_.buffer);
        if (shape.size() < 2)
            return shared_.mins[0];
        Expr tile = ir::intImm(0);
        for (std::size_t k = 0; k + 2 < shape.size(); ++k)
            tile = ir::add(ir::mul(tile, ir::intImm(shape[k])), shared_.mins[k]);
        const I tileRows = shape[shape.size() - 2];
        if (swizzle_ == 0) {
            const Expr row = ir::add(ir::mul(tile, ir::intImm(tileRows)), shared_.mins[shape.size() - 2]);
            return ir::add(ir::mul(row, ir::intImm(shape.back())), shared_.mins.back());
        }
        const Expr first = ir::floorDiv(shared_.mins.back(), ir::intImm(columns_));
        const Expr which = ir::add(ir::add(ir::mul(tile, ir::intImm(panels_)), first), ir::intImm(panel));
        return ir::mul(ir::add(ir::mul(which, ir::intImm(tileRows)), shared_.mins[shape.size() - 2]), ir::intImm(columns_));
    }

    const ir::OpCall& call_;
    const SharedTile& tile_;
    ir::Provenance where_;
    bool loads_;
    const Region &global_, &shared_;
    I rows_ = 1, columns_ = 1, swizzle_ = 0;
    I panels_ = 1, copied_ = 1;  // of the tile's rows, of the region's
};

}  // namespace

I bulkPanelBytes(const ir::BufferNode& tile)
{
    const auto shape = shapeOf(tile);
    const I bits = I{tile.dtype.bits()} * tile.dtype.lanes;
    if (shape.size() < 2 || shape[shape.size() - 2] % kPhaseRows != 0)
        return 0;
    for (const I bytes : {I{128}, I{64}, I{32}})
        if (shape.back() * bits % (bytes * 8) == 0)
            return bytes;
    return 0;
}

std::string bulkCopyProblem(const ir::OpCall& copy)
{
    const Region &src = *ir::regionOperand(copy, "src"), &dst = *ir::regionOperand(copy, "dst");
    const bool loads = src.buffer->scope == ir::MemoryScope::kGlobal && dst.buffer->scope == ir::MemoryScope::kShared;
    const bool stores = src.buffer->scope == ir::MemoryScope::kShared && dst.buffer->scope == ir::MemoryScope::kGlobal;
    const Region &global = loads ? src : dst, &shared = loads ? dst : src;
    if ((!loads && !stores) || src.buffer->dtype != dst.buffer->dtype)
        return "the TMA unit copies between global and shared memory without conversion";
    if (global.buffer->viewOf || global.buffer->address || shared.buffer->viewOf || shared.buffer->address)
        return "a bulk copy of a view";
    if (!hasAlignedRows(*global.buffer))
        return fmt::format("the rows of {} do not certainly begin at multiples of {} bytes", global.buffer->name, kUnitBytes);
    if (std::string problem = regionProblem(global, shared); !problem.empty())
        return problem;
    const I bits = I{shared.buffer->dtype.bits()} * shared.buffer->dtype.lanes, panel = bulkPanelBytes(*shared.buffer);
    if (panel != 0 && !startsPattern(shared))
        return "a bulk copy that starts inside a swizzle pattern";
    if (std::string problem = partProblem(shared, panel * 8 / bits); !problem.empty())
        return problem;
    return boxProblem(rowsOf(shared), panel != 0 ? panel * 8 / bits : *ir::asInt(shared.extents.back()), bits);
}

std::variant<Stmt, std::string> lowerBulkCopy(const ir::OpCall& call, const SharedTile& tile, const ThreadGroup& group, const Expr& thread,
                                              const ir::Provenance& where)
{
    return BulkCopy(call, tile, where).run(group, thread);
}

}  // namespace tw::passes

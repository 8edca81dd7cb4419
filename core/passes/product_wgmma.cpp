// Products of whole warp groups, asynchronous, with operands in shared memory that descriptors name (compiler.md 3.5).
#include <numeric>

#include <fmt/format.h>

#include "core/arith/facts.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/layout/shared.h"
#include "core/layout/table.h"
#include "core/passes/lower_steps.h"
#include "core/passes/product_steps.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::Stmt;

constexpr I kGroupRows = 64, kMaxColumns = 256;
constexpr I kWidths[] = {128, 64, 32, 16};  // of panels, in bytes; 16: not swizzled

bool hasInstruction(ir::DType type, ir::DType sum)
{
    switch (type.family()) {
    case ir::Family::kFloat: return type.bits() == 16 ? sum == ir::kFloat32 || sum == ir::kFloat16 : type == ir::kFloat32 && sum == ir::kFloat32;
    case ir::Family::kBFloat: case ir::Family::kTFloat: return sum == ir::kFloat32;
    case ir::Family::kFloat8:
        return (type.scalar == ir::Scalar::kFloat8E4M3FN || type.scalar == ir::Scalar::kFloat8E5M2) && (sum == ir::kFloat32 || sum == ir::kFloat16);
    case ir::Family::kInt: case ir::Family::kUInt: return type.bits() == 8 && sum == ir::kInt32;
    default: return false;
    }
}

// The most columns of one instruction that share out `columns`.
I instructionColumns(I columns, bool integers)
{
    for (I n = std::min(columns, kMaxColumns); n > 8; n -= 8)
        if (columns % n == 0 && (!integers || n % 16 == 0 || n == 24))
            return n;
    return 8;
}

// Rows of the operand that an instruction uses at once have to be whole panels, or to lie in one, where they are the last axis.
bool fitsPanels(bool kInner, I unit, I width, int bits)
{
    const I across = width * 8 / bits;
    return kInner || unit % across == 0 || across % unit == 0;
}

I bestWidth(const ir::Region& region, bool kInner, I unit)
{
    const int bits = region.buffer->dtype.bits();
    const I row = *ir::asInt(region.buffer->shape.back()) * bits / 8;
    for (const I width : kWidths)
        if (row % width == 0 && fitsPanels(kInner, unit, width, bits))
            return width;
    return 0;
}

// The width of the panels that a tile in shared memory lies in; 0: it does not.
I panelWidth(const SharedOperand& operand)
{
    const auto& shape = operand.map->shape;
    const int bits = operand.buffer->dtype.bits();
    if (shape.size() < 2 || shape[shape.size() - 2] % 8 != 0)
        return 0;
    // Ours are told by their formula, an author's by trying every element.
    const std::vector<Expr> at(operand.map->vars.begin(), operand.map->vars.end());
    const Expr own = layout::physicalIndex(*operand.map, at);
    for (const I width : kWidths)
        if (shape.back() * bits / 8 % width == 0 && ir::equal(own, layout::physicalIndex(*layout::panels(shape, bits, width), at)))
            return width;
    const auto table = layout::tabulate(*operand.map);
    for (const I width : kWidths)
        if (table && shape.back() * bits / 8 % width == 0)
            if (const auto panels = layout::tabulate(*layout::panels(shape, bits, width)); panels && panels->physical == table->physical)
                return width;
    return 0;
}

std::string problemOf(const ProductOperand& operand, bool kInner, I unit)
{
    const auto* shared = std::get_if<SharedOperand>(&operand);
    if (!shared)
        return {};
    const int bits = shared->buffer->dtype.bits();
    const I width = panelWidth(*shared);
    if (width == 0)
        return fmt::format("not supported: a wgmma product of {}, whose layout is none that wgmma knows (rows of 32, 64 or 128 bytes, swizzled)",
                           shared->buffer->name);
    const arith::Facts facts;
    const auto startsAt = [&](const Expr& min, I multiple) { return facts.divisor(min) % multiple == 0; };
    const Expr &row = shared->mins[shared->mins.size() - 2], &column = shared->mins.back();
    const I columnStep = kInner ? (width == 16 ? 128 : 256) / bits : std::gcd(width * 8 / bits, unit);
    if (!fitsPanels(kInner, unit, width, bits) || !startsAt(row, 8) || !startsAt(column, columnStep))
        return fmt::format("not supported: a wgmma product of a part of {} that does not begin at a multiple of 8 rows and {} columns",
                           shared->buffer->name, columnStep);
    return {};
}

class GroupProduct {
public:
    GroupProduct(const ProductPlan& plan, const ProductOperands& operands, const Expr& thread, const Expr& clear, const ir::Provenance& where)
        : plan_(plan), operands_(operands), clear_(clear), where_(where), rows_(plan.m / (plan.warps.rows / 4)),
          columns_(plan.n / plan.warps.columns)
    {
        const I across = plan.warps.rows / 4;
        const Expr group = ir::floorDiv(thread, ir::intImm(128));
        firstRow_ = across == 1 ? ir::intImm(0) : ir::mul(bind("group_m", plan.warps.columns == 1 ? group : ir::floorMod(group, ir::intImm(across))), ir::intImm(rows_));
        firstColumn_ = plan.warps.columns == 1 ? ir::intImm(0) : ir::mul(bind("group_n", ir::floorDiv(group, ir::intImm(across))), ir::intImm(columns_));
    }

    Stmt lower()
    {
        const layout::MmaInstruction& mma = plan_.mma;
        keepRegisters();
        stmts_.push_back(operation(ir::OpId::kWarpgroupArrive, {}, {}, where_));
        const ir::Attrs attrs = attributes();
        stmts_.push_back(unrolled("j", columns_ / mma.n, [&](const Expr& j) {
            return unrolled("i", rows_ / mma.m, [&](const Expr& i) {
                return unrolled("ki", plan_.k / mma.k, [&](const Expr& ki) { return instruction(i, j, ki, attrs); }, where_);
            }, where_);
        }, where_));
        stmts_.push_back(operation(ir::OpId::kWarpgroupCommit, {}, {}, where_));
        return ir::sequence(std::move(stmts_));
    }

private:
    Expr bind(const char* name, Expr value)
    {
        const ir::Var var = newVar(name);
        stmts_.push_back(std::make_shared<ir::Bind>(var, ir::cast(ir::kInt32, std::move(value)), where_));
        return var;
    }

    // What was computed in registers is in them before the tensor core takes over.
    void keepRegisters()
    {
        const auto keep = [&](const ir::Buffer& buffer) {
            stmts_.push_back(operation(ir::OpId::kWarpgroupFence, {span(buffer, ir::intImm(0), *ir::asInt(buffer->shape.front()))}, {}, where_));
        };
        keep(operands_.c.buffer);
        if (const auto* a = std::get_if<RegisterOperand>(&operands_.a))
            keep(a->buffer);
    }

    ir::Attrs attributes() const
    {
        const ir::DType type = operandBuffer(operands_.b)->dtype;
        ir::Attrs attrs{{"shape", plan_.mma.shape()}, {"type", (type == ir::kFloat32 ? ir::DType{ir::Scalar::kTFloat32} : type).name()}};
        if (!plan_.a.kInner)
            attrs.emplace("transpose_A", true);
        if (plan_.b.kInner)
            attrs.emplace("transpose_B", true);
        describe(operands_.a, plan_.a, "A", attrs);
        describe(operands_.b, plan_.b, "B", attrs);
        return attrs;
    }

    static const ir::Buffer& operandBuffer(const ProductOperand& operand)
    {
        const auto* shared = std::get_if<SharedOperand>(&operand);
        return shared ? shared->buffer : std::get<RegisterOperand>(operand).buffer;
    }

    // Panels of `width` bytes: 8 rows of one are 8 * width bytes, the next panel begins after all its rows.
    static void describe(const ProductOperand& operand, const ProductOperandPlan& plan, const std::string& side, ir::Attrs& attrs)
    {
        const auto* shared = std::get_if<SharedOperand>(&operand);
        if (!shared)
            return;
        const I width = panelWidth(*shared), panel = shared->map->shape[shared->map->shape.size() - 2] * width;
        const bool swizzled = width > 16;
        attrs.emplace("swizzle_" + side, swizzled ? width : 0);
        // Without a swizzle the two offsets of a matrix whose last axis is not K change their roles.
        const bool exchanged = !swizzled && !plan.kInner;
        attrs.emplace("leading_" + side, exchanged ? 8 * width : swizzled && plan.kInner ? 16 : panel);
        attrs.emplace("stride_" + side, exchanged ? panel : 8 * width);
    }

    ir::Operand place(const ProductOperand& operand, const ProductOperandPlan& plan, const Expr& row, const Expr& atom, const Expr& ki) const
    {
        const I step = plan_.mma.k;
        if (const auto* registers = std::get_if<RegisterOperand>(&operand)) {
            const I each = plan_.mma.m * step / 128;
            return span(registers->buffer, ir::mul(scaled(atom, plan_.k / step, ki), ir::intImm(each)), each);
        }
        const auto& shared = std::get<SharedOperand>(operand);
        const Expr k = ir::mul(ki, ir::intImm(step));
        return span(shared.buffer, plan.kInner ? elementIndex(shared, row, k) : elementIndex(shared, k, row), 1);
    }

    Stmt instruction(const Expr& i, const Expr& j, const Expr& ki, const ir::Attrs& attrs) const
    {
        const layout::MmaInstruction& mma = plan_.mma;
        const I each = mma.m * mma.n / 128, perRow = columns_ / mma.n;
        std::vector<ir::Operand> operands{place(operands_.a, plan_.a, scaled(i, mma.m, firstRow_), i, ki),
                                          place(operands_.b, plan_.b, scaled(j, mma.n, firstColumn_), j, ki),
                                          span(operands_.c.buffer, ir::mul(scaled(i, perRow, j), ir::intImm(each)), each)};
        if (clear_) {
            // The first step replaces what was there.
            const Expr later = ir::binary(ir::BinaryOp::kNe, ki, ir::intImm(0));
            operands.emplace_back(ir::binary(ir::BinaryOp::kOr, later, ir::unary(ir::UnaryOp::kNot, clear_)));
        }
        return operation(ir::OpId::kWgmma, std::move(operands), attrs, where_);
    }

    const ProductPlan& plan_;
    const ProductOperands& operands_;
    const Expr& clear_;
    const ir::Provenance& where_;
    I rows_, columns_;  // of a warp group
    std::vector<Stmt> stmts_;
    Expr firstRow_, firstColumn_;
};

}  // namespace

void planWarpGroups(const ir::OpCall& gemm, ProductPlan& plan)
{
    const ir::Region &a = *ir::regionOperand(gemm, "A"), &b = *ir::regionOperand(gemm, "B"), &c = *ir::regionOperand(gemm, "C");
    const ir::DType type = b.buffer->dtype, sum = c.buffer->dtype;
    auto policy = static_cast<layout::WarpPolicy>(ir::intAttr(gemm.attrs, "policy", 0));
    // Wide instructions read least (compiler.md 4.6): without another wish all warp groups share rows.
    if (policy == layout::WarpPolicy::kSquare && plan.m % (kGroupRows * std::max<I>(plan.threads / 128, 1)) == 0)
        policy = layout::WarpPolicy::kFullRow;
    const auto warps = layout::warpGroupPartition(plan.m, plan.n, plan.threads / 32, policy);
    const I step = 256 / type.bits();
    plan.engine = ProductEngine::kWgmma;
    plan.warps = warps.value_or(layout::Partition{4, 1});
    const I columns = plan.n / plan.warps.columns;
    plan.mma = {kGroupRows, instructionColumns(columns, type.isInteger()), step, type.bits()};
    plan.c = withRank(layout::wgmmaC(plan.m, plan.n, plan.warps), c.extents.size());
    if (a.buffer->scope == ir::MemoryScope::kFragment && plan.a.kInner)
        plan.a.fragment = withRank(layout::wgmmaA(type.bits(), plan.m, plan.k, plan.warps), a.extents.size());
    plan.a.shared = plan.b.shared = SharedLayout::kPanels;
    plan.a.panelBytes = bestWidth(a, plan.a.kInner, kGroupRows);
    plan.b.panelBytes = bestWidth(b, plan.b.kInner, plan.mma.n);
    if (!warps || plan.m % (16 * plan.warps.rows) != 0 || plan.n % (8 * plan.warps.columns) != 0)
        plan.problem = fmt::format("not supported: a wgmma product of {}x{} by {} threads", plan.m, plan.n, plan.threads);
    else if (!hasInstruction(type, sum) || plan.k % step != 0)
        plan.problem = fmt::format("not supported: a wgmma product of {} with {} sums and K = {}", type.name(), sum.name(), plan.k);
    else if (plan.a.panelBytes == 0 || plan.b.panelBytes == 0)
        plan.problem = "not supported: a wgmma product of tiles whose rows are no multiple of 16 bytes";
    plan.reason = fmt::format("{} on the tensor cores of warp groups by wgmma {}: {}x{} warps ({}), operands in panels of {} and {} bytes",
                              type.name(), plan.mma.shape(), plan.warps.rows, plan.warps.columns, policyName(policy), plan.a.panelBytes,
                              plan.b.panelBytes);
}

std::string productProblem(const ProductPlan& plan, const ProductOperands& operands)
{
    if (!plan.problem.empty() || plan.engine != ProductEngine::kWgmma)
        return plan.problem;
    const std::string left = problemOf(operands.a, plan.a.kInner, kGroupRows);
    return left.empty() ? problemOf(operands.b, plan.b.kInner, plan.mma.n) : left;
}

Stmt multiplyByWarpGroups(const ProductPlan& plan, const ProductOperands& operands, const Expr& thread, const Expr& clear,
                          const ir::Provenance& where)
{
    return GroupProduct(plan, operands, thread, clear, where).lower();
}

}  // namespace tw::passes

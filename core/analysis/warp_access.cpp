#include "core/analysis/warp_access.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/analysis/walk.h"
#include "core/arith/evaluate.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"

namespace tw::analysis {

namespace {

using I = std::int64_t;
using ir::as;
using ir::Expr;

constexpr I kWarp = 32, kSector = 32, kMostWarps = 8;
constexpr I kMatrixRow = 16;      // bytes that a lane names for ldmatrix
constexpr I kMatrixLanes = 8;     // lanes that name the rows of one matrix

class Variables final : public ir::Visitor {
public:
    std::vector<const ir::ExprNode*> found;
    using ir::Visitor::visit;
    void visit(const Expr& e) override
    {
        if (e && e->kind == ir::ExprKind::kVar && std::ranges::find(found, e.get()) == found.end())
            found.push_back(e.get());
        ir::Visitor::visit(e);
    }
};

// The byte of an element from the start of its storage; empty where strides are not constants.
Expr byteOf(const ir::BufferNode& buffer, const std::vector<Expr>& index)
{
    Expr flat = ir::intImm(0);
    I stride = 1;
    for (std::size_t k = index.size(); k-- > 0;) {
        if (!buffer.strides.empty()) {
            if (!ir::asInt(buffer.strides[k]))
                return {};
            stride = *ir::asInt(buffer.strides[k]);
        }
        flat = ir::add(flat, ir::mul(ir::cast(ir::kInt32, index[k]), ir::intImm(stride)));
        const I* extent = ir::asInt(buffer.shape[k]);
        if (buffer.strides.empty() && k > 0 && !extent)
            return {};
        stride *= extent ? *extent : 1;
    }
    I offset = 0;
    for (const ir::BufferNode* b = &buffer; b; b = b->viewOf.get())
        offset += b->viewOffset;
    const I bits = buffer.dtype.bits();
    return ir::add(bits >= 8 ? ir::mul(flat, ir::intImm(bits / 8)) : ir::floorDiv(flat, ir::intImm(8 / bits)), ir::intImm(offset));
}

class Collector final : public Walk {
public:
    std::vector<WarpAccess> found;

protected:
    void enterExpr(const Expr& e) override
    {
        if (const auto* load = as<ir::Load>(e))
            add("load", *load->buffer, load->indices, false, 0);
    }

    void enter(const ir::Stmt& s) override
    {
        if (const auto* store = as<ir::Store>(s))
            return add("store", *store->buffer, store->indices, true, 0);
        const auto* op = as<ir::OpStmt>(s);
        if (!op)
            return;
        switch (op->call.op) {
        case ir::OpId::kCpAsync: return copy(op->call);
        case ir::OpId::kLdMatrix: return addRegion("ldmatrix", op->call, "src", false, kMatrixRow);
        case ir::OpId::kStMatrix: return addRegion("stmatrix", op->call, "dst", true, kMatrixRow);
        default: return;
        }
    }

private:
    void copy(const ir::OpCall& call)
    {
        const ir::Region* src = ir::regionOperand(call, "src");
        const I bytes = ir::intAttr(call.attrs, "count", 1) * src->buffer->dtype.bits() / 8;
        addRegion("cp.async", call, "src", false, bytes);
        addRegion("cp.async", call, "dst", true, bytes);
    }

    void addRegion(const char* instruction, const ir::OpCall& call, const char* operand, bool writes, I bytes)
    {
        const ir::Region* region = ir::regionOperand(call, operand);
        add(instruction, *region->buffer, region->mins, writes, bytes);
    }

    // `bytes` 0: an element, or all that a vectorized loop makes of it.
    void add(const char* instruction, const ir::BufferNode& buffer, const std::vector<Expr>& index, bool writes, I bytes)
    {
        const ir::MemoryScope scope = storageOf(&buffer)->scope;
        if (!launch() || (scope != ir::MemoryScope::kShared && scope != ir::MemoryScope::kGlobal))
            return;
        WarpAccess access;
        access.where = statement()->where;
        access.buffer = buffer.name;
        access.instruction = instruction;
        access.shared = scope == ir::MemoryScope::kShared;
        access.writes = writes;
        std::vector<Expr> expanded;
        for (const Expr& e : index)
            expanded.push_back(expand(e));
        access.bytes = bytes > 0 ? bytes : std::max<I>(1, buffer.dtype.bits() / 8) * vectorExtent(expanded);
        measure(access, byteOf(buffer, expanded));
        keep(std::move(access));
    }

    [[nodiscard]] I vectorExtent(const std::vector<Expr>& index) const
    {
        for (const ir::For* loop : loops())
            if (loop->loop == ir::ForKind::kVectorized && ir::asInt(loop->axes[0].end))
                for (const Expr& e : index)
                    if (ir::mentions(e, loop->axes[0].var.get()))
                        return *ir::asInt(loop->axes[0].end);
        return 1;
    }

    // The value of each variable for a thread; empty for what only a run can tell.
    [[nodiscard]] std::optional<std::vector<I>> valuesOf(const std::vector<const ir::ExprNode*>& vars, I thread) const
    {
        const auto& extents = launch()->threads;
        const std::array<I, 3> at{thread % extents[0], thread / extents[0] % extents[1], thread / extents[0] / extents[1]};
        std::vector<I> values;
        for (const ir::ExprNode* v : vars) {
            std::optional<I> value;
            for (std::size_t axis = 0; axis < at.size(); ++axis)
                if (launch()->threadVars[axis].get() == v)
                    value = at[axis];
            for (const ir::Var& block : launch()->blockVars)
                if (block.get() == v)
                    value = 0;
            for (const ir::For* loop : loops())
                for (const ir::Axis& axis : loop->axes)
                    if (axis.var.get() == v)
                        value = ir::asInt(axis.begin) ? *ir::asInt(axis.begin) : 0;
            if (!value)
                return std::nullopt;
            values.push_back(*value);
        }
        return values;
    }

    [[nodiscard]] std::optional<I> evaluate(const Expr& e, I thread) const
    {
        Variables variables;
        variables.visit(e);
        auto program = arith::Evaluation::compile(e, variables.found);
        const auto values = program ? valuesOf(variables.found, thread) : std::nullopt;
        return values ? program->run(*values) : std::nullopt;
    }

    [[nodiscard]] bool isActive(I thread) const
    {
        return std::ranges::all_of(guards(), [&](const Guard& g) {
            const auto value = evaluate(expand(g.condition), thread);
            return !value || (*value != 0) == g.holds;
        });
    }

    void measure(WarpAccess& access, const Expr& address)
    {
        if (!address) {
            access.unknown = "its strides are known at run time";
            return;
        }
        const I threads = launch()->threads[0] * launch()->threads[1] * launch()->threads[2];
        for (I first = 0; first < std::min(threads, kMostWarps * kWarp); first += kWarp) {
            std::vector<I> at;
            for (I thread = first; thread < std::min(threads, first + kWarp); ++thread) {
                const auto byte = isActive(thread) ? evaluate(address, thread) : std::optional<I>(-1);
                if (!byte) {
                    access.unknown = "its address depends on data";
                    return;
                }
                at.push_back(*byte);
            }
            if (std::ranges::any_of(at, [](I a) { return a >= 0; }))
                access.shared ? countBanks(access, at) : countSectors(access, at);
        }
    }

    static void countBanks(WarpAccess& access, const std::vector<I>& at)
    {
        layout::BankUse use;
        if (access.instruction == "ldmatrix" || access.instruction == "stmatrix") {
            for (std::size_t k = 0; k + kMatrixLanes <= at.size(); k += kMatrixLanes) {
                const auto part = layout::bankUse(std::span(at).subspan(k, kMatrixLanes), kMatrixRow);
                use.passes += part.passes;
                use.best += part.best;
            }
        } else {
            use = layout::bankUse(at, std::min<I>(access.bytes, 16));
        }
        if (use.ways() > access.banks.ways() || access.banks.best == 0)
            access.banks = use;
    }

    static void countSectors(WarpAccess& access, const std::vector<I>& at)
    {
        std::set<I> sectors, bytes;
        for (const I a : at) {
            if (a < 0)
                continue;
            for (I b = a / kSector; b <= (a + access.bytes - 1) / kSector; ++b)
                sectors.insert(b);
            bytes.insert(a);
        }
        const I ideal = (static_cast<I>(bytes.size()) * access.bytes + kSector - 1) / kSector;
        const I count = static_cast<I>(sectors.size());
        if (access.idealSectors == 0 || count * access.idealSectors > access.sectors * ideal) {
            access.sectors = count;
            access.idealSectors = ideal;
        }
    }

    void keep(WarpAccess access)
    {
        for (WarpAccess& known : found) {
            if (known.where.range != access.where.range || known.buffer != access.buffer || known.instruction != access.instruction ||
                known.writes != access.writes || known.bytes != access.bytes || known.unknown != access.unknown)
                continue;
            ++known.count;
            if (access.banks.ways() > known.banks.ways())
                known.banks = access.banks;
            if (access.sectors * known.idealSectors > known.sectors * access.idealSectors) {
                known.sectors = access.sectors;
                known.idealSectors = access.idealSectors;
            }
            return;
        }
        found.push_back(std::move(access));
    }
};

}  // namespace

std::vector<WarpAccess> warpAccesses(const ir::Function& function)
{
    if (function.stage != ir::Stage::kThread)
        return {};
    Collector collector;
    static_cast<ir::Visitor&>(collector).visit(function.body);
    return std::move(collector.found);
}

}  // namespace tw::analysis

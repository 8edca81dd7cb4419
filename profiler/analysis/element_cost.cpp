#include "profiler/analysis/element_cost.h"

#include "core/ir/search.h"
#include "core/ir/visit.h"

namespace tw::profile_analysis {
namespace {

using ir::Expr;
using ir::OpId;

bool isArithmetic(ir::BinaryOp op)
{
    using B = ir::BinaryOp;
    return op == B::kAdd || op == B::kSub || op == B::kMul || op == B::kDiv || op == B::kMin || op == B::kMax;
}

// Served by the special function units (a division by its reciprocal).
bool isSpecial(OpId op)
{
    switch (op) {
    case OpId::kExp: case OpId::kExp2: case OpId::kExp10: case OpId::kLog: case OpId::kLog2: case OpId::kLog10: case OpId::kLog1p:
    case OpId::kSqrt: case OpId::kRsqrt: case OpId::kSin: case OpId::kCos: case OpId::kTan: case OpId::kTanh: case OpId::kSigmoid:
    case OpId::kPow: case OpId::kErf: case OpId::kFastExp: case OpId::kFastExp10: case OpId::kFastLog: case OpId::kFastLog2:
    case OpId::kFastLog10: case OpId::kFastSin: case OpId::kFastCos: case OpId::kFastTan: case OpId::kFastRcp: case OpId::kIeeeDiv:
    case OpId::kIeeeRcp: case OpId::kIeeeSqrt: case OpId::kIeeeRsqrt: return true;
    default: return false;
    }
}

double flopsOf(OpId op)
{
    switch (op) {
    case OpId::kFma: case OpId::kFma2: case OpId::kIeeeFma: return 2;
    case OpId::kReinterpret: case OpId::kCastRounded: case OpId::kShuffleVector: case OpId::kLikely: case OpId::kUndef: case OpId::kIsNan:
    case OpId::kIsInf: case OpId::kIsFinite: return 0;
    default: return 1;
    }
}

class Scan {
public:
    explicit Scan(std::vector<ElementLoad>& loads) : loads_(loads) {}

    void visit(const Expr& e)
    {
        if (!e)
            return;
        const double lanes = e->dtype.lanes;
        if (const auto* load = ir::as<ir::Load>(e)) {
            cost.steps += isMemory(load->buffer->scope) ? 1 : 0;
            loads_.push_back({load, guards_});
            for (const Expr& i : load->indices)
                addresses(i);
        } else if (const auto* b = ir::as<ir::Binary>(e)) {
            visit(b->a);
            visit(b->b);
            // Arithmetic on indices moves out of loops or into addresses; a comparison remains.
            cost.steps += b->op >= ir::BinaryOp::kEq || ir::hasRuntimeValue(e) ? lanes : 0;
            if (e->dtype.isFloating() && isArithmetic(b->op)) {
                cost.flops += lanes;
                cost.special += b->op == ir::BinaryOp::kDiv ? lanes : 0;
            }
        } else if (const auto* u = ir::as<ir::Unary>(e)) {
            visit(u->a);
            cost.steps += lanes;
        } else if (const auto* c = ir::as<ir::Cast>(e)) {
            visit(c->value);
            cost.steps += c->value->dtype.element() == e->dtype.element() ? 0 : lanes;
        } else if (const auto* s = ir::as<ir::Select>(e)) {
            select(*s);
        } else if (const auto* call = ir::as<ir::Call>(e)) {
            operation(*call, lanes);
        } else if (const auto* r = ir::as<ir::Ramp>(e)) {
            visit(r->base);
        } else if (const auto* w = ir::as<ir::Broadcast>(e)) {
            visit(w->value);
        } else if (const auto* l = ir::as<ir::Lane>(e)) {
            visit(l->vector);
        }
    }

    ElementCost cost;

private:
    void select(const ir::Select& s)
    {
        visit(s.condition);
        cost.steps += 1;
        guards_.push_back({s.condition, true});
        if (!s.lazy)
            guards_.pop_back();
        visit(s.then);
        if (s.lazy)
            guards_.back().holds = false;
        visit(s.otherwise);
        if (s.lazy)
            guards_.pop_back();
    }

    void operation(const ir::Call& call, double lanes)
    {
        for (const ir::Operand& o : call.call.operands)
            if (const auto* e = std::get_if<Expr>(&o))
                visit(*e);
        const ir::OpInfo& op = ir::info(call.call.op);
        cost.steps += lanes;
        if (op.cls == ir::OpClass::kMath && call.dtype.isFloating())
            cost.flops += flopsOf(call.call.op) * lanes;
        if (op.cls == ir::OpClass::kMath && isSpecial(call.call.op))
            cost.special += lanes;
    }

    // Address arithmetic is the compiler's; only what it reads from memory counts.
    void addresses(const Expr& index)
    {
        const ElementCost before = cost;
        visit(index);
        cost = before;
    }

    std::vector<ElementLoad>& loads_;
    std::vector<analysis::Guard> guards_;
};

}  // namespace

bool isMemory(ir::MemoryScope scope) { return scope == ir::MemoryScope::kGlobal || scope == ir::MemoryScope::kShared; }

ElementCost elementCost(const Expr& e, std::vector<ElementLoad>& loads)
{
    Scan scan(loads);
    scan.visit(e);
    return scan.cost;
}

}  // namespace tw::profile_analysis

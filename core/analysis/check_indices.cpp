// Indices that certainly leave their extent: constants anywhere, and sums of loop variables and thread indices in on-chip
// buffers whose last iteration is reached without a condition. Tile copies of global tensors are clipped by the language and not judged.
#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/analysis/walk.h"
#include "core/arith/facts.h"
#include "core/ir/call.h"
#include "core/ir/print.h"

namespace tw::analysis {

namespace {

using ir::as;
using ir::Expr;

class IndexWalk final : public Walk {
public:
    explicit IndexWalk(const CheckContext& context) : context_(context) {}

    using Walk::visit;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* launch = as<ir::Launch>(s))
            launchExits_ = leavesEarly(launch->body);
        Walk::visit(s);
    }

    void visit(const ir::OpCall& call) override
    {
        const auto cls = ir::info(call.op).cls;
        const bool clips = cls == ir::OpClass::kCopy || cls == ir::OpClass::kAtomic;
        for (const ir::Operand& operand : call.operands)
            if (const auto* region = std::get_if<ir::Region>(&operand))
                checkRegion(*region, clips && !ir::isPoint(*region));
        Walk::visit(call);
    }

protected:
    void enter(const ir::Stmt& s) override
    {
        if (const auto* store = as<ir::Store>(s))
            checkElement(store->buffer, store->indices, s->where.range);
    }

    void enterExpr(const Expr& e) override
    {
        if (const auto* load = as<ir::Load>(e))
            checkElement(load->buffer, load->indices, rangeOf(e));
    }

private:
    static std::string axisText(const ir::BufferNode& buffer, std::size_t axis)
    {
        return buffer.shape.size() == 1 ? std::string() : fmt::format(" axis {} of", axis);
    }

    void checkElement(const ir::Buffer& buffer, const std::vector<Expr>& indices, const SourceRange& range)
    {
        for (std::size_t i = 0; i < indices.size() && i < buffer->shape.size(); ++i) {
            const auto* extent = ir::asInt(buffer->shape[i]);
            if (!extent || !indices[i])
                continue;
            const auto reached = extremes(*buffer, indices[i]);
            if (!reached || (*reached->low >= 0 && *reached->high < *extent))
                continue;
            const std::int64_t index = *reached->low < 0 ? *reached->low : *reached->high;
            const std::string text = reached->isPoint() ? fmt::format("index {}", index)
                                                        : fmt::format("index {}, which reaches {},", ir::print(indices[i]), index);
            return error(range, fmt::format("{} is outside of{} {}, which has {} elements (0 to {})", text, axisText(*buffer, i),
                                            buffer->name, *extent, *extent - 1));
        }
    }

    void checkRegion(const ir::Region& r, bool clips)
    {
        if (ir::isPoint(r))
            return checkElement(r.buffer, r.mins, statement() ? statement()->where.range : SourceRange{});
        for (std::size_t i = 0; i < r.mins.size(); ++i) {
            const auto *extent = ir::asInt(r.buffer->shape[i]), *min = ir::asInt(r.mins[i]), *size = ir::asInt(r.extents[i]);
            if (!extent || !min || !size)
                continue;
            const bool isGlobal = r.buffer->scope == ir::MemoryScope::kGlobal;
            const bool outside = clips && isGlobal ? *min >= *extent || *min < 0 : *min < 0 || *min + *size > *extent;
            if (outside)
                return error(statement() ? statement()->where.range : SourceRange{},
                             fmt::format("{} to {} is outside of{} {}, which has {} elements (0 to {})", *min, *min + *size,
                                         axisText(*r.buffer, i), r.buffer->name, *extent, *extent - 1));
        }
    }

    // The smallest and largest value, both of which certainly occur; empty if that is not known.
    std::optional<arith::Interval> extremes(const ir::BufferNode& buffer, const Expr& index)
    {
        if (const auto* value = ir::asInt(index))
            return arith::Interval::point(*value);
        if (buffer.scope == ir::MemoryScope::kGlobal || !guards().empty() || insideWhile() || launchExits_)
            return {};
        arith::Facts facts;
        const arith::Affine affine = facts.normalize(expand(index));
        if (!affine.valid)
            return {};
        arith::Interval result = arith::Interval::point(affine.constant);
        for (const arith::Term& term : affine.terms) {
            const auto range = valuesOf(term.atom.get());
            if (!range)
                return {};
            const std::int64_t first = term.coefficient * *range->low, last = term.coefficient * *range->high;
            *result.low += std::min(first, last);
            *result.high += std::max(first, last);
        }
        return result;
    }

    // The smallest and largest value of a loop variable with constant bounds or of a thread index, both of which occur.
    std::optional<arith::Interval> valuesOf(const ir::ExprNode* var) const
    {
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (launch() && launch()->threadVars[axis].get() == var)
                return arith::Interval{0, launch()->threads[axis] - 1};
        return loopRange(var);
    }

    // The first and last value of a loop variable with constant bounds.
    std::optional<arith::Interval> loopRange(const ir::ExprNode* var) const
    {
        for (const ir::For* loop : loops())
            for (const ir::Axis& axis : loop->axes) {
                if (axis.var.get() != var)
                    continue;
                const auto *begin = ir::asInt(axis.begin), *end = ir::asInt(axis.end), *step = ir::asInt(axis.step);
                if (!begin || !end || !step || *step <= 0 || *begin >= *end || loop->loop == ir::ForKind::kPersistent)
                    return {};
                return arith::Interval{*begin, *begin + (*end - 1 - *begin) / *step * *step};
            }
        return {};
    }

    void error(const SourceRange& range, std::string message)
    {
        context_.diagnostics.error(Code::kIndexRange, range, std::move(message));
    }

    const CheckContext& context_;
    bool launchExits_ = false;
};

}  // namespace

void checkIndices(const CheckContext& context)
{
    IndexWalk walk(context);
    walk.visit(context.function.body);
}

}  // namespace tw::analysis

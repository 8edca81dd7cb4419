#include "core/passes/simplify.h"

#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/passes/ranges.h"

namespace tw::passes {

namespace {

bool isEmpty(const ir::Stmt& s)
{
    const auto* seq = ir::as<ir::Seq>(s);
    return !s || (seq && seq->stmts.empty());
}

class Simplifier : public ir::Rewriter {
public:
    explicit Simplifier(const ir::Function& function) { ranges_.addSymbols(function); }
    using ir::Rewriter::rewrite;

    ir::Expr rewrite(const ir::Expr& e) override
    {
        const ir::Expr next = rewriteChildren(e);
        if (!next)
            return next;
        if (const auto* binary = ir::as<ir::Binary>(next)) {
            if (const auto truth = ir::asInt(next) ? std::nullopt : ranges_.decide(next))
                return ir::boolImm(*truth, next->where);
            return reduceDivision(next, *binary);
        }
        return next;
    }

    ir::Stmt rewrite(const ir::Stmt& s) override
    {
        if (const auto* loop = ir::as<ir::For>(s))
            ranges_.add(*loop);
        if (const auto* launch = ir::as<ir::Launch>(s))
            ranges_.add(*launch);
        const ir::Stmt next = rewriteChildren(s);
        if (const auto* bind = ir::as<ir::Bind>(next))
            ranges_.add(*bind);
        if (const auto* branch = ir::as<ir::If>(next)) {
            if (const auto* value = ir::asInt(branch->condition))
                return *value ? branch->then : branch->otherwise ? branch->otherwise : ir::sequence({});
            if (isEmpty(branch->then) && isEmpty(branch->otherwise))
                return ir::sequence({});
        }
        if (const auto* loop = ir::as<ir::While>(next))
            if (const auto* value = ir::asInt(loop->condition); value && !*value)
                return ir::sequence({});
        return next;
    }

private:
    // x % n and x // n of an x that lies inside one period.
    ir::Expr reduceDivision(const ir::Expr& e, const ir::Binary& binary) const
    {
        const bool isMod = binary.op == ir::BinaryOp::kFloorMod;
        const auto* n = ir::asInt(binary.b);
        if ((!isMod && binary.op != ir::BinaryOp::kFloorDiv) || !n || *n <= 0)
            return e;
        const auto range = ranges_.of(binary.a);
        if (!range || range->low < 0 || range->high >= *n)
            return e;
        return isMod ? binary.a : ir::intImm(0, e->dtype, e->where);
    }

    Ranges ranges_;
};

}  // namespace

ir::Function simplify(const ir::Function& in, PassContext&)
{
    ir::Function out = in;
    Simplifier simplifier(in);
    out.body = simplifier.rewrite(in.body);
    return out;
}

}  // namespace tw::passes

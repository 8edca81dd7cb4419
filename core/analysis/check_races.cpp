// Two iterations of one parallel nest that meet in one element.
//
// They certainly meet if a variable of the nest with more than one value does not occur in the indices, or if enumeration
// finds equal indices. It is an error if the element is read, changed and written (an update is lost) or if the stored values
// certainly differ; a value that only running can tell is a warning.
#include <array>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/arith/evaluate.h"
#include "core/analysis/walk.h"
#include "core/arith/facts.h"
#include "core/ir/print.h"

namespace tw::analysis {

namespace {

using ir::as;
using ir::Expr;

constexpr std::int64_t kMaxPoints = 1 << 12;

class RaceWalk final : public Walk {
public:
    explicit RaceWalk(const CheckContext& context) : context_(context) {}

protected:
    void enter(const ir::Stmt& s) override
    {
        if (const auto* loop = as<ir::For>(s); loop && loop->loop == ir::ForKind::kParallel && !parallelNest())
            outerGuards_ = guards().size();
        const auto* store = as<ir::Store>(s);
        if (store && parallelNest() && isShared(*store->buffer))
            check(*store, s->where.range);
    }

private:
    // Storage that all threads of the block see.
    static bool isShared(const ir::BufferNode& buffer)
    {
        return (buffer.scope == ir::MemoryScope::kShared || buffer.scope == ir::MemoryScope::kGlobal ||
                buffer.scope == ir::MemoryScope::kFragment) &&
               buffer.reducer.empty();
    }

    std::vector<const ir::Axis*> nestAxes() const
    {
        std::vector<const ir::Axis*> axes;
        for (const ir::For* loop : loops())
            if (loop->loop == ir::ForKind::kParallel)
                for (const ir::Axis& axis : loop->axes)
                    axes.push_back(&axis);
        return axes;
    }

    static bool hasSeveralValues(const ir::Axis& axis)
    {
        const auto *begin = ir::asInt(axis.begin), *end = ir::asInt(axis.end);
        return !begin || !end || *end - *begin > 1;
    }

    // A condition inside the nest may leave one iteration only.
    bool isGuarded(const ir::ExprNode* var) const
    {
        for (std::size_t i = outerGuards_; i < guards().size(); ++i) {
            const Expr condition = expand(guards()[i].condition);
            if (mentions(condition, var) || hasRuntimeValue(condition))
                return true;
        }
        return false;
    }

    void check(const ir::Store& store, const SourceRange& range)
    {
        std::vector<Expr> indices;
        for (const Expr& index : store.indices)
            indices.push_back(expand(index));
        for (const Expr& index : indices)
            if (hasRuntimeValue(index))
                return;
        const Expr value = expand(store.value);
        for (const ir::Axis* axis : nestAxes()) {
            if (!hasSeveralValues(*axis) || isGuarded(axis->var.get()))
                continue;
            bool occurs = false;
            for (const Expr& index : indices)
                occurs |= mentions(index, axis->var.get());
            if (!occurs)
                return report(store, value, *axis, range);
        }
        if (guards().size() == outerGuards_ && isUpdate(store, value) && collides(indices))
            reportLostUpdate(store, range, "several iterations");
    }

    // Whether the stored value is made from the element that it replaces.
    bool isUpdate(const ir::Store& store, const Expr& value) const
    {
        struct Search final : ir::Visitor {
            using ir::Visitor::visit;
            const ir::Store* store = nullptr;
            bool found = false;
            void visit(const Expr& e) override
            {
                const auto* load = as<ir::Load>(e);
                if (load && load->buffer == store->buffer) {
                    bool same = true;
                    for (std::size_t i = 0; i < load->indices.size(); ++i)
                        same &= ir::equal(load->indices[i], store->indices[i]);
                    found |= same;
                }
                ir::Visitor::visit(e);
            }
        } search;
        search.store = &store;
        search.visit(value);
        return search.found;
    }

    void report(const ir::Store& store, const Expr& value, const ir::Axis& axis, const SourceRange& range)
    {
        const std::string iterations = fmt::format("the iterations of {}", axis.var->name);
        if (isUpdate(store, value))
            return reportLostUpdate(store, range, iterations);
        if (!mentions(value, axis.var.get()))
            return;  // all of them store the same value
        const arith::Facts facts;
        const bool differs = value->dtype.isInteger() && facts.normalize(value).coefficientOf(axis.var.get()) != 0;
        const std::string message = fmt::format("{} of T.Parallel all store into {}, in no order: {}", iterations, element(store),
                                                differs ? "their values differ, so the result is a race"
                                                        : "unless their values are equal, the result is a race");
        if (differs)
            context_.diagnostics.error(Code::kRace, range, message);
        else
            context_.diagnostics.warning(Code::kRace, range, message);
    }

    void reportLostUpdate(const ir::Store& store, const SourceRange& range, const std::string& iterations)
    {
        if (!reported_.insert(store.buffer.get()).second)
            return;
        context_.diagnostics.error(
            Code::kRace, range,
            fmt::format("{} of T.Parallel update {} at the same time, so updates are lost; this race needs T.atomic_add, "
                        "T.reduce_sum, or T.serial for that loop",
                        iterations, element(store)));
    }

    static std::string element(const ir::Store& store)
    {
        std::string indices;
        for (const Expr& index : store.indices)
            indices += (indices.empty() ? "" : ", ") + ir::print(index);
        return fmt::format("{}[{}]", store.buffer->name, indices);
    }

    // Each variable of the nest is, up to a factor and a constant, an index of its own: no two iterations meet.
    bool areObviouslyDistinct(const std::vector<Expr>& indices) const
    {
        const arith::Facts facts;
        const std::vector<const ir::Axis*> axes = nestAxes();
        std::set<const ir::ExprNode*> separated;
        for (const Expr& index : indices) {
            std::vector<const ir::ExprNode*> found;
            for (const ir::Axis* axis : axes)
                if (mentions(index, axis->var.get()))
                    found.push_back(axis->var.get());
            if (found.size() == 1 && facts.normalize(index).coefficientOf(found[0]) != 0)
                separated.insert(found[0]);
        }
        return separated.size() == axes.size();
    }

    // Tries all points of the nest, with everything else at 0 (where it begins).
    bool collides(const std::vector<Expr>& indices) const
    {
        if (areObviouslyDistinct(indices))
            return false;
        std::vector<const ir::ExprNode*> vars;
        std::vector<std::int64_t> extents;
        std::int64_t points = 1;
        for (const ir::Axis* axis : nestAxes()) {
            const auto *begin = ir::asInt(axis->begin), *end = ir::asInt(axis->end);
            if (!begin || !end || *begin != 0 || *end <= 0 || points > kMaxPoints / *end)
                return false;
            vars.push_back(axis->var.get());
            extents.push_back(*end);
            points *= *end;
        }
        std::vector<arith::Evaluation> programs;
        for (const Expr& index : indices) {
            auto program = arith::Evaluation::compile(index, vars);
            if (!program)
                return false;
            programs.push_back(*std::move(program));
        }
        std::set<std::vector<std::int64_t>> seen;
        std::vector<std::int64_t> point(vars.size()), target(programs.size());
        for (std::int64_t n = 0; n < points; ++n) {
            std::int64_t rest = n;
            for (std::size_t i = vars.size(); i-- > 0; rest /= extents[i])
                point[i] = rest % extents[i];
            for (std::size_t i = 0; i < programs.size(); ++i) {
                const auto value = programs[i].run(point);
                if (!value)
                    return false;
                target[i] = *value;
            }
            if (!seen.insert(target).second)
                return true;
        }
        return false;
    }

    const CheckContext& context_;
    std::size_t outerGuards_ = 0;
    std::unordered_set<const ir::BufferNode*> reported_;
};

}  // namespace

void checkRaces(const CheckContext& context)
{
    RaceWalk walk(context);
    ir::Visitor& visitor = walk;
    visitor.visit(context.function.body);
}

}  // namespace tw::analysis

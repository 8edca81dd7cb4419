// Two iterations of one parallel nest that meet in one element.
//
// They certainly meet if a variable of the nest with more than one value does not occur in the indices, or if enumeration
// finds equal indices. It is an error if the element is read, changed and written (an update is lost) or if the stored values
// certainly differ; a value that only running can tell is a warning. So is an element that one iteration reads and another
// writes.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/arith/evaluate.h"
#include "core/analysis/walk.h"
#include "core/arith/facts.h"
#include "core/ir/print.h"
#include "core/ir/search.h"

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
            if (ir::mentions(condition, var) || ir::hasRuntimeValue(condition))
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
            if (ir::hasRuntimeValue(index))
                return;
        const Expr value = expand(store.value);
        for (const ir::Axis* axis : nestAxes()) {
            if (!hasSeveralValues(*axis) || isGuarded(axis->var.get()))
                continue;
            bool occurs = false;
            for (const Expr& index : indices)
                occurs |= ir::mentions(index, axis->var.get());
            if (!occurs)
                return report(store, value, *axis, range);
        }
        if (guards().size() == outerGuards_ && isUpdate(store, value) && collides(indices))
            return reportLostUpdate(store, range, "several iterations");
        if (guards().empty() && store.buffer->scope != ir::MemoryScope::kFragment)  // those have one indexing in a nest
            checkNeighbours(store, indices, value, range);
    }

    // s[i] = s[i + 1]: what one iteration reads another writes, before or after.
    void checkNeighbours(const ir::Store& store, const std::vector<Expr>& indices, const Expr& value, const SourceRange& range)
    {
        struct Loads final : ir::Visitor {
            using ir::Visitor::visit;
            const ir::BufferNode* buffer = nullptr;
            std::vector<const ir::Load*> found;
            void visit(const Expr& e) override
            {
                if (const auto* load = as<ir::Load>(e); load && load->buffer.get() == buffer)
                    found.push_back(load);
                ir::Visitor::visit(e);
            }
        } loads;
        loads.buffer = store.buffer.get();
        static_cast<ir::Visitor&>(loads).visit(value);
        if (loads.found.empty())
            return;
        const auto written = places(indices);
        std::map<std::vector<std::int64_t>, std::size_t> writers;
        for (std::size_t n = 0; written && n < written->size(); ++n)
            writers.emplace((*written)[n], n);
        for (const ir::Load* load : loads.found) {
            const auto read = written ? places(load->indices) : std::nullopt;
            for (std::size_t n = 0; read && n < read->size(); ++n)
                if (const auto writer = writers.find((*read)[n]); writer != writers.end() && writer->second != n)
                    return reportNeighbours(store, *load, range);
        }
    }

    void reportNeighbours(const ir::Store& store, const ir::Load& load, const SourceRange& range)
    {
        if (!reported_.insert(store.buffer.get()).second)
            return;
        context_.diagnostics.warning(
            Code::kRace, range,
            fmt::format("{} is made from {} while other iterations of T.Parallel write that, in no order: this is a race; store into another buffer, or "
                        "use T.serial for that loop",
                        element(store.buffer->name, store.indices), element(load.buffer->name, load.indices)));
    }

    // Whether the stored value is made from the element that it replaces.
    bool isUpdate(const ir::Store& store, const Expr& value) const
    {
        return ir::anyExpr(value, [&](const Expr& e) {
            const auto* load = as<ir::Load>(e);
            return load && load->buffer == store.buffer && std::ranges::equal(load->indices, store.indices, [](const Expr& a, const Expr& b) { return ir::equal(a, b); });
        });
    }

    void report(const ir::Store& store, const Expr& value, const ir::Axis& axis, const SourceRange& range)
    {
        const std::string iterations = fmt::format("the iterations of {}", axis.var->name);
        if (isUpdate(store, value))
            return reportLostUpdate(store, range, iterations);
        if (!ir::mentions(value, axis.var.get()))
            return;  // all of them store the same value
        const arith::Facts facts;
        const bool differs = value->dtype.isInteger() && facts.normalize(value).coefficientOf(axis.var.get()) != 0;
        const std::string message = fmt::format("{} of T.Parallel all store into {}, in no order: {}", iterations, element(store.buffer->name, store.indices),
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
                        iterations, element(store.buffer->name, store.indices)));
    }

    static std::string element(const std::string& buffer, const std::vector<Expr>& indices)
    {
        std::string text;
        for (const Expr& index : indices)
            text += (text.empty() ? "" : ", ") + ir::print(index);
        return fmt::format("{}[{}]", buffer, text);
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
                if (ir::mentions(index, axis->var.get()))
                    found.push_back(axis->var.get());
            if (found.size() == 1 && facts.normalize(index).coefficientOf(found[0]) != 0)
                separated.insert(found[0]);
        }
        return separated.size() == axes.size();
    }

    // Whether two points of the nest have equal indices.
    bool collides(const std::vector<Expr>& indices) const
    {
        if (areObviouslyDistinct(indices))
            return false;
        const auto all = places(indices);
        return all && std::set(all->begin(), all->end()).size() < all->size();
    }

    // The indices at all points of the nest, with everything else at 0 (where it begins); empty if that cannot be told.
    std::optional<std::vector<std::vector<std::int64_t>>> places(const std::vector<Expr>& indices) const
    {
        std::vector<const ir::ExprNode*> vars;
        std::vector<std::int64_t> extents;
        std::int64_t points = 1;
        for (const ir::Axis* axis : nestAxes()) {
            const auto *begin = ir::asInt(axis->begin), *end = ir::asInt(axis->end);
            if (!begin || !end || *begin != 0 || *end <= 0 || points > kMaxPoints / *end)
                return std::nullopt;
            vars.push_back(axis->var.get());
            extents.push_back(*end);
            points *= *end;
        }
        std::vector<arith::Evaluation> programs;
        for (const Expr& index : indices) {
            auto program = arith::Evaluation::compile(index, vars);
            if (!program)
                return std::nullopt;
            programs.push_back(*std::move(program));
        }
        std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(points));
        std::vector<std::int64_t> point(vars.size());
        for (std::int64_t n = 0; n < points; ++n) {
            std::int64_t rest = n;
            for (std::size_t i = vars.size(); i-- > 0; rest /= extents[i])
                point[i] = rest % extents[i];
            for (arith::Evaluation& program : programs) {
                const auto value = program.run(point);
                if (!value)
                    return std::nullopt;
                out[static_cast<std::size_t>(n)].push_back(*value);
            }
        }
        return out;
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

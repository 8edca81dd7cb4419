// User layouts must give every element a place of its own; decided by enumeration.
#include <algorithm>

#include <fmt/format.h>

#include "core/analysis/checks.h"
#include "core/arith/evaluate.h"
#include "core/analysis/walk.h"

namespace tw::analysis {

namespace {

constexpr std::int64_t kMaxPoints = 1 << 18;

using Point = std::vector<std::int64_t>;

std::string text(const Point& point)
{
    return fmt::format("({})", fmt::join(point, ", "));
}

// The places of all elements: coordinates (and copy) in, thread (fragments) and physical coordinates out.
class Enumeration {
public:
    explicit Enumeration(const ir::LayoutMap& map) : map_(map) {}

    struct Collision {
        Point first, second, place;
    };
    // The largest thread that holds an element, and the element; empty without threads, or if it cannot be enumerated.
    struct Holder {
        std::int64_t thread = -1;
        Point element;
    };
    std::optional<Holder> lastThread()
    {
        if (!map_.thread || (programs_.empty() && !prepare()))
            return {};
        Holder last;
        for (std::int64_t n = 0; n < points_; ++n) {
            const auto place = placeOf(n);
            if (!place)
                return {};
            if ((*place)[0] > last.thread)
                last = {(*place)[0], coordinates(n / map_.replicate)};
        }
        return last;
    }

    // Empty if the layout is injective, or if it cannot be enumerated.
    std::optional<Collision> collision()
    {
        if (programs_.empty() && !prepare())
            return {};
        std::vector<std::pair<Point, std::int64_t>> places;  // place -> element
        places.reserve(static_cast<std::size_t>(points_));
        for (std::int64_t n = 0; n < points_; ++n) {
            auto place = placeOf(n);
            if (!place)
                return {};
            places.emplace_back(*std::move(place), n / map_.replicate);
        }
        std::sort(places.begin(), places.end());
        for (std::size_t i = 1; i < places.size(); ++i)
            if (places[i].first == places[i - 1].first && places[i].second != places[i - 1].second)
                return Collision{coordinates(places[i - 1].second), coordinates(places[i].second), places[i].first};
        return {};
    }

private:
    bool prepare()
    {
        std::vector<const ir::ExprNode*> vars;
        points_ = map_.replicate;
        for (std::size_t i = 0; i < map_.vars.size(); ++i) {
            vars.push_back(map_.vars[i].get());
            if (map_.shape[i] <= 0 || points_ > kMaxPoints / map_.shape[i])
                return false;
            points_ *= map_.shape[i];
        }
        if (map_.replicateVar)
            vars.push_back(map_.replicateVar.get());
        std::vector<ir::Expr> outputs = map_.index;
        if (map_.thread)
            outputs.insert(outputs.begin(), map_.thread);
        for (const ir::Expr& output : outputs) {
            auto program = arith::Evaluation::compile(output, vars);
            if (!program)
                return false;
            programs_.push_back(*std::move(program));
        }
        return true;
    }

    Point coordinates(std::int64_t element) const
    {
        Point point(map_.shape.size());
        for (std::size_t i = point.size(); i-- > 0; element /= map_.shape[i])
            point[i] = element % map_.shape[i];
        return point;
    }

    std::optional<Point> placeOf(std::int64_t n)
    {
        Point inputs = coordinates(n / map_.replicate);
        inputs.push_back(n % map_.replicate);
        Point place(programs_.size());
        for (std::size_t i = 0; i < programs_.size(); ++i) {
            const auto value = programs_[i].run(inputs);
            if (!value)
                return {};
            place[i] = *value;
        }
        return place;
    }

    const ir::LayoutMap& map_;
    std::int64_t points_ = 0;
    std::vector<arith::Evaluation> programs_;
};

class LayoutWalk final : public Walk {
public:
    explicit LayoutWalk(const CheckContext& context) : context_(context) {}

    using Walk::visit;
    void visit(const ir::OpCall& call) override
    {
        if (call.op == ir::OpId::kAnnotateLayout && call.operands.size() == 2) {
            const auto* buffer = std::get_if<ir::Region>(&call.operands[0]);
            const auto* map = std::get_if<Ref<const ir::LayoutMap>>(&call.operands[1]);
            if (buffer && map && *map)
                check(**map, fmt::format("the layout of {}", buffer->buffer->name), statement()->where.range);
        }
        Walk::visit(call);
    }

protected:
    void enter(const ir::Stmt& s) override
    {
        if (const auto* loop = ir::as<ir::For>(s); loop && loop->layout)
            check(*loop->layout, "the layout of this loop", s->where.range);
    }

private:
    void check(const ir::LayoutMap& map, const std::string& what, const SourceRange& range)
    {
        Enumeration places(map);
        checkThreads(places, what, range);
        const auto collision = places.collision();
        if (!collision)
            return;
        context_.diagnostics.error(
            Code::kLayout, range,
            fmt::format("{} is not injective: elements {} and {} share the place {}; every element needs a place of its own", what,
                        text(collision->first), text(collision->second), text(collision->place)));
    }

    void checkThreads(Enumeration& places, const std::string& what, const SourceRange& range)
    {
        if (!launch())
            return;
        const std::int64_t threads = launch()->threads[0] * launch()->threads[1] * launch()->threads[2];
        const auto last = places.lastThread();
        if (last && last->thread >= threads)
            context_.diagnostics.error(Code::kLayout, range,
                                       fmt::format("{} puts element {} into thread {}, but a block has {} threads", what, text(last->element),
                                                   last->thread, threads));
    }

    const CheckContext& context_;
};

}  // namespace

void checkLayouts(const CheckContext& context)
{
    LayoutWalk walk(context);
    ir::Visitor& visitor = walk;
    visitor.visit(context.function.body);
}

}  // namespace tw::analysis

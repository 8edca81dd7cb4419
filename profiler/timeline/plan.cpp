#include "profiler/timeline/plan.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/passes/record_stages.h"
#include "profiler/timeline/spans.h"
#include "profiler/timeline/weave.h"
#include "profiler/timeline/work.h"

namespace tw::timeline {

namespace {

class Planner {
public:
    Planner(const driver::RecordedProgram& recorded, const target::Target& target, const Machine& machine, const PlanOptions& options)
        : recorded_(recorded), target_(target), options_(options), machine_(machine)
    {
        for (const ir::Var& symbol : recorded.function->symbols)
            bind(symbol);
        for (const ir::Param& param : recorded.function->params)
            if (const auto* var = std::get_if<ir::Var>(&param.value))
                bind(*var);
        out_.timeline.origin = capture::Origin::kModelled;
        out_.timeline.clockMHz = machine.rates.clockMHz;
    }

    tl::expected<Plan, std::string> run()
    {
        host(recorded_.function->body);
        if (!problem_.empty())
            return tl::unexpected(problem_);
        if (out_.timeline.tracks.empty())
            return tl::unexpected(std::string("no launch of this kernel makes stage records"));
        return std::move(out_);
    }

private:
    void bind(const ir::Var& var)
    {
        if (const auto found = options_.values.find(var->name); found != options_.values.end() && var->dtype.isInteger())
            values_[var.get()] = ir::intImm(found->second, var->dtype);
    }

    void host(const ir::Stmt& s)
    {
        if (const auto* seq = ir::as<ir::Seq>(s))
            for (const ir::Stmt& child : seq->stmts)
                host(child);
        else if (const auto* b = ir::as<ir::Bind>(s))
            values_[b->var.get()] = ir::substitute(b->value, values_);
        else if (const auto* branch = ir::as<ir::If>(s)) {
            const std::int64_t* holds = ir::asInt(ir::substitute(branch->condition, values_));
            const std::size_t number = launch_;
            host(!holds || *holds ? branch->then : branch->otherwise);
            launch_ = number + launchesIn(branch->then) + launchesIn(branch->otherwise);
        } else if (const auto* l = ir::as<ir::Launch>(s))
            launch(*l);
    }

    static std::size_t launchesIn(const ir::Stmt& s)
    {
        struct Counter final : ir::Visitor {
            std::size_t n = 0;
            using ir::Visitor::visit;
            void visit(const ir::Stmt& x) override
            {
                n += ir::as<ir::Launch>(x) ? 1 : 0;
                ir::Visitor::visit(x);
            }
        } counter;
        counter.visit(s);
        return counter.n;
    }

    void launch(const ir::Launch& l)
    {
        const std::size_t number = launch_++;
        const auto table = std::ranges::find(recorded_.records, static_cast<int>(number), &gpu::StageRecords::launch);
        if (table == recorded_.records.end() || !problem_.empty())
            return;
        std::vector<std::int64_t> grid;
        for (const ir::Expr& extent : l.grid) {
            const std::int64_t* n = ir::asInt(ir::substitute(extent, values_));
            if (!n) {
                problem_ = "the grid depends on extents that were not given";
                return;
            }
            grid.push_back(*n);
        }
        const double start = end_;
        const std::int64_t blocks = std::accumulate(grid.begin(), grid.end(), std::int64_t{1}, std::multiplies{});
        for (const std::int64_t index : options_.blocks.empty() ? passes::spreadBlocks(table->spread, blocks) : options_.blocks)
            block(l, *table, grid, index, start);
    }

    void block(const ir::Launch& l, const gpu::StageRecords& table, const std::vector<std::int64_t>& grid, std::int64_t index, double start)
    {
        Values values = values_;
        std::int64_t rest = index;
        for (std::size_t axis = 0; axis < grid.size(); ++axis) {
            if (axis < l.blockVars.size() && l.blockVars[axis])
                values[l.blockVars[axis].get()] = ir::intImm(grid[axis] > 0 ? rest % grid[axis] : 0, l.blockVars[axis]->dtype);
            rest = grid[axis] > 0 ? rest / grid[axis] : 1;
        }
        if (rest != 0) {
            out_.remarks.push_back(fmt::format("launch {} has no block {}", table.launch, index));
            return;
        }
        const std::vector<RoleWork> work = workOf(l, table, values, machine_, options_.steps, out_.remarks);
        const Woven woven = weave(work, l.threads[0] * l.threads[1] * l.threads[2], machine_);
        const auto number = static_cast<std::size_t>(table.launch);
        const sim::LaunchPlace place = number < options_.launches.size() ? options_.launches[number] : sim::LaunchPlace{};
        const sim::Hardware hardware{machine_.rates, machine_.pipes, target_.multiprocessors, std::max(1, place.resident), std::clamp(place.missShare, 0.0, 1.0)};
        const sim::Replayed times = sim::replay(woven.trace, hardware);
        if (woven.isStuck || times.isStuck)
            out_.remarks.push_back(fmt::format("launch {}, block {}: in the model its roles wait for each other for ever; shown as far as they came", table.launch, index));
        if (times.tensorShare > 0)
            out_.timeline.clockMHz = std::min(machine_.pipes.productMHz, machine_.rates.clockMHz);
        for (std::size_t role = 0; role < work.size(); ++role)
            if (const auto warp = static_cast<std::size_t>(work[role].leader / 32); warp < times.warps.size())
                track(table, role, index, times.warps[warp], start);
    }

    void track(const gpu::StageRecords& table, std::size_t role, std::int64_t block, const sim::ReplayedWarp& done, double start)
    {
        const double ns = 1000 / out_.timeline.clockMHz;
        end_ = std::max(end_, start + done.end * ns);
        std::vector<Moment> moments;
        for (const sim::Mark& mark : done.marks)
            moments.push_back({mark.event, start + mark.clock * ns});
        addTrack(out_.timeline, table, role, block, moments, start + done.end * ns);
    }

    const driver::RecordedProgram& recorded_;
    const target::Target& target_;
    const PlanOptions& options_;
    Machine machine_;
    Values values_;
    std::size_t launch_ = 0;
    double end_ = 0;
    std::string problem_;
    Plan out_;
};

}  // namespace

tl::expected<Plan, std::string> plan(const driver::RecordedProgram& recorded, const target::Target& target, const PlanOptions& options)
{
    const target::Rates* rates = target::ratesOf(target);
    const target::Pipes* pipes = target::pipesOf(target);
    if (!rates || !pipes)
        return tl::unexpected(fmt::format("not supported: a planned timeline of {}, whose latencies are not known", target.name));
    return Planner(recorded, target, {*rates, *pipes}, options).run();
}

}  // namespace tw::timeline

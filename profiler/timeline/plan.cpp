#include "profiler/timeline/plan.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/passes/record_stages.h"
#include "profiler/timeline/spans.h"

namespace tw::timeline {

namespace {

// One block on one multiprocessor, in cycles.
class Multiprocessor {
public:
    Multiprocessor(const std::vector<RoleWork>& roles, const Rates& rates) : work_(roles), rates_(rates), roles_(roles.size()) {}

    struct Mark {
        int event = 0;
        double at = 0;
    };
    struct Role {
        std::size_t next = 0;
        double now = 0;
        double pending = 0;              // when the copies since the last commit are there
        std::deque<double> groups;       // when each committed group is there
        std::vector<Mark> marks;
        bool blocked = false;
    };

    // False if roles wait for each other for ever.
    bool run()
    {
        while (true) {
            Role* next = nullptr;
            bool isDone = true;
            for (std::size_t i = 0; i < roles_.size(); ++i) {
                isDone = isDone && roles_[i].next == work_[i].steps.size();
                if (!roles_[i].blocked && roles_[i].next < work_[i].steps.size() && (!next || roles_[i].now < next->now))
                    next = &roles_[i];
            }
            if (isDone || !next)
                return isDone;
            const auto index = static_cast<std::size_t>(next - roles_.data());
            step(*next, work_[index].steps[next->next], work_[index].threads);
        }
    }
    const std::vector<Role>& roles() const { return roles_; }

private:
    struct Barrier {
        std::int64_t expected = 1, arrived = 0, completed = 0;
        double ready = 0, bytes = 0;  // when the phase at work has all its arrivals; and its bulk copies
        std::deque<double> phases;    // when each phase completed
    };
    struct Meeting {
        std::int64_t arrived = 0;
        double at = 0;
        std::vector<Role*> waiting;
    };

    // When bytes that are asked for now have come.
    double transfer(double now, double bytes)
    {
        memoryFree_ = std::max(memoryFree_, now) + bytes / rates_.globalBytes;
        return memoryFree_ + rates_.globalLatency;
    }

    void wake()
    {
        for (Role& r : roles_)
            r.blocked = std::ranges::find(parked_, &r) != parked_.end();
    }

    void step(Role& r, const Step& s, std::int64_t threads)
    {
        switch (s.kind) {
        case StepKind::kRecord: r.marks.push_back({s.id, r.now}); break;
        case StepKind::kWork: work(r, s.cost); break;
        case StepKind::kCommit:
            r.groups.push_back(std::exchange(r.pending, 0));
            break;
        case StepKind::kWaitGroups:
            while (static_cast<std::int64_t>(r.groups.size()) > s.count) {
                r.now = std::max(r.now, r.groups.front());
                r.groups.pop_front();
            }
            break;
        case StepKind::kBulk: barriers_[s.id].bytes = std::max(barriers_[s.id].bytes, transfer(r.now, s.cost.copied)); break;
        case StepKind::kInit: barriers_[s.id].expected = s.count; break;
        case StepKind::kArrive: arrive(barriers_[s.id], s.count, r.now); break;
        case StepKind::kWait: {
            Barrier& b = barriers_[s.id];
            if ((b.completed & 1) == s.count) {  // the phase of this parity is still at work
                r.blocked = true;
                return;
            }
            if (b.completed > 0)
                r.now = std::max(r.now, b.phases.back());
            break;
        }
        case StepKind::kMeet: meet(r, s, threads); break;
        }
        ++r.next;
    }

    void work(Role& r, const Cost& cost)
    {
        if (cost.tensor > 0) {
            const double start = std::max(r.now, tensorFree_);
            tensorFree_ = start + cost.tensor;
            r.now = start;
        }
        r.now += std::max({cost.tensor, cost.lanes, cost.shared});
        if (cost.copied > 0)
            r.pending = std::max(r.pending, transfer(r.now, cost.copied));
        if (cost.written > 0)
            (void)transfer(r.now, cost.written);
        if (cost.read > 0)
            r.now = transfer(r.now, cost.read);
    }

    void arrive(Barrier& b, std::int64_t count, double now)
    {
        b.ready = std::max(b.ready, now);
        b.arrived += count;
        if (b.arrived < b.expected)
            return;
        b.arrived -= b.expected;
        ++b.completed;
        b.phases = {std::max(b.ready, b.bytes)};
        b.ready = b.bytes = 0;
        wake();
    }

    // The role goes on behind the meeting when the last one has come; those before it are blocked on it until then.
    void meet(Role& r, const Step& s, std::int64_t threads)
    {
        Meeting& m = meetings_[s.id];
        m.arrived += threads;
        m.at = std::max(m.at, r.now);
        m.waiting.push_back(&r);
        if (m.arrived < s.count && m.waiting.size() < roles_.size()) {
            r.blocked = true;
            parked_.push_back(&r);
            return;
        }
        for (Role* other : m.waiting) {
            other->now = m.at;
            other->blocked = false;
            std::erase(parked_, other);
        }
        m = {};
    }

    const std::vector<RoleWork>& work_;
    const Rates& rates_;
    std::vector<Role> roles_;
    std::map<int, Barrier> barriers_;
    std::map<int, Meeting> meetings_;
    std::vector<Role*> parked_;  // at meetings
    double memoryFree_ = 0, tensorFree_ = 0;
};

class Planner {
public:
    Planner(const driver::RecordedProgram& recorded, const target::Target& target, const PlanOptions& options)
        : recorded_(recorded), options_(options), rates_(cycleRates(target))
    {
        for (const ir::Var& symbol : recorded.function->symbols)
            bind(symbol);
        for (const ir::Param& param : recorded.function->params)
            if (const auto* var = std::get_if<ir::Var>(&param.value))
                bind(*var);
        out_.timeline.origin = capture::Origin::kModelled;
        out_.timeline.clockMHz = rates_.clockMHz;
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
        const std::vector<RoleWork> work = workOf(l, table, values, rates_, options_.steps, out_.remarks);
        Multiprocessor sm(work, rates_);
        if (!sm.run())
            out_.remarks.push_back(fmt::format("launch {}, block {}: in the model its roles wait for each other for ever; shown as far as they came", table.launch, index));
        for (std::size_t i = 0; i < work.size(); ++i)
            track(table, i, index, sm.roles()[i], start);
    }

    void track(const gpu::StageRecords& table, std::size_t role, std::int64_t block, const Multiprocessor::Role& done, double start)
    {
        const double ns = 1000 / rates_.clockMHz;
        end_ = std::max(end_, start + done.now * ns);
        std::vector<Moment> moments;
        for (const Multiprocessor::Mark& mark : done.marks)
            moments.push_back({mark.event, start + mark.at * ns});
        addTrack(out_.timeline, table, role, block, moments, start + done.now * ns);
    }

    const driver::RecordedProgram& recorded_;
    const PlanOptions& options_;
    Rates rates_;
    Values values_;
    std::size_t launch_ = 0;
    double end_ = 0;
    std::string problem_;
    Plan out_;
};

}  // namespace

tl::expected<Plan, std::string> plan(const driver::RecordedProgram& recorded, const target::Target& target, const PlanOptions& options)
{
    return Planner(recorded, target, options).run();
}

}  // namespace tw::timeline

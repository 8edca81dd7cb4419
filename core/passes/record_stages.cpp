#include "core/passes/record_stages.h"

#include <algorithm>

#include "core/analysis/thread_set.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/passes/hardware.h"
#include "core/passes/stage_events.h"
#include "core/passes/warp_roles.h"

namespace tw::passes {

using ir::as;
using ir::Stmt;

namespace {

constexpr int kFinish = 0;  // the event by which a role ends
constexpr int kNone = -1;   // what the role does is not known here

Stmt record(int event, const ir::Provenance& where)
{
    return std::make_shared<ir::OpStmt>(ir::OpCall{ir::OpId::kStageRecord, {ir::intImm(event)}, {}}, where);
}

// A row of the launch's table. `place` tells stages apart that one iteration comes to several times; `reset` is 0 or the depth
// of the loop whose iterations it marks.
struct Row {
    StageEvent event;
    int place = 0, reset = 0;
    bool operator==(const Row&) const = default;
};

class LaunchRecorder {
public:
    LaunchRecorder(const ir::Launch& launch, const RecordOptions& options, int residentBlocks)
        : launch_(launch), options_(options), residentBlocks_(residentBlocks), roles_(warpRoles(launch)), events_(launch), threads_(launch)
    {
    }

    Stmt run()
    {
        auto out = std::make_shared<ir::Launch>(launch_);
        Returns returns;
        out->body = ir::sequence({returns.rewrite(statement(launch_.body)), record(kFinish, launch_.where)});
        describe(out->attrs);
        return out;
    }

private:
    struct Returns final : ir::Rewriter {
        using ir::Rewriter::rewrite;
        Stmt rewrite(const Stmt& s) override { return as<ir::Return>(s) ? ir::sequence({record(kFinish, s->where), s}) : rewriteChildren(s); }
    };

    void describe(ir::Attrs& attrs) const
    {
        std::vector<std::string> roles, kinds;
        std::vector<std::int64_t> leaders;
        for (const WarpRole& role : roles_) {
            roles.push_back(role.name);
            leaders.push_back(role.firstWarp * kWarpSize);
        }
        for (const Row& row : rows_)
            kinds.emplace_back(stageKindName(row.event.kind));
        if (residentBlocks_ > 0)
            attrs.try_emplace("min_blocks_per_sm", std::int64_t{residentBlocks_});
        attrs["record_capacity"] = options_.capacity;
        if (options_.blocks.empty())
            attrs["record_spread"] = std::int64_t{options_.spread};
        else
            attrs["record_blocks"] = options_.blocks;
        attrs["record_roles"] = std::move(roles);
        attrs["record_leaders"] = std::move(leaders);
        attrs["record_kinds"] = std::move(kinds);
        attrs["record_depths"] = depths_;
    }

    // `s` with its records.
    Stmt statement(const Stmt& s)
    {
        if (const auto* bind = as<ir::Bind>(s))
            lets_[bind->var.get()] = ir::substitute(bind->value, lets_);
        const std::set<StageEvent>& below = events_.below(s);
        if (below.empty())
            return s;
        if (below.size() == 1 || !isDivided(s))
            return marked(*below.begin(), s);
        if (const auto* seq = as<ir::Seq>(s))
            return sequence(*seq);
        if (const auto* branch = as<ir::If>(s))
            return ifElse(*branch);
        if (const auto* loop = as<ir::For>(s)) {
            auto next = std::make_shared<ir::For>(*loop);
            next->body = body(loop->body);
            return next;
        }
        auto next = std::make_shared<ir::While>(*as<ir::While>(s));
        next->body = body(next->body);
        return next;
    }

    // Whether records may stand inside. Iterations of a nest and lanes of a vectorized loop are one piece of work, and a branch
    // that no leading thread takes has nobody who records.
    bool isDivided(const Stmt& s) const
    {
        if (const auto* loop = as<ir::For>(s))
            return loop->loop != ir::ForKind::kVectorized && !loop->attrs.contains("nest");
        const auto* branch = as<ir::If>(s);
        return !branch || leads(within(*branch, true)) || leads(within(*branch, false));
    }
    bool isRecordedLoop(const Stmt& s)
    {
        return (as<ir::For>(s) || as<ir::While>(s)) && events_.below(s).size() > 1 && isDivided(s);
    }

    analysis::ThreadSet within(const ir::If& branch, bool holds) const
    {
        analysis::ThreadSet threads = threads_;
        threads.restrictTo(ir::substitute(branch.condition, lets_), holds);
        return threads;
    }
    bool leads(const analysis::ThreadSet& threads) const
    {
        return std::ranges::any_of(roles_, [&](const WarpRole& r) { return threads.contains(r.firstWarp * kWarpSize); });
    }

    Stmt marked(StageEvent event, const Stmt& s)
    {
        if (isEpilogue_ && (event.kind == StageKind::kCompute || event.kind == StageKind::kCopy || event.kind == StageKind::kReduce ||
                            event.kind == StageKind::kStore || (event.kind == StageKind::kIssue && events_.writesGlobal(event.op))))
            event.kind = StageKind::kEpilogue;
        const bool isInner = inner_.contains(event);
        Row row{event, 0, 0};
        if (depth_ == 0)
            row.place = event.kind == StageKind::kWait ? -1 : 0;
        else if (!isInner || event.kind == StageKind::kWait)
            row.place = isInner ? -1 : seen_[event];
        if (state_ != kNone && goesOn(rows_[static_cast<std::size_t>(state_)], event, s))
            return s;
        if (depth_ > 0 && !isInner)
            ++seen_[event];
        state_ = number(row);
        return ir::sequence({record(state_ + 1, s->where), s});
    }

    // Nothing may stand between the start of an asynchronous product and the wait for it.
    static bool goesOn(const Row& state, const StageEvent& event, const Stmt& s)
    {
        const auto* op = as<ir::OpStmt>(s);
        const bool isWait = op && (op->call.op == ir::OpId::kWaitWgmma || op->call.op == ir::OpId::kWarpgroupWait);
        return state.reset == 0 && (state.event == event || (isWait && state.event.kind == StageKind::kTensor));
    }

    int number(const Row& row)
    {
        const auto found = std::ranges::find(rows_, row);
        const auto index = static_cast<std::size_t>(found - rows_.begin());
        if (found == rows_.end()) {
            rows_.push_back(row);
            depths_.push_back(row.reset > 0 ? -row.reset : 0);
        }
        if (row.reset == 0)
            depths_[index] = std::max<std::int64_t>(depths_[index], depth_);
        return static_cast<int>(index);
    }

    Stmt sequence(const ir::Seq& seq)
    {
        const std::set<StageEvent> outerInner = inner_;
        const bool outerEpilogue = isEpilogue_;
        for (const Stmt& child : seq.stmts)
            if (isRecordedLoop(child))
                inner_.insert(events_.below(child).begin(), events_.below(child).end());
        std::vector<Stmt> out;
        for (const Stmt& child : seq.stmts) {
            out.push_back(statement(child));
            const std::set<StageEvent>& below = events_.below(child);
            isEpilogue_ = isEpilogue_ || (isRecordedLoop(child) && std::ranges::any_of(below, [](const StageEvent& e) { return e.kind == StageKind::kTensor; }));
        }
        inner_ = outerInner;
        isEpilogue_ = outerEpilogue;
        return ir::sequence(std::move(out));
    }

    Stmt ifElse(const ir::If& branch)
    {
        const analysis::ThreadSet outer = threads_;
        const std::map<StageEvent, int> before = seen_;
        const int state = state_;
        threads_ = within(branch, true);
        const Stmt then = statement(branch.then);
        const std::map<StageEvent, int> after = std::exchange(seen_, before);
        threads_ = outer;
        state_ = state;
        Stmt otherwise;
        if (branch.otherwise) {
            threads_ = within(branch, false);
            otherwise = statement(branch.otherwise);
            threads_ = outer;
        }
        for (const auto& [event, places] : after)
            seen_[event] = std::max(seen_[event], places);
        state_ = kNone;
        return std::make_shared<ir::If>(branch.condition, then, otherwise, branch.where);
    }

    // The body of a loop with several stages.
    Stmt body(const Stmt& s)
    {
        const std::map<StageEvent, int> outerSeen = std::exchange(seen_, {});
        const std::set<StageEvent> outerInner = std::exchange(inner_, {});
        const bool outerEpilogue = std::exchange(isEpilogue_, false);
        ++depth_;
        state_ = kNone;
        std::vector<Stmt> out;
        if (holdsRecordedLoop(s)) {
            state_ = number({{StageKind::kSetup, s->where.op}, 0, depth_});
            out.push_back(record(state_ + 1, s->where));
        }
        out.push_back(statement(s));
        --depth_;
        state_ = kNone;
        seen_ = outerSeen;
        inner_ = outerInner;
        isEpilogue_ = outerEpilogue;
        return ir::sequence(std::move(out));
    }

    bool holdsRecordedLoop(const Stmt& s)
    {
        if (const auto* seq = as<ir::Seq>(s))
            return std::ranges::any_of(seq->stmts, [&](const Stmt& child) { return holdsRecordedLoop(child); });
        if (const auto* branch = as<ir::If>(s))
            return holdsRecordedLoop(branch->then) || (branch->otherwise && holdsRecordedLoop(branch->otherwise));
        return isRecordedLoop(s);
    }

    const ir::Launch& launch_;
    const RecordOptions& options_;
    int residentBlocks_;
    std::vector<WarpRole> roles_;
    StageEvents events_;
    std::vector<Row> rows_;
    std::vector<std::int64_t> depths_;  // of the rows
    // Where it stands.
    analysis::ThreadSet threads_;
    std::map<const ir::ExprNode*, ir::Expr> lets_;
    std::map<StageEvent, int> seen_;   // times that this iteration came to the stage
    std::set<StageEvent> inner_;       // stages of loops beside this place: here they work ahead of or behind the loop
    int depth_ = 0, state_ = kNone;    // loops around; the row that the role is in
    bool isEpilogue_ = false;
};

class FunctionRecorder final : public ir::Rewriter {
public:
    explicit FunctionRecorder(const RecordOptions& options) : options_(options) {}
    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        const auto* launch = as<ir::Launch>(s);
        if (!launch)
            return rewriteChildren(s);
        const auto number = static_cast<std::size_t>(next_++);
        if (launch->attrs.contains("source"))
            return s;
        const int blocks = number < options_.residentBlocks.size() ? options_.residentBlocks[number] : 0;
        return LaunchRecorder(*launch, options_, blocks).run();
    }

private:
    int next_ = 0;
    const RecordOptions& options_;
};

}  // namespace

std::vector<std::int64_t> spreadBlocks(int count, std::int64_t blocks)
{
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < count && blocks > 0; ++i)
        if (const std::int64_t block = (blocks - 1) * (i + 1) / (count + 2); out.empty() || out.back() != block)
            out.push_back(block);
    return out;
}

ir::Function recordStages(const ir::Function& in, const RecordOptions& options)
{
    ir::Function out = in;
    out.body = FunctionRecorder(options).rewrite(in.body);
    return out;
}

}  // namespace tw::passes

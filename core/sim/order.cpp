#include "core/sim/order.h"

#include <algorithm>

namespace tw::sim {

using interp::Meeting;

namespace {

void join(Clock& into, const Clock& from)
{
    for (std::size_t k = 0; k < into.size(); ++k)
        into[k] = std::max(into[k], from[k]);
}

// Joins of few different clocks with one: threads that met before share theirs.
class Joiner {
public:
    explicit Joiner(const ClockRef& with) : with_(with) {}
    ClockRef operator()(const ClockRef& clock)
    {
        for (const auto& [from, to] : done_)
            if (from == clock)
                return to;
        ClockRef result = with_;
        for (std::size_t k = 0; k < clock->size(); ++k)
            if ((*clock)[k] > (*with_)[k]) {
                auto joined = std::make_shared<Clock>(*clock);
                join(*joined, *with_);
                result = std::move(joined);
                break;
            }
        done_.emplace_back(clock, result);
        return result;
    }

private:
    ClockRef with_;
    std::vector<std::pair<ClockRef, ClockRef>> done_;
};

// Each clock once.
class Once {
public:
    bool operator()(const ClockRef& clock)
    {
        for (const Clock* seen : seen_)
            if (seen == clock.get())
                return false;
        seen_.push_back(clock.get());
        return true;
    }

private:
    std::vector<const Clock*> seen_;
};

}  // namespace

Agents::Agents(const interp::LaunchShape& shape) : blocks_(std::max(1, shape.blocksTogether))
{
    const int counts[6] = {shape.threads,
                           shape.usesCpAsync ? shape.threads : 0,
                           shape.usesBulk ? shape.threads : 0,
                           shape.usesBulk ? shape.threads : 0,
                           shape.usesWgmma ? (shape.threads + 127) / 128 : 0,
                           shape.barriers};
    for (int k = 0; k < 6; ++k)
        first_[k + 1] = first_[k] + counts[k];
    perBlock_ = first_[6];
}

Agents::Name Agents::name(std::uint32_t agent) const
{
    const int rank = static_cast<int>(agent) / perBlock_;
    const int within = static_cast<int>(agent) % perBlock_;
    int kind = 0;
    while (within >= first_[kind + 1])
        ++kind;
    return {rank, static_cast<AgentKind>(kind), within - first_[kind]};
}

Order::Order(const interp::LaunchShape& shape, const Agents& agents)
    : agents_(agents), perBlock_(shape.threads), fences_(shape.usesBulk || shape.usesWgmma)
{
    const auto nothing = std::make_shared<const Clock>(agents.count(), 0U);
    const int blocks = std::max(1, shape.blocksTogether);
    threads_.resize(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(perBlock_));
    for (int rank = 0; rank < blocks; ++rank)
        for (int t = 0; t < perBlock_; ++t) {
            Thread& x = threadAt(rank, t);
            x.known = x.fenced = nothing;
            const bool uses[kOwn] = {true, shape.usesCpAsync, shape.usesBulk, shape.usesBulk, shape.usesWgmma};
            for (std::size_t k = 0; k < kOwn; ++k) {
                const auto kind = static_cast<AgentKind>(k);
                x.agent[k] = uses[k] ? agents.of(rank, kind, kind == AgentKind::kWgmma ? t / 128 : t) : UINT32_MAX;
            }
        }
}

Order::Engine& Order::engineAt(int rank, int thread, AgentKind kind) { return engines_[threadAt(rank, thread).agent[static_cast<std::size_t>(kind)]]; }

Order::State& Order::stateOf(const Meeting& meeting)
{
    State& state = meetings_[meeting];
    if (!state.public_) {
        state.known.assign(agents_.count(), 0);
        state.public_ = std::make_shared<const Clock>(state.known);
        if (fences_)
            state.fenced.assign(agents_.count(), 0);
        state.publicFenced = state.public_;
    }
    return state;
}

std::uint32_t Order::start(int rank, int thread, AgentKind kind) { return ++engineAt(rank, thread, kind).started; }

std::uint32_t Order::arrival(int rank, int barrier) const
{
    const auto found = phases_.find({rank, barrier});
    return found == phases_.end() ? 1 : found->second + 1;
}

bool Order::knows(int rank, int thread, std::uint32_t agent, std::uint32_t epoch) const
{
    const Thread& x = threadAt(rank, thread);
    for (std::size_t k = 0; k < kOwn; ++k)
        if (x.agent[k] == agent)
            return x.own[k] >= epoch;
    return (*x.known)[agent] >= epoch;
}

bool Order::knowsFenced(int rank, int thread, std::uint32_t agent, std::uint32_t epoch) const
{
    const Thread& x = threadAt(rank, thread);
    for (std::size_t k = 0; k < 2; ++k)
        if (x.agent[k] == agent)
            return x.ownFenced[k] >= epoch;
    return (*x.fenced)[agent] >= epoch;
}

void Order::release(const Meeting& meeting, int rank, std::span<const int> threads)
{
    State& state = stateOf(meeting);
    Once known;
    Once fenced;
    for (const int t : threads) {
        Thread& x = threadAt(rank, t);
        if (known(x.known))
            join(state.known, *x.known);
        if (fences_ && fenced(x.fenced))
            join(state.fenced, *x.fenced);
        for (std::size_t k = 0; k < kOwn; ++k)
            if (x.agent[k] != UINT32_MAX)
                state.known[x.agent[k]] = std::max(state.known[x.agent[k]], x.own[k]);
        for (std::size_t k = 0; fences_ && k < 2; ++k)
            if (x.agent[k] != UINT32_MAX)
                state.fenced[x.agent[k]] = std::max(state.fenced[x.agent[k]], x.ownFenced[k]);
        ++x.own[0];
    }
}

void Order::releaseCopies(const Meeting& meeting, int rank, std::span<const int> threads)
{
    State& state = stateOf(meeting);
    for (const int t : threads) {
        const std::uint32_t agent = threadAt(rank, t).agent[static_cast<std::size_t>(AgentKind::kCopies)];
        if (agent != UINT32_MAX)
            state.known[agent] = std::max(state.known[agent], engineAt(rank, t, AgentKind::kCopies).started);
    }
}

void Order::completes(const Meeting& meeting, int rank)
{
    State& state = stateOf(meeting);
    if (meeting.kind == Meeting::Kind::kBarrier)
        state.known[agents_.of(rank, AgentKind::kBarrier, meeting.index)] = ++phases_[{rank, meeting.index}];
    state.public_ = std::make_shared<const Clock>(state.known);
    if (fences_)
        state.publicFenced = std::make_shared<const Clock>(state.fenced);
}

void Order::acquire(const Meeting& meeting, int rank, std::span<const int> threads)
{
    const State& state = stateOf(meeting);
    Joiner known(state.public_);
    Joiner fenced(state.publicFenced);
    for (const int t : threads) {
        Thread& x = threadAt(rank, t);
        x.known = known(x.known);
        if (fences_)
            x.fenced = fenced(x.fenced);
        // Another thread may have waited for what one of these engines did.
        for (std::size_t k = 1; k < kOwn; ++k)
            if (x.agent[k] != UINT32_MAX)
                x.own[k] = std::max(x.own[k], (*x.known)[x.agent[k]]);
    }
}

void Order::commits(AgentKind kind, int rank, std::span<const int> threads)
{
    int group = -1;
    for (const int t : threads) {
        if (kind == AgentKind::kWgmma && t / 128 == group)
            continue;  // once for the warp group
        group = t / 128;
        Engine& engine = engineAt(rank, t, kind);
        engine.groups.push_back(engine.started);
    }
}

void Order::waits(AgentKind kind, std::int64_t pending, int rank, std::span<const int> threads)
{
    for (const int t : threads) {
        const std::vector<std::uint32_t>& groups = engineAt(rank, t, kind).groups;
        const auto left = static_cast<std::size_t>(std::max<std::int64_t>(0, pending));
        if (groups.size() <= left)
            continue;
        std::uint32_t& own = threadAt(rank, t).own[static_cast<std::size_t>(kind)];
        own = std::max(own, groups[groups.size() - 1 - left]);
    }
}

void Order::fences(int rank, std::span<const int> threads)
{
    if (!fences_)
        return;
    std::vector<std::pair<std::pair<ClockRef, ClockRef>, ClockRef>> done;
    for (const int t : threads) {
        Thread& x = threadAt(rank, t);
        const std::pair key(x.known, x.fenced);
        const auto found = std::find_if(done.begin(), done.end(), [&](const auto& d) { return d.first == key; });
        if (found == done.end()) {
            x.fenced = Joiner(x.known)(x.fenced);
            done.emplace_back(key, x.fenced);
        } else {
            x.fenced = found->second;
        }
        for (std::size_t k = 0; k < 2; ++k)
            x.ownFenced[k] = x.own[k];
        ++x.own[0];
    }
}

}  // namespace tw::sim

// The walk of insertBarriers over one launch.
#pragma once

#include <algorithm>
#include <unordered_map>

#include "core/analysis/uniform.h"
#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"
#include "core/passes/barrier_placement.h"
#include "core/passes/barrier_reports.h"
#include "core/passes/barrier_state.h"
#include "core/passes/crew.h"
#include "core/passes/hazard_search.h"

namespace tw::passes {

// One launch.
class Inserter {
    using Expr = ir::Expr;
    using OpId = ir::OpId;
    using Stmt = ir::Stmt;

public:
    Inserter(const ir::Launch& launch, PassContext& context)
        : launch_(launch), uniformity_(launch), hazards_(launch, uniformity_), meetings_(launch),
          exchanged_(exchangedGlobals(launch)), proxies_(context.target.hasTma() && usesAsyncProxy(launch)), reports_(context)
    {
        crew_.threads = std::make_shared<const analysis::ThreadSet>(launch);
    }

    Stmt run() { return walk(launch_.body); }
    // Warnings: elements of tensors that threads read and others overwrite with nothing of the author's between.
    [[nodiscard]] const std::vector<Diagnostic>& overwrites() const { return reports_.overwrites(); }

private:
    static constexpr int kMostWalks = 8;  // of one loop, until what it leaves for its next iteration is stable
    using Out = BarrierPlacement::Out;

    Stmt walk(const Stmt& s)
    {
        if (!s)
            return s;
        Out out;
        placement_.forgetMeeting();
        const auto bindings = bindings_;
        const std::vector<Stmt> list = statements(s);
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (isRoles(list[i]))
                meetBeforeRoles(list, i, out);
            step(list[i], out);
        }
        bindings_ = bindings;
        placement_.forgetMeeting();
        return ir::sequence(std::move(out));
    }

    static std::vector<Stmt> statements(const Stmt& s)
    {
        const auto* seq = ir::as<ir::Seq>(s);
        return seq ? seq->stmts : std::vector<Stmt>{s};
    }

    void step(const Stmt& s, Out& out)
    {
        const bool compound = s->kind == ir::StmtKind::kFor || s->kind == ir::StmtKind::kWhile || s->kind == ir::StmtKind::kIf;
        if (compound && !isLeaf(s)) {
            if (const auto* branch = ir::as<ir::If>(s))
                return stepBranch(s, *branch, out);
            return stepLoop(s, out);
        }
        handle(eventsOf(s, place()), s, out);
        if (const auto* bind = ir::as<ir::Bind>(s); bind && bind->value->dtype.isInteger() && !ir::hasRuntimeValue(bind->value))
            bindings_[bind->var.get()] = expanded(bind->value, bindings_);
        if (const auto* op = ir::as<ir::OpStmt>(s))
            applyFence(op->call.op, s, out);
        out.push_back(s);
        switch (meetings_.of(s)) {
        case Meeting::kNone: return;
        case Meeting::kWarp: return state_.syncWarps();
        case Meeting::kAll:
            placement_.meetingAt(out, out.size() - 1);
            return state_.meet();
        }
    }

    [[nodiscard]] Place place() const { return {loops_, loopOps_, crew_.threads, &bindings_}; }

    // ---- straight code ----

    [[nodiscard]] bool concerns(const MemoryAccess& a) const
    {
        return a.storage->scope == ir::MemoryScope::kShared || exchanged_.contains(a.storage);
    }

    [[nodiscard]] std::vector<MemoryAccess> accessesIn(const std::vector<MemoryEvent>& events) const
    {
        std::vector<MemoryAccess> list;
        for (const MemoryEvent& e : events)
            if (e.wait == Engine::kNone && concerns(e.access))
                list.push_back(e.access);
        return list;
    }

    void handle(const std::vector<MemoryEvent>& events, const Stmt& s, Out& out)
    {
        const std::vector<MemoryAccess> now = accessesIn(events);
        const FoundHazard fence = unfencedBefore(now);
        if (const FoundHazard found = search_.find(state_.pending, now))
            separate(found, fence, now, s, out);
        else if (fence)
            fenceBehindMeeting(fence, s, out);
        for (const MemoryEvent& e : events)
            if (e.wait != Engine::kNone)
                state_.waited(e.wait, e.waitsForAll);
            else if (concerns(e.access))
                state_.note(e.access);
    }

    // ---- meetings ----

    // `now`: all that comes behind the meeting.
    void separate(const FoundHazard& found, const FoundHazard& fence, const std::vector<MemoryAccess>& now, const Stmt& s, Out& out)
    {
        if (reports_.isNewOverwrite(found) && !isOrderedByAuthor(now))
            reports_.overwrite(found);
        if (fence)
            pushFence(fence, s, out);
        if (found.worst == Hazard::kWarp && crew_.isWholeWarps()) {
            const std::size_t at = placement_.put(operationAt(OpId::kSyncWarp, {}, s), out);
            reports_.explain(out[at], *found.earlier, *found.later, true);
            return state_.syncWarps();
        }
        const Stmt meeting = crew_.meeting(meetings_, s->where);
        if (!meeting) {
            if (reports_.impossible(found, crew_.known))
                state_.meet();  // said once
            return;
        }
        reports_.explain(meeting, *found.earlier, *found.later, found.worst != Hazard::kUnknown);
        placement_.meetingAt(out, placement_.put(meeting, out));
        state_.meet();
    }

    // The language orders shared memory alone by itself: a barrier that is needed for a tensor only is missing in the author's text.
    [[nodiscard]] bool isOrderedByAuthor(const std::vector<MemoryAccess>& now) const
    {
        const auto shared = [](std::vector<MemoryAccess> list) {
            std::erase_if(list, [](const MemoryAccess& m) { return m.storage->scope != ir::MemoryScope::kShared; });
            return list;
        };
        const auto earlier = shared(state_.pending), later = shared(now);
        return static_cast<bool>(search_.find(earlier, later));
    }

    // ---- proxy fences ----

    // An ordinary write that an engine is about to touch.
    [[nodiscard]] FoundHazard unfencedBefore(const std::vector<MemoryAccess>& now) const
    {
        if (!proxies_)
            return {};
        for (const MemoryAccess& b : now) {
            if (b.storage->scope != ir::MemoryScope::kShared || !passes::usesAsyncProxy(b.engine))
                continue;
            for (const MemoryAccess& a : state_.unfenced)
                if (hazards_.mayOverlap(a, b))
                    return {Hazard::kBlock, &a, &b};
        }
        return {};
    }

    void pushFence(const FoundHazard& found, const Stmt& s, Out& out)
    {
        const std::size_t at = placement_.put(operationAt(OpId::kFenceProxyAsync, {}, s), out);
        reports_.explain(out[at], *found.earlier, *found.later, true);
        state_.unfenced.clear();
    }

    // The writers have met already: the fence belongs in front of that meeting. Else fence and meeting stand here.
    void fenceBehindMeeting(const FoundHazard& found, const Stmt& s, Out& out)
    {
        if (placement_.hasMeetingIn(out) && state_.pending.empty()) {
            const Stmt fence = operationAt(OpId::kFenceProxyAsync, {}, s);
            if (placement_.putFence(fence, out))
                reports_.explain(fence, *found.earlier, *found.later, true);
            return state_.unfenced.clear();
        }
        pushFence(found, s, out);
        if (const Stmt meeting = crew_.meeting(meetings_, s->where); meeting && crew_.threads->count() > 1)
            placement_.put(meeting, out);
        state_.meet();
    }

    // A thread that says that it has written fences first: who waits may hand the bytes to an engine.
    void applyFence(OpId id, const Stmt& s, Out& out)
    {
        if (id == OpId::kFenceProxyAsync)
            state_.unfenced.clear();
        if (proxies_ && !state_.unfenced.empty() && (id == OpId::kBarrierArrive || id == OpId::kCpAsyncBarrier))
            pushFence({Hazard::kBlock, &state_.unfenced.front(), &state_.unfenced.front()}, s, out);
    }

    // ---- branches and roles ----

    void stepBranch(const Stmt& s, const ir::If& branch, Out& out);
    // The code of some threads. Meetings inside order them among each other only.
    Stmt stepArm(const Stmt& branch, const Stmt& arm, const Crew& outside, Out& out);
    [[nodiscard]] bool isRoles(const Stmt& s) const;
    // What the block did so far and any of the roles in `list` from `first` on depends on: one role may wait for another, so behind
    // the first of them no barrier of the block can stand.
    void meetBeforeRoles(const std::vector<Stmt>& list, std::size_t first, Out& out);
    // What is pending for the threads that are here: their mbarriers order the roles.
    [[nodiscard]] std::vector<MemoryAccess> notOfOtherRoles() const;

    // ---- loops ----

    void stepLoop(const Stmt& s, Out& out)
    {
        const auto* loop = ir::as<ir::For>(s);
        const auto* endless = ir::as<ir::While>(s);
        const Crew crew = crew_;
        if (!isUniformLoop(s))
            crew_.known = crew_.threads->count() == 1;
        Stmt body = loop ? loop->body : endless->body;
        const auto inner = variablesBoundIn(body);
        const ir::ExprNode* own = loop ? loop->axes[0].var.get() : nullptr;
        if (loop) {
            loops_.push_back(loop->axes[0]);
            loopOps_.push_back(loop->where.op);
        }
        BarrierState before = std::move(state_);
        state_ = {};
        state_.inFlight = before.inFlight;
        state_.unfenced = before.unfenced;
        bool stable = false;
        for (int walks = 0; walks < kMostWalks && !stable; ++walks) {
            const std::size_t left = state_.pending.size() + state_.inFlight.size();
            const int inserted = placement_.inserted();
            state_.front.clear();
            state_.met = false;
            Out conditions;
            if (endless)
                handle(eventsOf(endless->condition, s, place()), s, conditions);
            Stmt next = walk(body);
            if (!conditions.empty())  // the condition stands in no list: what it needs stands at the body's end
                next = ir::sequence({next, ir::sequence(std::move(conditions))});
            state_.age(own, inner);
            stable = walks > 0 && placement_.inserted() == inserted && state_.pending.size() + state_.inFlight.size() == left;
            body = next;
        }
        if (loop) {
            loops_.pop_back();
            loopOps_.pop_back();
        }
        crew_ = crew;
        state_.leave(own, inner);
        finishLoop(s, body, std::move(before), out);
    }

    void finishLoop(const Stmt& s, const Stmt& body, BarrierState before, Out& out)
    {
        BarrierState inside = std::move(state_);
        state_ = std::move(before);
        if (const FoundHazard found = search_.find(state_.pending, inside.front))
            separate(found, {}, inside.front, s, out);
        const auto* loop = ir::as<ir::For>(s);
        const auto *begin = loop ? ir::asInt(loop->axes[0].begin) : nullptr, *end = loop ? ir::asInt(loop->axes[0].end) : nullptr;
        if (inside.met && begin && end && *begin < *end)
            state_.pending.clear();
        if (!state_.met)
            addAll(state_.front, inside.front);
        addAll(state_.pending, inside.pending);
        addAll(state_.inFlight, inside.inFlight);
        state_.unfenced = inside.unfenced;
        if (loop) {
            auto next = std::make_shared<ir::For>(*loop);
            next->body = body;
            out.push_back(next);
        } else {
            out.push_back(std::make_shared<ir::While>(ir::as<ir::While>(s)->condition, body, s->where));
        }
    }

    [[nodiscard]] bool isUniformLoop(const Stmt& s) const
    {
        if (const auto* loop = ir::as<ir::While>(s))
            return uniformity_.isUniform(expanded(loop->condition, bindings_));
        const ir::Axis& axis = ir::as<ir::For>(s)->axes[0];
        return uniformity_.isUniform(axis.begin) && uniformity_.isUniform(axis.end) && (!axis.step || uniformity_.isUniform(axis.step));
    }

    // ---- statements that are taken as a whole ----

    // No meeting inside, and none needed.
    bool isLeaf(const Stmt& s)
    {
        if (const auto known = leaves_.find(s.get()); known != leaves_.end())
            return known->second;
        // Iterations of a nest need nothing from each other.
        const auto* loop = ir::as<ir::For>(s);
        const bool isNest = loop && ir::boolAttr(loop->attrs, "nest", false);
        const bool leaf = !meetings_.isIn(s) && (isNest || search_.isQuiet(accessesIn(eventsOf(s, place()))));
        kept_.push_back(s);
        return leaves_[s.get()] = leaf;
    }

    const ir::Launch& launch_;
    analysis::Uniformity uniformity_;
    Hazards hazards_;
    HazardSearch search_{hazards_};
    Meetings meetings_;
    std::set<const ir::BufferNode*> exchanged_;
    bool proxies_;

    BarrierState state_;
    Crew crew_;
    std::vector<ir::Axis> loops_;
    std::vector<std::uint32_t> loopOps_;
    std::map<const ir::ExprNode*, Expr> bindings_;
    BarrierPlacement placement_;
    BarrierReports reports_;
    std::unordered_map<const ir::StmtNode*, bool> leaves_;
    std::vector<Stmt> kept_;  // keys of leaves_ stay alive
};

}  // namespace tw::passes

#include "core/schedule/schedule.h"

#include <algorithm>

#include <fmt/format.h>

namespace tw::schedule {

namespace {

// A moment of the steady state: the step in which an iteration comes to an entry, then the entry's place in the program.
struct Moment {
    int step = 0;
    std::size_t place = 0;
    auto operator<=>(const Moment&) const = default;
};

const Entry* find(const Program& program, EntryKind kind, int pipeline, std::size_t& place)
{
    for (place = 0; place < program.entries.size(); ++place) {
        const Entry& entry = program.entries[place];
        if (entry.kind == kind && entry.index == pipeline)
            return &entry;
    }
    return nullptr;
}

class Verifier {
public:
    explicit Verifier(const Schedule& schedule) : schedule_(schedule) {}

    std::vector<std::string> run()
    {
        checkRoles();
        for (const Scope& scope : schedule_.scopes)
            checkScope(scope);
        return std::move(broken_);
    }

private:
    void checkRoles()
    {
        for (std::size_t i = 0; i < schedule_.roles.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const Role &a = schedule_.roles[i], &b = schedule_.roles[j];
                if (a.firstWarp < b.firstWarp + b.warps && b.firstWarp < a.firstWarp + a.warps)
                    broken_.push_back(fmt::format("roles {} and {} share warps", b.name, a.name));
            }
    }

    void checkScope(const Scope& scope)
    {
        for (const Program& program : scope.programs)
            if (!checkIndices(scope, program))
                return;
        bool paired = true;
        for (int p = 0; p < static_cast<int>(schedule_.pipelines.size()); ++p)
            for (const Program& program : scope.programs)
                paired = checkPairs(program, p) && paired;
        if (!paired)
            return;
        for (int p = 0; p < static_cast<int>(schedule_.pipelines.size()); ++p)
            for (const Program& program : scope.programs)
                checkSlots(program, p);
        checkProgress(scope);
    }

    bool checkIndices(const Scope& scope, const Program& program)
    {
        const auto fits = [&](const Entry& entry) {
            const std::size_t limit = entry.kind == EntryKind::kOp      ? scope.ops.size()
                                      : entry.kind == EntryKind::kScope ? schedule_.scopes.size()
                                                                        : schedule_.pipelines.size();
            return entry.stage >= 0 && entry.index >= 0 && static_cast<std::size_t>(entry.index) < limit;
        };
        if (program.role < static_cast<int>(schedule_.roles.size()) && std::ranges::all_of(program.entries, fits))
            return true;
        broken_.push_back("an entry names what the schedule does not have");
        return false;
    }

    bool checkPairs(const Program& program, int pipeline)
    {
        return checkPair(program, pipeline, EntryKind::kAcquire, EntryKind::kCommit, "acquire and commit") &&
               checkPair(program, pipeline, EntryKind::kWait, EntryKind::kRelease, "wait and release");
    }

    bool checkPair(const Program& program, int pipeline, EntryKind first, EntryKind second, const char* what)
    {
        std::size_t a = 0, b = 0;
        const Entry *opens = find(program, first, pipeline, a), *closes = find(program, second, pipeline, b);
        if (!opens && !closes)
            return true;
        if (opens && closes && opens->stage == closes->stage && a < b)
            return true;
        broken_.push_back(fmt::format("{} of pipeline {} do not make a pair", what, schedule_.pipelines[static_cast<std::size_t>(pipeline)].name));
        return false;
    }

    // Within one role nothing but the order keeps a slot from being overwritten too early.
    void checkSlots(const Program& program, int pipeline)
    {
        const Pipeline& pipe = schedule_.pipelines[static_cast<std::size_t>(pipeline)];
        std::size_t acquirePlace = 0, releasePlace = 0, waitPlace = 0;
        const Entry* acquire = find(program, EntryKind::kAcquire, pipeline, acquirePlace);
        const Entry* release = find(program, EntryKind::kRelease, pipeline, releasePlace);
        const Entry* wait = find(program, EntryKind::kWait, pipeline, waitPlace);
        if (!acquire || !release || !wait || pipe.kind == PipelineKind::kRegisters)
            return;
        const Moment reuse{pipe.depth + acquire->stage, acquirePlace};
        const Moment read{release->stage, releasePlace};
        // cp.async: between the last reader of a slot and its next writer stands a barrier, the one behind the wait.
        const Moment barrier{waitPlace > releasePlace ? read.step : read.step + 1, waitPlace};
        if (reuse < read || (pipe.kind == PipelineKind::kCpAsync && reuse < barrier))
            broken_.push_back(fmt::format("pipeline {} writes a slot that is still read", pipe.name));
    }

    // Runs all roles' programs for a few iterations: each goes on until it has to wait for another.
    void checkProgress(const Scope& scope)
    {
        int depth = 1;
        for (const Pipeline& pipe : schedule_.pipelines)
            depth = std::max(depth, pipe.depth);
        for (int trips = 0; trips <= 2 * depth + 1; ++trips)
            if (!finishes(scope, trips)) {
                broken_.push_back(fmt::format("the roles wait for each other for ever in a loop of {} iterations", trips));
                return;
            }
    }

    bool finishes(const Scope& scope, int trips) const
    {
        const int last = scope.lastStage();
        std::vector<std::vector<std::pair<const Entry*, int>>> todo;  // entry and iteration, in order
        for (const Program& program : scope.programs) {
            auto& list = todo.emplace_back();
            for (int step = -last; step < trips; ++step)
                for (const Entry& entry : program.entries)
                    if (const int i = step + last - entry.stage; step + last >= entry.stage && i < trips)
                        list.emplace_back(&entry, i);
        }
        std::vector<int> committed(schedule_.pipelines.size()), released(schedule_.pipelines.size());
        std::vector<std::size_t> at(todo.size());
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t r = 0; r < todo.size(); ++r)
                while (at[r] < todo[r].size() && step(*todo[r][at[r]].first, todo[r][at[r]].second, committed, released)) {
                    ++at[r];
                    moved = true;
                }
        }
        for (std::size_t r = 0; r < todo.size(); ++r)
            if (at[r] < todo[r].size())
                return false;
        return true;
    }

    bool step(const Entry& entry, int iteration, std::vector<int>& committed, std::vector<int>& released) const
    {
        const auto p = static_cast<std::size_t>(entry.index);
        switch (entry.kind) {
        case EntryKind::kAcquire:
            return schedule_.pipelines[p].kind != PipelineKind::kBarriers || released[p] > iteration - schedule_.pipelines[p].depth;
        case EntryKind::kCommit: committed[p] = std::max(committed[p], iteration + 1); return true;
        case EntryKind::kWait: return committed[p] > iteration;
        case EntryKind::kRelease: released[p] = std::max(released[p], iteration + 1); return true;
        default: return true;
        }
    }

    const Schedule& schedule_;
    std::vector<std::string> broken_;
};

}  // namespace

int Scope::lastStage() const
{
    int last = 0;
    for (const Program& program : programs)
        for (const Entry& entry : program.entries)
            last = std::max(last, entry.stage);
    return last;
}

std::vector<std::string> verify(const Schedule& schedule)
{
    return Verifier(schedule).run();
}

int groupsInFlight(const Program& program, const Schedule& schedule, std::size_t wait)
{
    const Entry& here = program.entries[wait];
    std::size_t place = 0;
    const Entry* needed = find(program, EntryKind::kCommit, here.index, place);
    if (!needed)
        return 0;
    // Counted for the iteration that is waited for in step 0: it was committed in step needed->stage - here.stage.
    const Moment from{needed->stage - here.stage, place}, to{0, wait};
    int groups = 0;
    for (std::size_t i = 0; i < program.entries.size(); ++i) {
        const Entry& entry = program.entries[i];
        if (entry.kind != EntryKind::kCommit || schedule.pipelines[static_cast<std::size_t>(entry.index)].kind != PipelineKind::kCpAsync)
            continue;
        for (int step = from.step; step <= to.step; ++step)
            if (const Moment m{step, i}; m > from && m < to)
                ++groups;
    }
    return groups;
}

}  // namespace tw::schedule

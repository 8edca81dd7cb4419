#include "profiler/timeline/summary.h"

#include <algorithm>
#include <optional>

#include "core/support/statistics.h"
#include "profiler/timeline/records.h"

namespace tw::timeline {

namespace {

constexpr double kOutlier = 3;         // times the median
constexpr double kOutlierShare = 0.02; // of the track's time
constexpr double kTogetherShare = 0.1;

double length(const capture::Span& s) { return s.endNs - s.startNs; }

// The spans of one track, by start.
struct TrackSpans {
    std::vector<const capture::Span*> spans;
    [[nodiscard]] double start() const { return spans.front()->startNs; }
    [[nodiscard]] double end() const { return spans.back()->endNs; }
};

class Summarizer {
public:
    explicit Summarizer(const capture::Timeline& timeline) : timeline_(timeline), tracks_(timeline.tracks.size())
    {
        for (const capture::Span& s : timeline.spans)
            tracks_.at(static_cast<std::size_t>(s.track)).spans.push_back(&s);
        for (std::size_t i = 0; i < tracks_.size(); ++i) {
            if (tracks_[i].spans.empty())
                continue;
            const auto [block, isNew] = blocks_.try_emplace(blockOf(i), tracks_[i].start(), tracks_[i].end());
            block->second.first = std::min(block->second.first, tracks_[i].start());
            block->second.second = std::max(block->second.second, tracks_[i].end());
        }
    }

    Summary run()
    {
        for (std::size_t i = 0; i < tracks_.size(); ++i)
            if (!tracks_[i].spans.empty()) {
                role(i);
                bubbles(static_cast<int>(i));
            }
        for (std::size_t r = 0; r < out_.roles.size(); ++r) {
            RoleSummary& role = out_.roles[r];
            const auto wait = role.byEvent.find("wait");
            role.waitShare = wait == role.byEvent.end() || role.totalNs <= 0 ? 0 : wait->second / role.totalNs;
            role.blockShare = blockNs_[r] > 0 ? role.totalNs / blockNs_[r] : 0;
            for (auto& [event, gaps] : periods_[r])
                role.iterationNs[event] = median(gaps);
        }
        std::ranges::stable_sort(out_.bubbles, std::greater{}, &Bubble::ns);
        if (timeline_.plainUs > 0 && timeline_.recordedUs > 0)
            out_.overhead = timeline_.recordedUs / timeline_.plainUs - 1;
        return std::move(out_);
    }

private:
    std::pair<int, std::int64_t> blockOf(std::size_t track) const { return {timeline_.tracks[track].launch, timeline_.tracks[track].block}; }

    void role(std::size_t index)
    {
        const capture::Track& track = timeline_.tracks[index];
        const TrackSpans& t = tracks_[index];
        auto found = std::ranges::find_if(out_.roles, [&](const RoleSummary& r) { return r.launch == track.launch && r.role == track.role; });
        const auto at = static_cast<std::size_t>(found - out_.roles.begin());
        if (found == out_.roles.end()) {
            out_.roles.push_back({track.launch, track.role, 0, 0, {}, {}, {}, 0, 0});
            blockNs_.push_back(0);
            periods_.emplace_back();
        }
        RoleSummary& r = out_.roles[at];
        ++r.tracks;
        r.totalNs += t.end() - t.start();
        const auto [first, last] = blocks_.at(blockOf(index));
        blockNs_[at] += last - first;
        double until = t.start();
        std::map<std::pair<std::string, std::uint32_t>, const capture::Span*> before;
        for (const capture::Span* s : t.spans) {
            if (s->startNs > until) {
                r.byEvent[kUnrecorded] += s->startNs - until;
                r.byOp[0] += s->startNs - until;
            }
            const double from = std::max(until, s->startNs);  // of nested spans the outer one counts
            if (s->endNs > from) {
                r.byEvent[s->event] += s->endNs - from;
                r.byOp[s->op] += s->endNs - from;
            }
            until = std::max(until, s->endNs);
            const capture::Span*& previous = before[{s->event, s->op}];
            if (previous && s->iteration > 0 && previous->iteration == s->iteration - 1)
                periods_[at][s->event].push_back(s->startNs - previous->startNs);
            previous = s;
        }
    }

    static bool isWait(const capture::Span& s) { return s.event == "wait"; }

    void bubbles(int index)
    {
        const TrackSpans& t = tracks_[static_cast<std::size_t>(index)];
        const double total = t.end() - t.start();
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Bubble>> groups;  // by what waits and what follows
        for (std::size_t i = 0; i < t.spans.size(); ++i) {
            const capture::Span& s = *t.spans[i];
            if (!isWait(s))
                continue;
            // Copies that are started first needed a free place, not what was waited for: what computes did, where there is such work.
            std::uint32_t nextOp = 0;
            for (std::size_t k = i + 1; k < t.spans.size(); ++k) {
                const capture::Span& next = *t.spans[k];
                if (isWait(next) ? nextOp != 0 : next.event != "issue" && next.op != 0) {
                    nextOp = isWait(next) ? nextOp : next.op;
                    break;
                }
                nextOp = nextOp == 0 && !isWait(next) ? next.op : nextOp;
            }
            groups[{s.op, nextOp}].push_back({index, s.op, nextOp, s.iteration, s.startNs, length(s), 1, causeOf(s)});
        }
        for (auto& [stage, waits] : groups)
            group(std::move(waits), total);
    }

    void group(std::vector<Bubble> waits, double total)
    {
        std::vector<double> lengths;
        double sum = 0;
        for (const Bubble& b : waits) {
            lengths.push_back(b.ns);
            sum += b.ns;
        }
        if (sum >= kTogetherShare * total) {
            std::map<Cause, double> causes;
            for (const Bubble& b : waits)
                causes[b.cause] += b.ns;
            Bubble all = *std::ranges::max_element(waits, {}, &Bubble::ns);
            all.ns = sum;
            all.times = static_cast<int>(waits.size());
            all.cause = std::ranges::max_element(causes, {}, [](const auto& c) { return c.second; })->first;
            out_.bubbles.push_back(all);
            return;
        }
        const double usual = median(std::move(lengths));
        for (const Bubble& b : waits)
            if (b.ns >= kOutlier * usual && b.ns >= kOutlierShare * total)
                out_.bubbles.push_back(b);
    }

    // Copies of the same iteration in the same block were asked for before, or not. A role's own copies behind the wait are not
    // what it waits for.
    Cause causeOf(const capture::Span& wait) const
    {
        if (wait.iteration < 0)
            return Cause::kUnknown;
        std::optional<double> asked;
        for (std::size_t i = 0; i < tracks_.size(); ++i) {
            if (blockOf(i) != blockOf(static_cast<std::size_t>(wait.track)))
                continue;
            for (const capture::Span* s : tracks_[i].spans)
                if (s->event == "issue" && s->iteration == wait.iteration && (s->track != wait.track || s->startNs < wait.startNs))
                    asked = std::max(asked.value_or(s->endNs), s->endNs);
        }
        return !asked ? Cause::kUnknown : *asked > wait.startNs ? Cause::kProducerLate : Cause::kMemorySlow;
    }

    const capture::Timeline& timeline_;
    std::vector<TrackSpans> tracks_;
    std::map<std::pair<int, std::int64_t>, std::pair<double, double>> blocks_;  // first start, last end
    std::vector<double> blockNs_;                                               // of the roles
    std::vector<std::map<std::string, std::vector<double>>> periods_;
    Summary out_;
};

}  // namespace

const char* causeText(Cause cause)
{
    return cause == Cause::kProducerLate ? "late producer" : cause == Cause::kMemorySlow ? "slow memory" : "";
}

Summary summarize(const capture::Timeline& timeline)
{
    return Summarizer(timeline).run();
}

}  // namespace tw::timeline

#include "profiler/timeline/records.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "profiler/timeline/iterations.h"

namespace tw::timeline {

namespace {

constexpr std::uint32_t kBegan = 0x54570001, kFinished = 0x54570002;
constexpr std::size_t kHeader = gpu::kRecordHeaderWords, kRecord = gpu::kRecordWords;
constexpr int kWarpSize = 32;
constexpr double kShortNs = 3200;  // below this, 32 ns of the timer's step are more than 1 % of the clock's rate

struct Point {
    std::uint64_t ns = 0, clock = 0;
};

// One role of one block, still in its own clock.
struct Segment {
    int launch = 0, role = 0, sm = 0;
    std::int64_t block = 0;
    Point start, end;
    struct Mark {
        int event = 0;  // index of the table's row
        std::uint64_t clock = 0;
    };
    std::vector<Mark> marks;
    std::int64_t dropped = 0;
};

std::uint64_t wide(const std::uint32_t* words) { return words[0] | static_cast<std::uint64_t>(words[1]) << 32; }

class Reader {
public:
    explicit Reader(std::vector<std::string>& remarks) : remarks_(remarks) {}
    std::vector<Segment> segments;

    void launch(const LaunchRecords& records)
    {
        const gpu::StageRecords& table = records.table;
        const std::vector<std::uint32_t> words = wordsOf(records.bytes);
        const std::size_t size = kHeader + kRecord * static_cast<std::size_t>(table.capacity);
        const std::size_t blocks = table.blocks.empty() ? static_cast<std::size_t>(table.spread) : table.blocks.size();
        const std::size_t wanted = blocks * table.roles.size() * size;
        if (words.size() < wanted)
            remarks_.push_back(fmt::format("launch {}: {} bytes of records instead of {}", table.launch, records.bytes.size(), wanted * 4));
        for (std::size_t i = 0; i < blocks * table.roles.size() && (i + 1) * size <= words.size(); ++i)
            if (auto segment = role(table, static_cast<int>(i % table.roles.size()), words.data() + i * size))
                segments.push_back(std::move(*segment));
    }

private:
    std::optional<Segment> damaged(const gpu::StageRecords& table, int role, std::int64_t block, const std::string& why)
    {
        remarks_.push_back(fmt::format("launch {}, block {}, {}: {}; left out", table.launch, block, table.roles[static_cast<std::size_t>(role)].name, why));
        return std::nullopt;
    }

    std::optional<Segment> role(const gpu::StageRecords& table, int role, const std::uint32_t* words)
    {
        if (words[0] != kBegan && words[0] != kFinished)
            return std::nullopt;
        Segment s;
        s.launch = table.launch;
        s.role = role;
        s.sm = static_cast<int>(words[1]);
        s.block = static_cast<std::int64_t>(wide(words + 2));
        s.start = {wide(words + 4), wide(words + 6)};
        s.end = {wide(words + 8), wide(words + 10)};
        if (words[13] != static_cast<std::uint32_t>(role) || words[14] != static_cast<std::uint32_t>(table.capacity))
            return damaged(table, role, s.block, "its header belongs to another table");
        if (words[0] == kBegan)
            return damaged(table, role, s.block, "it never came to its end");
        if (s.end.clock < s.start.clock || s.end.ns < s.start.ns)
            return damaged(table, role, s.block, "its clocks end before they start");
        const std::int64_t made = words[12], kept = std::min<std::int64_t>(made, table.capacity);
        s.dropped = made - kept;
        std::uint64_t clock = s.start.clock;
        for (std::int64_t i = 0; i < kept; ++i) {
            const std::uint32_t* at = words + kHeader + kRecord * static_cast<std::size_t>(i);
            clock += static_cast<std::uint32_t>(at[1] - static_cast<std::uint32_t>(clock));  // the low half may have wrapped
            if (at[0] == 0 || at[0] > table.events.size())
                return damaged(table, role, s.block, fmt::format("record {} names event {} of {}", i, at[0], table.events.size()));
            if (clock > s.end.clock)
                return damaged(table, role, s.block, fmt::format("record {} is later than the end", i));
            s.marks.push_back({static_cast<int>(at[0]) - 1, clock});
        }
        return s;
    }

    std::vector<std::string>& remarks_;
};

// Cycles a nanosecond, of all roles together.
double rate(const std::vector<Segment>& segments, std::vector<std::string>& remarks)
{
    double cycles = 0, ns = 0, longest = 0;
    for (const Segment& s : segments) {
        cycles += static_cast<double>(s.end.clock - s.start.clock);
        ns += static_cast<double>(s.end.ns - s.start.ns);
        longest = std::max(longest, static_cast<double>(s.end.ns - s.start.ns));
    }
    if (ns <= 0) {
        remarks.emplace_back("the blocks are too short for the nanosecond timer: times are in cycles of 1 GHz");
        return 1;
    }
    if (longest < kShortNs)
        remarks.push_back(fmt::format("the longest block ran {:.0f} ns: the clock's rate is known to a few percent only", longest));
    return cycles / ns;
}

class Builder {
public:
    Builder(std::span<const LaunchRecords> launches, const std::vector<Segment>& segments, double cyclesPerNs)
        : segments_(segments), perNs_(cyclesPerNs)
    {
        for (const LaunchRecords& l : launches)
            tables_[l.table.launch] = &l.table;
        for (const Segment& s : segments) {
            const auto [anchor, isNew] = anchors_.try_emplace({s.launch, s.block}, s.start);
            if (!isNew && s.start.clock < anchor->second.clock)
                anchor->second = s.start;
        }
        first_ = std::ranges::min_element(anchors_, {}, [](const auto& a) { return a.second.ns; })->second.ns;
    }

    capture::Timeline run()
    {
        timeline_.origin = capture::Origin::kMeasured;
        timeline_.clockMHz = perNs_ * 1000;
        for (const Segment& s : segments_)
            track(s);
        return std::move(timeline_);
    }

private:
    // Roles of a block share a clock, so they share the point that ties it to the nanoseconds.
    double at(const Segment& s, std::uint64_t clock) const
    {
        const Point& anchor = anchors_.at({s.launch, s.block});
        return static_cast<double>(anchor.ns - first_) + static_cast<double>(clock - anchor.clock) / perNs_;
    }

    void track(const Segment& s)
    {
        const gpu::StageRecords& table = *tables_.at(s.launch);
        const gpu::RecordedRole& role = table.roles[static_cast<std::size_t>(s.role)];
        const int track = static_cast<int>(timeline_.tracks.size());
        timeline_.tracks.push_back({role.name, s.launch, s.block, s.sm, static_cast<int>(role.leader / kWarpSize)});
        timeline_.dropped += s.dropped;
        const auto span = [&](const std::string& event, std::uint32_t op, std::int64_t iteration, std::uint64_t from, std::uint64_t to) {
            timeline_.spans.push_back({track, event, op, iteration, -1, at(s, from), at(s, to)});
        };
        span("setup", 0, -1, s.start.clock, s.marks.empty() ? s.end.clock : s.marks.front().clock);
        Iterations iterations(table);
        for (std::size_t i = 0; i < s.marks.size(); ++i) {
            const gpu::RecordedEvent& event = table.events[static_cast<std::size_t>(s.marks[i].event)];
            const std::int64_t iteration = iterations.begin(s.marks[i].event);
            const bool isLast = i + 1 == s.marks.size();
            const bool isCut = isLast && s.dropped > 0;
            const std::uint64_t end = isLast ? s.end.clock : s.marks[i + 1].clock;
            span(isCut ? kUnrecorded : event.kind, isCut ? 0 : event.op, isCut ? -1 : iteration, s.marks[i].clock, end);
        }
    }

    const std::vector<Segment>& segments_;
    double perNs_;
    std::map<int, const gpu::StageRecords*> tables_;
    std::map<std::pair<int, std::int64_t>, Point> anchors_;  // of blocks
    std::uint64_t first_ = 0;
    capture::Timeline timeline_;
};

}  // namespace

std::vector<std::uint32_t> wordsOf(std::span<const std::uint8_t> bytes)
{
    std::vector<std::uint32_t> words(bytes.size() / 4);
    for (std::size_t i = 0; i < words.size(); ++i)
        for (std::size_t k = 0; k < 4; ++k)
            words[i] |= static_cast<std::uint32_t>(bytes[4 * i + k]) << (8 * k);
    return words;
}

tl::expected<Decoded, std::string> decode(std::span<const LaunchRecords> launches)
{
    Decoded out;
    Reader reader(out.remarks);
    for (const LaunchRecords& launch : launches)
        reader.launch(launch);
    std::vector<Segment>& segments = reader.segments;
    if (segments.empty())
        return tl::unexpected("no block left stage records: the chosen blocks are not in the grid, or the kernel did not end" +
                              (out.remarks.empty() ? std::string() : " (" + out.remarks.front() + ")"));
    std::ranges::stable_sort(segments, {}, [](const Segment& s) { return std::tuple(s.launch, s.block, s.role); });
    out.timeline = Builder(launches, segments, rate(segments, out.remarks)).run();
    if (out.timeline.dropped > 0)
        out.remarks.push_back(fmt::format("{} records did not fit: the ends of their roles are unrecorded", out.timeline.dropped));
    return out;
}

}  // namespace tw::timeline

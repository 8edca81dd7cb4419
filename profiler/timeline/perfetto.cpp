#include "profiler/timeline/perfetto.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "profiler/timeline/summary.h"

using Json = nlohmann::json;

namespace tw::timeline {

namespace {

Json about(const capture::Timeline& t)
{
    Json out{{"origin", capture::originText(t.origin)}, {"clock_mhz", t.clockMHz}, {"dropped_records", t.dropped}};
    if (t.plainUs > 0) {
        out["kernel_us"] = t.plainUs;
        out["recorded_kernel_us"] = t.recordedUs;
        out["overhead"] = summarize(t).overhead;
        out["record_cost_ns"] = t.recordCostNs;
    }
    return out;
}

class Writer {
public:
    explicit Writer(const capture::Capture& capture)
    {
        for (const capture::Operation& op : capture.operations)
            operations_[op.id] = &op;
    }
    Json events = Json::array();

    void add(const capture::Timeline& t)
    {
        std::map<std::pair<int, std::int64_t>, int> processes;
        std::vector<int> ofTrack;
        for (std::size_t i = 0; i < t.tracks.size(); ++i) {
            const capture::Track& track = t.tracks[i];
            const auto [process, isNew] = processes.try_emplace({track.launch, track.block}, next_);
            if (isNew) {
                const std::string sm = track.sm < 0 ? "" : fmt::format(", SM {}", track.sm);
                name("process_name", next_, 0, fmt::format("{}: launch {}, block {}{}", capture::originText(t.origin), track.launch, track.block, sm));
                ++next_;
            }
            ofTrack.push_back(process->second);
            name("thread_name", process->second, static_cast<int>(i) + 1, fmt::format("{} (warp {})", track.role, track.warp));
        }
        for (const capture::Span& s : t.spans)
            span(s, ofTrack.at(static_cast<std::size_t>(s.track)));
    }

private:
    void name(const char* what, int process, int thread, const std::string& text)
    {
        events.push_back({{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", text}}}});
    }
    void span(const capture::Span& s, int process)
    {
        Json arguments = Json::object();
        if (const auto op = operations_.find(s.op); op != operations_.end()) {
            arguments["operation"] = op->second->name;
            arguments["line"] = op->second->line;
        } else if (s.op != 0) {
            arguments["operation"] = s.op;
        }
        if (s.iteration >= 0)
            arguments["iteration"] = s.iteration;
        if (s.stage >= 0)
            arguments["stage"] = s.stage;
        events.push_back({{"ph", "X"}, {"name", s.event}, {"cat", s.event}, {"pid", process}, {"tid", s.track + 1}, {"ts", s.startNs / 1000},
                          {"dur", (s.endNs - s.startNs) / 1000}, {"args", std::move(arguments)}});
    }

    std::map<std::uint32_t, const capture::Operation*> operations_;
    int next_ = 1;
};

}  // namespace

std::string toPerfetto(const capture::Capture& capture)
{
    Writer writer(capture);
    Json all = Json::array();
    for (const capture::Timeline& t : capture.timelines) {
        writer.add(t);
        all.push_back(about(t));
    }
    return Json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(writer.events)}, {"otherData", {{"kernel", capture.kernel}, {"timelines", std::move(all)}}}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tw::timeline

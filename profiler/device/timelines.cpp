#include "profiler/device/timelines.h"

#include <algorithm>
#include <charconv>

#include <fmt/ranges.h>

#include "profiler/device/cuda_timeline.h"
#include "profiler/device/sim_timeline.h"
#include "profiler/timeline/plan.h"

namespace tw::device {
namespace {

std::string reasonOf(const DiagnosticSink& found, const char* otherwise)
{
    const auto error = std::ranges::find(found.all(), Severity::kError, &Diagnostic::severity);
    return error == found.all().end() ? otherwise : error->message;
}

// N of "cuda:N".
std::optional<int> ordinalOf(const std::string& device)
{
    int ordinal = 0;
    const std::string_view prefix = "cuda:";
    if (!device.starts_with(prefix) || std::from_chars(device.data() + prefix.size(), device.data() + device.size(), ordinal).ec != std::errc{})
        return std::nullopt;
    return ordinal;
}

std::optional<CudaTimeline> measured(int ordinal, const protocol::ProfileRequest& request, const Session& session, capture::Capture& capture)
{
    CudaTimelineOptions options;
    options.blocks = request.blocks;
    options.repeat = std::max(1, request.repeat);
    options.coldL2 = request.coldL2;
    interp::Arguments arguments = session.prepared().arguments;
    DiagnosticSink found;
    auto out = timelineOnCuda(ordinal, *session.workload().snapshot, arguments, options, session.compiler(), found, session.reporter("timeline"), session.stop());
    if (!out)
        capture.absences["timeline"] = reasonOf(found, "it was stopped");
    else if (!out->remarks.empty())
        capture.absences["timeline"] = fmt::format("{}", fmt::join(out->remarks, "; "));
    return out;
}

void addPlan(const Session& session, const std::vector<std::int64_t>& blocks, capture::Capture& capture)
{
    DiagnosticSink found;
    const auto recorded = driver::recordProgram(*session.workload().snapshot, {}, found);
    timeline::PlanOptions options;
    options.blocks = blocks;
    options.launches = placesOf(session, capture);
    options.values = session.workload().extents.values;
    for (const auto& [name, extent] : session.prepared().arguments.dims)
        options.values[name] = extent;
    for (const auto& [name, value] : session.prepared().arguments.scalars)
        if (const auto* number = std::get_if<std::int64_t>(&value))
            options.values[name] = *number;
    auto made = recorded ? timeline::plan(*recorded, session.target(), options) : tl::unexpected(reasonOf(found, "the kernel has no code for threads"));
    if (!made) {
        capture.absences["plan"] = made.error();
        return;
    }
    if (!made->remarks.empty())
        capture.absences["plan"] = fmt::format("{}", fmt::join(made->remarks, "; "));
    capture.timelines.push_back(std::move(made->timeline));
}

}  // namespace

void addTimelines(const protocol::ProfileRequest& request, const Session& session, capture::Capture& capture, protocol::ResultHead& head)
{
    std::vector<std::int64_t> blocks = request.blocks;
    std::optional<CudaTimeline> run;
    if (const auto ordinal = ordinalOf(request.device); ordinal && request.timeline) {
        run = measured(*ordinal, request, session, capture);
        head.runnerEnds = head.runnerEnds || (run && run->deviceIsLost);
    } else if (request.timeline && request.device != "sim") {
        capture.absences["timeline"] = fmt::format("stages are recorded on GPUs; on {} they are modelled", request.device);
    }
    if (run)
        for (const capture::Track& track : run->timeline.tracks)
            if (std::ranges::find(blocks, track.block) == blocks.end())
                blocks.push_back(track.block);
    addPlan(session, blocks, capture);
    if (request.device == "sim" && request.timeline)
        addSimulatedTimeline(session, blocks, capture);
    if (run)
        capture.timelines.push_back(std::move(run->timeline));
}

}  // namespace tw::device

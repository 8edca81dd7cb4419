#include "profiler/device/sim_timeline.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/ranges.h>

#include "core/passes/record_stages.h"
#include "profiler/analysis/facts.h"
#include "profiler/analysis/model.h"
#include "profiler/device/strided.h"
#include "profiler/timeline/simulated.h"

namespace tw::device {
namespace {

namespace pa = profile_analysis;

constexpr double kMostSteps = 4e7, kMostFlops = 4e9;  // of one block: seconds

// The blocks that a GPU would record, of all launches.
std::vector<std::int64_t> recordedBlocks(const driver::RecordedProgram& recorded, const pa::Work& work)
{
    std::set<std::int64_t> blocks;
    for (const gpu::StageRecords& table : recorded.records)
        if (const auto launch = static_cast<std::size_t>(table.launch); launch < work.launches.size())
            for (const std::int64_t block : passes::spreadBlocks(table.spread, work.launches[launch].blocks))
                blocks.insert(block);
    return {blocks.begin(), blocks.end()};
}

// Empty if it can be done.
std::string tooLarge(const pa::Work& work)
{
    for (const pa::LaunchWork& l : work.launches) {
        double steps = 0, flops = 0;
        for (const pa::OperationWork& op : l.operations) {
            steps += op.elements / static_cast<double>(std::max<std::int64_t>(1, l.blocks));
            flops += op.tensorFlops / static_cast<double>(std::max<std::int64_t>(1, l.blocks));
        }
        if (steps > kMostSteps || flops > kMostFlops)
            return fmt::format("one block is too large to be simulated ({:.2g} element steps, {:.2g} operations of products)", steps, flops);
    }
    return {};
}

pa::Work workOf(const Session& session)
{
    pa::Values values = session.workload().extents.values;
    for (const auto& [name, extent] : session.prepared().arguments.dims)
        values[name] = extent;
    return pa::workOf(session.function(), values);
}

}  // namespace

std::vector<sim::LaunchPlace> placesOf(const Session& session, const capture::Capture& capture)
{
    const pa::Work work = workOf(session);
    pa::CompiledFacts facts = pa::factsOf(*session.workload().snapshot);
    for (std::size_t i = 0; i < std::min(facts.launches.size(), capture.launches.size()); ++i)
        facts.launches[i].registers = std::max(facts.launches[i].registers, capture.launches[i].registers);
    std::vector<sim::LaunchPlace> places;
    const auto model = facts.launches.size() == work.launches.size() ? pa::modelOf(work, facts.launches, session.target()) : std::nullopt;
    for (std::size_t i = 0; model && i < model->launches.size(); ++i) {
        const pa::LaunchModel& m = model->launches[i];
        const double each = std::ceil(static_cast<double>(work.launches[i].blocks) / session.target().multiprocessors);
        places.push_back({std::clamp(static_cast<int>(each), 1, std::max(1, m.occupancy.blocks)), m.l2.read > 0 ? m.dram.read / m.l2.read : 0});
    }
    return places;
}

void addSimulatedTimeline(const Session& session, const std::vector<std::int64_t>& blocks, capture::Capture& capture)
{
    const driver::CompileSnapshot& snapshot = *session.workload().snapshot;
    const pa::Work work = workOf(session);
    if (std::string why = tooLarge(work); !why.empty()) {
        capture.absences["timeline"] = std::move(why);
        return;
    }
    if (session.prepared().arguments.tensors.empty()) {
        capture.absences["timeline"] = "the tensors are too large to be made for a simulation; smaller extents can be simulated";
        return;
    }
    DiagnosticSink found;
    const auto recorded = driver::recordProgram(snapshot, {}, found);
    if (!recorded) {
        capture.absences["timeline"] = "the kernel has no code for threads";
        return;
    }
    sim::TimelineOptions options;
    options.blocks = blocks.empty() ? recordedBlocks(*recorded, work) : blocks;
    options.launches = placesOf(session, capture);
    options.progress = session.reporter("timeline");
    interp::Arguments arguments = session.prepared().arguments;
    const PointerOrder order(session.function(), arguments);
    auto made = timeline::simulate(*recorded, session.target(), arguments, options, session.stop());
    if (!made) {
        capture.absences["timeline"] = made.error();
        return;
    }
    made->remarks.insert(made->remarks.begin(), "simulated times leave out instruction caches, what the compiler adds to the code, and other multiprocessors");
    capture.absences["in simulated times"] = fmt::format("{}", fmt::join(made->remarks, "; "));
    capture.timelines.push_back(std::move(made->timeline));
}

}  // namespace tw::device

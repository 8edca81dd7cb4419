#include "profiler/analysis/record.h"

#include <algorithm>
#include <map>

#include "core/ir/print.h"

namespace tw::profile_analysis {
namespace {

namespace metric = capture::metric;
using capture::Capture;
using capture::Origin;

constexpr double kSectorBytes = 32, kWavefrontBytes = 128;

void add(Capture& capture, const char* name, double value, const char* unit, int launch, Origin origin)
{
    capture.metrics.push_back({name, value, unit, launch, origin, 1, 0});
}

void recordLaunch(const LaunchModel& m, int index, bool counted, Capture& capture)
{
    constexpr Origin origin = Origin::kModelled;
    add(capture, metric::kDuration, m.us, "us", index, origin);
    add(capture, metric::kTensorPipe, m.tensorPct, "%", index, origin);
    add(capture, metric::kDramBandwidth, m.dramPct, "%", index, origin);
    add(capture, metric::kL2Bandwidth, m.l2Pct, "%", index, origin);
    add(capture, metric::kIssueSlots, m.issuePct, "%", index, origin);
    add(capture, metric::kOccupancy, 100 * m.occupancy.fraction, "%", index, origin);
    add(capture, "waves", m.waves, "count", index, origin);
    if (counted)
        return;
    add(capture, metric::kDramRead, m.dram.read, "bytes", index, origin);
    add(capture, metric::kDramWrite, m.dram.written, "bytes", index, origin);
    add(capture, metric::kL2Read, m.l2.read, "bytes", index, origin);
    add(capture, metric::kL2Write, m.l2.written, "bytes", index, origin);
    add(capture, metric::kSharedRead, m.shared.read, "bytes", index, origin);
    add(capture, metric::kSharedWrite, m.shared.written, "bytes", index, origin);
}

// The heat of the margins follows the operations: all of an operation's share on its source line, spread evenly over its lines of CUDA.
void recordLines(const std::vector<capture::Operation>& operations, Capture& capture)
{
    for (const capture::Operation& op : operations) {
        if (op.timeShare <= 0)
            continue;
        if (op.line > 0)
            capture.lines.push_back({"source", op.line, op.id, op.timeShare, {}, op.origin});
        const auto count = std::count_if(capture.cuda.lines.begin(), capture.cuda.lines.end(), [&](const auto& l) { return op.id != 0 && l.op == op.id; });
        for (const gpu::LineSource& l : capture.cuda.lines)
            if (op.id != 0 && l.op == op.id)
                capture.lines.push_back({"cuda", l.line, op.id, op.timeShare / static_cast<double>(count), {}, op.origin});
    }
}

}  // namespace

int lineOf(const std::vector<capture::SourceFile>& files, const SourceRange& where)
{
    if (!where.isKnown() || where.file >= files.size())
        return 0;
    const std::string& text = files[where.file].text;
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(where.begin, text.size())), '\n'));
}

void recordProgram(const driver::CompileSnapshot& snapshot, const Work& work, const CompiledFacts& facts, const Values& values, Capture& capture)
{
    for (std::uint32_t i = 0; i < snapshot.program->sources().size(); ++i) {
        const SourceText& file = snapshot.program->sources().file(i);
        capture.files.push_back({file.name(), std::string(file.text())});
    }
    capture.kernel = snapshot.kernel;
    capture.instance = snapshot.instance.name;
    capture.target = snapshot.target.name;
    capture.params = snapshot.instance.params;
    capture.dims = values;
    capture.schedule = facts.schedule;
    capture.tileIr = ir::print(*snapshot.function).text;
    if (!snapshot.passes.empty() && snapshot.passes.back().after && snapshot.passes.back().after->stage == ir::Stage::kThread)
        capture.threadIr = ir::print(*snapshot.passes.back().after).text;
    if (snapshot.cuda)
        capture.cuda = *snapshot.cuda;
    if (snapshot.sass)
        capture.sass = *snapshot.sass;
    if (!snapshot.gpuProgram)
        return;
    for (std::size_t i = 0; i < snapshot.gpuProgram->launches.size(); ++i) {
        const gpu::KernelLaunch& from = snapshot.gpuProgram->launches[i];
        capture::Launch launch;
        launch.entry = from.entry;
        if (i < work.launches.size())
            launch.grid = work.launches[i].grid;
        launch.block.assign(from.block.begin(), from.block.end());
        launch.cluster = from.cluster;
        launch.staticSharedBytes = from.staticSharedBytes;
        launch.dynamicSharedBytes = from.dynamicSharedBytes;
        for (const nvrtc::KernelResources& r : snapshot.resources)
            if (r.entry == from.entry) {
                launch.registers = r.registers;
                launch.staticSharedBytes = std::max(launch.staticSharedBytes, r.staticSharedBytes);
                launch.spillBytes = r.spillStores + r.spillLoads;
            }
        capture.launches.push_back(std::move(launch));
    }
}

void recordWork(const Work& work, Capture& capture)
{
    add(capture, metric::kFlops, work.flops(), "count", -1, Origin::kModelled);
    add(capture, metric::kMinBytes, work.least.both(), "bytes", -1, Origin::kModelled);
}

void recordModel(const Work& work, const Model& model, bool counted, Capture& capture)
{
    constexpr Origin origin = Origin::kModelled;
    add(capture, metric::kDuration, model.us(), "us", -1, origin);
    std::vector<capture::Operation> operations;
    for (std::size_t i = 0; i < model.launches.size(); ++i) {
        const LaunchModel& m = model.launches[i];
        recordLaunch(m, static_cast<int>(i), counted, capture);
        if (i < capture.launches.size()) {
            capture::Launch& launch = capture.launches[i];
            launch.blocksPerSm = m.occupancy.blocks;
            launch.occupancy = m.occupancy.fraction;
            launch.limiter = m.occupancy.limiter;
            launch.bound = m.bound;
            if (launch.registers > 0 && !findMetric(capture, metric::kRegisters, static_cast<int>(i)))
                add(capture, metric::kRegisters, launch.registers, "count", static_cast<int>(i), Origin::kModelled);
        }
        for (std::size_t k = 0; k < m.operations.size(); ++k) {
            const OperationWork& w = work.launches[i].operations[k];
            const double global = m.l2.both(), dram = global > 0 ? w.global.both() * m.dram.both() / global : 0;
            capture::Operation op;
            op.id = w.op;
            op.name = w.name;
            op.where = w.where;
            op.line = lineOf(capture.files, w.where);
            op.origin = origin;
            op.timeShare = m.operations[k].us / std::max(1e-9, model.us());
            op.bytes = {{"dram", dram}, {"l2", w.global.both()}, {"shared", w.shared.both()}};
            op.flops = w.tensorFlops + w.flops;
            operations.push_back(std::move(op));
        }
    }
    std::stable_sort(operations.begin(), operations.end(), [](const auto& a, const auto& b) { return a.timeShare > b.timeShare; });
    recordLines(operations, capture);
    capture.operations = std::move(operations);
}

void recordStages(const Work& work, const std::vector<LaunchFacts>& facts, Capture& capture)
{
    std::map<std::uint32_t, int> depths;  // by tile operation
    for (std::size_t i = 0; i < std::min(work.launches.size(), facts.size()); ++i)
        for (const OperationWork& op : work.launches[i].operations)
            if (op.op != 0 && op.loop >= 0 && static_cast<std::size_t>(op.loop) < facts[i].depths.size())
                depths[op.op] = facts[i].depths[static_cast<std::size_t>(op.loop)];
    for (capture::Timeline& timeline : capture.timelines)
        for (capture::Span& span : timeline.spans)
            if (const auto depth = depths.find(span.op); depth != depths.end() && depth->second > 1 && span.iteration >= 0)
                span.stage = static_cast<int>(span.iteration % depth->second);
}

void recordSimulation(const sim::Report& report, Capture& capture)
{
    const sim::Traffic& t = report.traffic;
    const auto put = [&](const char* name, double value, const char* unit) { add(capture, name, value, unit, -1, Origin::kSimulated); };
    double conflicts = 0, wavefronts = 0, sectors = 0, ideal = 0, warps = 0, divergent = 0;
    for (const sim::SiteCost& s : report.sites) {
        conflicts += static_cast<double>(s.wavefronts - s.idealWavefronts);
        wavefronts += static_cast<double>(s.wavefronts);
        sectors += static_cast<double>(s.sectors);
        ideal += static_cast<double>(s.idealSectors);
    }
    for (const sim::BranchCost& b : report.branches) {
        warps += static_cast<double>(b.warps);
        divergent += static_cast<double>(b.divergent);
    }
    put(metric::kDramRead, static_cast<double>(t.uniqueRead), "bytes");
    put(metric::kDramWrite, static_cast<double>(t.uniqueWritten), "bytes");
    put(metric::kL2Read, static_cast<double>(t.sectorsRead), "bytes");
    put(metric::kL2Write, static_cast<double>(t.sectorsWritten), "bytes");
    put(metric::kSharedRead, static_cast<double>(t.sharedRead), "bytes");
    put(metric::kSharedWrite, static_cast<double>(t.sharedWritten), "bytes");
    put(metric::kSharedConflicts, conflicts, "count");
    put("shared_wavefronts", wavefronts, "count");
    put("global_sectors", sectors, "count");
    put("sector_efficiency_pct", sectors > 0 ? 100 * ideal / sectors : 100, "%");
    put("divergent_branches_pct", warps > 0 ? 100 * divergent / warps : 0, "%");
}

Work withSimulatedTraffic(Work work, const sim::Report& report)
{
    for (LaunchWork& launch : work.launches)
        for (OperationWork& op : launch.operations) {
            Bytes global, shared;
            for (const sim::SiteCost& s : report.sites) {
                if (op.op == 0 || s.op != op.op)
                    continue;
                Bytes& level = s.shared ? shared : global;
                const double bytes = s.shared ? static_cast<double>(s.wavefronts) * kWavefrontBytes : static_cast<double>(s.sectors) * kSectorBytes;
                (s.writes ? level.written : level.read) += bytes;
            }
            // Bulk copies and tensor cores read without requests of lanes: what no site counts stays as it is.
            op.global = global.both() > 0 ? global : op.global;
            op.shared = shared.both() > 0 ? shared : op.shared;
        }
    return work;
}

}  // namespace tw::profile_analysis

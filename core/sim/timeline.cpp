#include "core/sim/timeline.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/interp/interpreter.h"
#include "core/ir/visit.h"
#include "core/sim/tracer.h"

namespace tw::sim {

namespace {

struct Launches final : ir::Visitor {
    using ir::Visitor::visit;
    std::vector<const ir::Launch*> found;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* l = ir::as<ir::Launch>(s))
            found.push_back(l);
        ir::Visitor::visit(s);
    }
};

bool hasProducts(const BlockTrace& trace)
{
    const auto isProduct = [](const TraceOp& op) { return op.kind == TraceKind::kMma || op.kind == TraceKind::kWgmma; };
    return std::ranges::any_of(trace.warps, [&](const std::vector<TraceOp>& ops) { return std::ranges::any_of(ops, isProduct); });
}

}  // namespace

TimelineResult simulateTimeline(const ir::Function& threadStage, interp::Arguments& arguments, const target::Target& target,
                                const TimelineOptions& options, DiagnosticSink& diagnostics, std::stop_token stop)
{
    TimelineResult result;
    const target::Rates* rates = target::ratesOf(target);
    const target::Pipes* pipes = target::pipesOf(target);
    if (!rates || !pipes) {
        diagnostics.error(Code::kNotSupported, {},
                          fmt::format("not supported: a simulated timeline of {}, whose latencies are not known; --target sm_90a is one that is", target.name));
        return result;
    }
    Tracer tracer(*rates, *pipes, options.blocks, options.mostOperations);
    interp::RunOptions run;
    run.observer = &tracer;
    run.blocks = options.blocks.empty() ? std::vector<std::int64_t>{0} : options.blocks;
    run.checkUninitialized = false;  // other blocks and launches may not have run
    run.progress = options.progress;
    const interp::RunResult ran = interp::run(threadStage, arguments, run, diagnostics, std::move(stop));
    result.ok = ran.ok;
    result.cancelled = ran.cancelled;
    if (!ran.ok)
        return result;
    Launches launches;
    launches.visit(threadStage.body);
    bool multiplies = false;
    for (const BlockTrace& trace : tracer.take()) {
        const auto number = static_cast<std::size_t>(trace.launch);
        const LaunchPlace place = number < options.launches.size() ? options.launches[number] : LaunchPlace{};
        const Hardware hardware{*rates, *pipes, target.multiprocessors, std::max(1, place.resident), std::clamp(place.missShare, 0.0, 1.0)};
        multiplies = multiplies || hasProducts(trace);
        result.blocks.push_back({trace.launch, trace.block, replay(trace, hardware)});
        if (trace.isCut)
            result.remarks.push_back(fmt::format("block {} does more than {} instructions: the timeline shows its beginning", trace.block, options.mostOperations));
        if (result.blocks.back().times.isStuck)
            result.remarks.push_back(fmt::format("block {}: in the model its warps wait for each other for ever; shown as far as they came", trace.block));
        if (number < launches.found.size() && !launches.found[number]->cluster.empty())
            result.remarks.push_back("the other blocks of the cluster are taken to be as early as this one");
    }
    result.clockMHz = multiplies ? std::min(pipes->productMHz, rates->clockMHz) : rates->clockMHz;
    std::ranges::sort(result.remarks);
    result.remarks.erase(std::ranges::unique(result.remarks).begin(), result.remarks.end());
    return result;
}

}  // namespace tw::sim

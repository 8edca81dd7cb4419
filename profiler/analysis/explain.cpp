#include "profiler/analysis/explain.h"

#include <algorithm>

#include <fmt/core.h>

#include "profiler/analysis/attribute.h"
#include "profiler/analysis/roofline.h"

namespace tw::profile_analysis {
namespace {

std::string changed(std::string_view text, std::vector<FixIt> changes)
{
    std::sort(changes.begin(), changes.end(), [](const FixIt& a, const FixIt& b) { return a.range.begin > b.range.begin; });
    std::string out(text);
    for (const FixIt& c : changes)
        out.replace(c.range.begin, c.range.end - c.range.begin, c.replacement);
    return out;
}

// How many times faster the program is with the changes, as modelled without what a simulation found in the one and not in the other.
std::optional<double> gainOfEdit(const Subject& s, double plainUs, const std::vector<FixIt>& changes)
{
    const auto made = s.recompile(changed(s.snapshot.source->text(), changes));
    if (!made || !made->ok() || !made->function || !made->gpuProgram)
        return std::nullopt;
    const Work work = workOf(*made->function, s.values);
    CompiledFacts facts = factsOf(*made);
    if (facts.launches.size() != work.launches.size() || facts.launches.size() != s.facts.launches.size())
        return std::nullopt;
    for (std::size_t i = 0; i < facts.launches.size(); ++i) {
        facts.launches[i].registers = s.facts.launches[i].registers;  // of the same code but for its pipeline
        if (target::occupancyOf(s.snapshot.target, {work.launches[i].threads, facts.launches[i].registers, facts.launches[i].sharedBytes}).blocks == 0)
            return std::nullopt;
    }
    const auto model = modelOf(work, facts.launches, s.snapshot.target);
    return model && model->us() > 0 ? std::optional(plainUs / model->us()) : std::nullopt;
}

}  // namespace

void explain(const Subject& s, capture::Capture& capture)
{
    recordWork(s.work, capture);
    if (!s.work.isExact)
        capture.absences["exact counts"] = "some loops or conditions depend on values of the run, or are too many to count: their work is estimated";
    const auto plain = s.facts.launches.size() == s.work.launches.size() ? modelOf(s.work, s.facts.launches, s.snapshot.target) : std::nullopt;
    if (!plain) {
        capture.absences["model"] = fmt::format("the model has no rates of {}", s.snapshot.target.name);
        return;
    }
    const capture::Metric* duration = capture::findMetric(capture, capture::metric::kDuration);
    if (!duration || duration->origin != capture::Origin::kMeasured)
        capture.absences["in modelled times"] = kModelLeavesOut;
    if (s.simulated)
        recordSimulation(*s.simulated, capture);
    const Work work = s.simulated ? withSimulatedTraffic(s.work, *s.simulated) : s.work;
    const auto model = s.simulated ? modelOf(work, s.facts.launches, s.snapshot.target) : plain;
    std::vector<capture::Operation> sampled = std::exchange(capture.operations, {});
    std::vector<capture::LineCost> lines = std::exchange(capture.lines, {});
    recordModel(work, *model, s.simulated != nullptr, capture);
    const bool wasSampled = std::any_of(sampled.begin(), sampled.end(), [](const auto& op) { return op.samples > 0; });
    if (!wasSampled)
        takeCounts(sampled, lines, capture);
    if (wasSampled) {
        completeOperations(capture.operations, sampled);
        capture.operations = std::move(sampled);
        capture.lines = std::move(lines);
        spreadToCuda(capture);
    }
    spreadCounts(capture);
    capture.roofline = rooflineOf(s.snapshot.target, s.work, capture, s.ceilings);
    Evidence evidence{capture, s.snapshot.target};
    evidence.work = &work;
    evidence.model = &*model;
    evidence.facts = &s.facts.launches;
    evidence.simulated = s.simulated;
    evidence.literal = [&](const SourceRange& loop, std::string_view keyword, std::int64_t expected) { return literalOf(s.snapshot, loop, keyword, expected); };
    if (s.recompile)
        evidence.gainOf = [&](const std::vector<FixIt>& changes) { return gainOfEdit(s, plain->us(), changes); };
    capture.findings = findingsOf(evidence);
}

}  // namespace tw::profile_analysis

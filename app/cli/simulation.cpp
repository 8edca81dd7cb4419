#include "app/cli/simulation.h"

#include <algorithm>

#include <fmt/format.h>

#include "profiler/report/quantity.h"

namespace tw::cli {
namespace {

constexpr std::size_t kMostRows = 8;  // of the table

const char* kindName(sim::FindingKind kind)
{
    switch (kind) {
    case sim::FindingKind::kRace: return "race";
    case sim::FindingKind::kInFlight: return "in-flight";
    case sim::FindingKind::kMissingFence: return "missing-fence";
    case sim::FindingKind::kDivergentBarrier: return "divergent-barrier";
    case sim::FindingKind::kMisaligned: return "misaligned";
    }
    return "race";
}

Json witnessJson(const sim::Witness& w, const Report& report)
{
    return {{"line", report.lineOf(w.where)}, {"op", w.op}, {"who", w.who}, {"does", w.does}};
}

Json siteJson(const sim::SiteCost& s, const Report& report)
{
    Json site = {{"line", report.lineOf(s.where)}, {"op", s.op}, {"buffer", s.buffer}, {"memory", s.shared ? "shared" : "global"},
                 {"does", s.writes ? "writes" : "reads"}, {"requests", s.requests}, {"bytes", s.bytes}};
    if (s.shared)
        site.update({{"wavefronts", s.wavefronts}, {"idealWavefronts", s.idealWavefronts}, {"ways", s.ways}});
    else
        site.update({{"sectors", s.sectors}, {"idealSectors", s.idealSectors}});
    return site;
}

// What the access costs beyond the least, in passes over the banks or sectors.
std::int64_t excessOf(const sim::SiteCost& s) { return s.shared ? s.wavefronts - s.idealWavefronts : s.sectors - s.idealSectors; }

std::string bytesText(std::int64_t bytes) { return report::quantity(static_cast<double>(bytes), "bytes"); }

std::string costText(const sim::SiteCost& s)
{
    if (s.shared)
        return fmt::format("{} passes over the banks, {} least{}", s.wavefronts, s.idealWavefronts,
                           s.hasConflicts() ? fmt::format(", up to {}-way conflicts", s.ways) : std::string());
    return fmt::format("{} sectors, {} least, {:.0f} % used", s.sectors, s.idealSectors, 100 * s.efficiency());
}

}  // namespace

Json simulationJson(const sim::Report& simulation, const std::string& target, const Report& report)
{
    const sim::Traffic& t = simulation.traffic;
    Json out = {{"origin", "simulated"}, {"target", target}};
    out["traffic"] = {{"sharedReadBytes", t.sharedRead}, {"sharedWrittenBytes", t.sharedWritten}, {"globalReadBytes", t.globalRead},
                      {"globalWrittenBytes", t.globalWritten}, {"sectorReadBytes", t.sectorsRead}, {"sectorWrittenBytes", t.sectorsWritten},
                      {"uniqueReadBytes", t.uniqueRead}, {"uniqueWrittenBytes", t.uniqueWritten}};
    for (const char* list : {"sites", "branches", "findings"})
        out[list] = Json::array();
    for (const sim::SiteCost& s : simulation.sites)
        out["sites"].push_back(siteJson(s, report));
    for (const sim::BranchCost& b : simulation.branches)
        out["branches"].push_back({{"line", report.lineOf(b.where)}, {"warps", b.warps}, {"divergent", b.divergent}});
    for (const sim::Finding& f : simulation.findings) {
        Json finding = {{"kind", kindName(f.kind)}, {"buffer", f.buffer}, {"firstByte", f.firstByte}, {"bytes", f.bytes}, {"count", f.count},
                        {"later", witnessJson(f.later, report)}};
        if (!f.earlier.who.empty())
            finding["earlier"] = witnessJson(f.earlier, report);
        out["findings"].push_back(std::move(finding));
    }
    out["unknown"] = simulation.unknown;
    return out;
}

std::string simulationText(const sim::Report& simulation, const std::string& target, const Report& report)
{
    const sim::Traffic& t = simulation.traffic;
    std::string out = fmt::format("simulated on {}: shared memory {} read, {} written; global memory {} read in {} of sectors ({} at least), "
                                  "{} written in {} ({} at least)\n",
                                  target, bytesText(t.sharedRead), bytesText(t.sharedWritten), bytesText(t.globalRead), bytesText(t.sectorsRead),
                                  bytesText(t.uniqueRead), bytesText(t.globalWritten), bytesText(t.sectorsWritten), bytesText(t.uniqueWritten));
    std::vector<const sim::SiteCost*> sites;
    for (const sim::SiteCost& s : simulation.sites)
        if (s.wavefronts + s.sectors > 0)
            sites.push_back(&s);
    std::stable_sort(sites.begin(), sites.end(), [](const auto* a, const auto* b) {
        return std::pair(excessOf(*a), a->bytes) > std::pair(excessOf(*b), b->bytes);
    });
    for (std::size_t k = 0; k < std::min(sites.size(), kMostRows); ++k)
        out += fmt::format("  line {:<5} {} {:<16} {:>9} requests, {}\n", report.lineOf(sites[k]->where), sites[k]->writes ? "writes" : "reads ",
                           sites[k]->buffer, sites[k]->requests, costText(*sites[k]));
    if (sites.size() > kMostRows)
        out += fmt::format("  and {} accesses more (--json has all)\n", sites.size() - kMostRows);
    for (const sim::BranchCost& b : simulation.branches)
        if (b.divergent > 0)
            out += fmt::format("  line {:<5} warps whose lanes disagree: {} of {}\n", report.lineOf(b.where), b.divergent, b.warps);
    for (const std::string& reason : simulation.unknown)
        out += fmt::format("  not decided: {}\n", reason);
    return out;
}

}  // namespace tw::cli

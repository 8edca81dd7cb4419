#include "profiler/protocol/simulation_json.h"

#include <algorithm>

#include "profiler/protocol/message_parts.h"

namespace tw::protocol {
namespace {

using parts::Json, parts::range, parts::toRange;

Json witness(const sim::Witness& w) { return {range(w.where), w.op, w.who, w.does}; }
sim::Witness toWitness(const Json& j)
{
    return {toRange(j.at(0)), j.at(1).get<std::uint32_t>(), j.at(2).get<std::string>(), j.at(3).get<std::string>()};
}

Json finding(const sim::Finding& f)
{
    return {{"kind", static_cast<int>(f.kind)}, {"buffer", f.buffer}, {"firstByte", f.firstByte}, {"bytes", f.bytes},
            {"earlier", witness(f.earlier)}, {"later", witness(f.later)}, {"count", f.count}};
}
sim::Finding toFinding(const Json& j)
{
    const int kind = std::clamp(j.at("kind").get<int>(), 0, static_cast<int>(sim::FindingKind::kMisaligned));
    return {static_cast<sim::FindingKind>(kind), j.at("buffer").get<std::string>(), j.at("firstByte").get<std::int64_t>(),
            j.at("bytes").get<std::int64_t>(), toWitness(j.at("earlier")), toWitness(j.at("later")), j.at("count").get<std::int64_t>()};
}

Json site(const sim::SiteCost& s)
{
    return {{"where", range(s.where)}, {"op", s.op}, {"buffer", s.buffer}, {"shared", s.shared}, {"writes", s.writes},
            {"requests", s.requests}, {"bytes", s.bytes}, {"wavefronts", s.wavefronts}, {"idealWavefronts", s.idealWavefronts},
            {"sectors", s.sectors}, {"idealSectors", s.idealSectors}, {"ways", s.ways}};
}
sim::SiteCost toSite(const Json& j)
{
    const auto number = [&](const char* name) { return j.at(name).get<std::int64_t>(); };
    return {toRange(j.at("where")), j.at("op").get<std::uint32_t>(), j.at("buffer").get<std::string>(), j.at("shared").get<bool>(),
            j.at("writes").get<bool>(), number("requests"), number("bytes"), number("wavefronts"), number("idealWavefronts"),
            number("sectors"), number("idealSectors"), j.at("ways").get<int>()};
}

// Names of the traffic's counters, for both directions.
struct Counter {
    const char* name;
    std::int64_t sim::Traffic::*value;
};
constexpr Counter kTraffic[] = {{"sharedRead", &sim::Traffic::sharedRead},       {"sharedWritten", &sim::Traffic::sharedWritten},
                                {"globalRead", &sim::Traffic::globalRead},       {"globalWritten", &sim::Traffic::globalWritten},
                                {"sectorsRead", &sim::Traffic::sectorsRead},     {"sectorsWritten", &sim::Traffic::sectorsWritten},
                                {"uniqueRead", &sim::Traffic::uniqueRead},       {"uniqueWritten", &sim::Traffic::uniqueWritten}};

}  // namespace

Json simulationJson(const sim::Report& report)
{
    Json out = {{"findings", Json::array()}, {"sites", Json::array()}, {"branches", Json::array()}, {"traffic", Json::object()},
                {"unknown", report.unknown}};
    for (const sim::Finding& f : report.findings)
        out["findings"].push_back(finding(f));
    for (const sim::SiteCost& s : report.sites)
        out["sites"].push_back(site(s));
    for (const sim::BranchCost& b : report.branches)
        out["branches"].push_back({range(b.where), b.warps, b.divergent});
    for (const Counter& c : kTraffic)
        out["traffic"][c.name] = report.traffic.*c.value;
    return out;
}

sim::Report toSimulation(const Json& json)
{
    sim::Report report;
    for (const Json& f : json.at("findings"))
        report.findings.push_back(toFinding(f));
    for (const Json& s : json.at("sites"))
        report.sites.push_back(toSite(s));
    for (const Json& b : json.at("branches"))
        report.branches.push_back({toRange(b.at(0)), b.at(1).get<std::int64_t>(), b.at(2).get<std::int64_t>()});
    for (const Counter& c : kTraffic)
        report.traffic.*c.value = json.at("traffic").at(c.name).get<std::int64_t>();
    report.unknown = json.at("unknown").get<std::vector<std::string>>();
    return report;
}

}  // namespace tw::protocol

#include "profiler/cupti/metrics.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "core/support/diagnostic.h"

namespace tw::cupti {
namespace {

constexpr MetricDefinition kDefinitions[] = {
#define TW_METRIC(name, unit, scale, sets, counter, other, meaning) {name, unit, scale, sets, counter, other, meaning},
#include "profiler/cupti/metrics.def"
#undef TW_METRIC
};

struct NamedSet {
    std::string_view name;
    MetricSet set;
};
constexpr NamedSet kSets[] = {{"headline", kHeadline}, {"memory", kMemory}, {"compute", kCompute}, {"stalls", kStalls}};

// Units as people write them.
constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
    {"byte", "bytes"}, {"byte/second", "bytes/s"}, {"percent", "%"}, {"nanosecond", "ns"}, {"gpc_cycle", "cycles"}, {"instruction", "count"},
    {"warp", "warps"},  {"", "count"}};

Failure unknownName(const MetricHost& host, const std::string& name)
{
    Failure failure{FailureKind::kBadMetric, 0, fmt::format("{} has no metric {}", host.chip(), name), ""};
    std::vector<std::string> near, known;
    for (const NamedSet& s : kSets)
        known.emplace_back(s.name);
    for (const MetricDefinition& d : kDefinitions) {
        known.emplace_back(d.name);
        if (d.name.find(name) != std::string_view::npos)
            near.emplace_back(d.name);
    }
    if (const std::string meant = nearestName(name, known); !meant.empty() && std::find(near.begin(), near.end(), meant) == near.end())
        near.insert(near.begin(), meant);
    const std::vector<std::string> found = host.nearest(name, 5);
    near.insert(near.end(), found.begin(), found.end());
    failure.remedy = near.empty() ? "name a set (headline, memory, compute, stalls), one of our metrics, or a counter of the chip; `tilec profile --list-metrics WORD` searches"
                                  : fmt::format("near it: {}; `tilec profile --list-metrics WORD` searches", fmt::join(near, ", "));
    return failure;
}

// A counter by its own, full name.
Result<ChosenMetric> chooseCounter(const MetricHost& host, const std::string& name)
{
    if (std::binary_search(host.names().begin(), host.names().end(), name)) {
        const std::vector<std::string> suffixes = host.suffixes(name);
        return tl::unexpected(Failure{FailureKind::kBadMetric, 0, fmt::format("{} needs to say which of its values is meant", name),
                                      fmt::format("add one of {}", fmt::join(suffixes, " "))});
    }
    if (!host.offers(name))
        return tl::unexpected(unknownName(host, name));
    const auto properties = host.properties(name);
    if (!properties)
        return tl::unexpected(unknownName(host, name));
    return ChosenMetric{name, unitOf(properties->unit, name), name, 1};
}

void add(const ChosenMetric& metric, Choice& choice)
{
    const auto same = [&](const ChosenMetric& m) { return m.name == metric.name; };
    if (std::none_of(choice.metrics.begin(), choice.metrics.end(), same))
        choice.metrics.push_back(metric);
}

// Our metrics that `wanted` picks; how many it picked.
template <class Wanted>
std::size_t addDefined(const MetricHost& host, const Wanted& wanted, Choice& choice)
{
    std::size_t picked = 0;
    for (const MetricDefinition& d : kDefinitions) {
        if (!wanted(d))
            continue;
        ++picked;
        const std::string counter = counterFor(host, d);
        if (counter.empty())
            choice.lacking[std::string(d.name)] = host.chip() + " has no counter for it";
        else
            add({std::string(d.name), std::string(d.unit), counter, d.scale}, choice);
    }
    return picked;
}

}  // namespace

std::span<const MetricDefinition> metricDefinitions() { return kDefinitions; }

std::string setNames(unsigned sets)
{
    std::string out;
    for (const NamedSet& s : kSets)
        if (sets & s.set)
            out += (out.empty() ? "" : " ") + std::string(s.name);
    return out;
}

std::string unitOf(const std::string& unit, const std::string& counter)
{
    if (counter.find(".pct") != std::string::npos)
        return "%";
    for (const auto& [theirs, ours] : kUnits)
        if (unit == theirs)
            return std::string(ours);
    return unit;
}

std::string counterFor(const MetricHost& host, const MetricDefinition& definition)
{
    for (const std::string_view counter : {definition.counter, definition.other})
        if (!counter.empty() && host.offers(std::string(counter)))
            return std::string(counter);
    return {};
}

std::string fullName(const MetricHost& host, const std::string& base)
{
    const std::vector<std::string> suffixes = host.suffixes(base);
    for (const char* plain : {".sum", ".ratio", ".pct", ".avg.pct_of_peak_sustained_elapsed"})
        if (std::find(suffixes.begin(), suffixes.end(), plain) != suffixes.end())
            return base + plain;
    return suffixes.empty() ? base : base + suffixes.front();
}

Choice chooseMetrics(const MetricHost& host, const std::vector<std::string>& names)
{
    Choice choice;
    for (const std::string& name : names.empty() ? std::vector<std::string>{"headline"} : names) {
        unsigned set = 0;
        for (const NamedSet& s : kSets)
            if (s.name == name)
                set = s.set;
        const auto wanted = [&](const MetricDefinition& d) { return set ? (d.sets & set) != 0 : d.name == name; };
        if (addDefined(host, wanted, choice) > 0)
            continue;
        if (const auto counter = chooseCounter(host, name))
            add(*counter, choice);
        else
            choice.lacking[name] = counter.error().text();
    }
    return choice;
}

std::vector<std::string> countersOf(const std::vector<ChosenMetric>& metrics)
{
    std::vector<std::string> out;
    for (const ChosenMetric& m : metrics)
        if (std::find(out.begin(), out.end(), m.counter) == out.end())
            out.push_back(m.counter);
    return out;
}

}  // namespace tw::cupti

#include "profiler/cupti/metrics.h"

#include <algorithm>

#include <fmt/ranges.h>

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

Failure unknownName(const MetricHost& host, const std::string& name)
{
    Failure failure{FailureKind::kBadMetric, 0, fmt::format("{} has no metric {}", host.chip(), name), ""};
    std::vector<std::string> near;
    for (const MetricDefinition& d : kDefinitions)
        if (d.name.find(name) != std::string_view::npos)
            near.emplace_back(d.name);
    const std::vector<std::string> found = host.search(name, 5);
    near.insert(near.end(), found.begin(), found.end());
    failure.remedy = near.empty() ? "name a set (headline, memory, compute, stalls), one of our metrics, or a counter of the chip"
                                  : fmt::format("near it: {}", fmt::join(near, ", "));
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

// Metrics by our names (cli.md), in sets, and any counter of the chip by its own name.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/cupti/host.h"

namespace tw::cupti {

// Sets, as bits: a metric may be in several.
enum MetricSet : unsigned { kHeadline = 1, kMemory = 2, kCompute = 4, kStalls = 8 };

struct MetricDefinition {
    std::string_view name, unit;
    double scale = 1;          // from the counter's value to `unit`
    unsigned sets = 0;         // of MetricSet
    std::string_view counter;  // full name on most chips
    std::string_view other;    // on the others; may be empty
    std::string_view meaning;
};
// All of metrics.def, in its order.
[[nodiscard]] std::span<const MetricDefinition> metricDefinitions();

// Names of the sets of these bits, separated by spaces.
[[nodiscard]] std::string setNames(unsigned sets);
// The chip's counter behind a metric of ours; empty: it has none.
[[nodiscard]] std::string counterFor(const MetricHost& host, const MetricDefinition& definition);
// A base name with the suffix of its plainest value: ".sum" of a counter, ".ratio", ".pct" or the share of the peak of others.
[[nodiscard]] std::string fullName(const MetricHost& host, const std::string& base);
// CUPTI's unit of a counter as people write it: "bytes", "%", "count".
[[nodiscard]] std::string unitOf(const std::string& unit, const std::string& counter);

// A metric that one chip can collect.
struct ChosenMetric {
    std::string name, unit;
    std::string counter;  // full name
    double scale = 1;
    bool operator==(const ChosenMetric&) const = default;
};
struct Choice {
    std::vector<ChosenMetric> metrics;           // each once, in the order asked for
    std::map<std::string, std::string> lacking;  // names without a counter, and why: the chip has none, or the name is nobody's
};

// `names`: sets ("headline", "memory", "compute", "stalls"), our names, or full names of counters; empty: the headline set. One that is
// none of these is lacking, with the nearest names or the suffixes that a base name needs; the others are chosen all the same.
[[nodiscard]] Choice chooseMetrics(const MetricHost& host, const std::vector<std::string>& names);

// The choice's counters, each once.
[[nodiscard]] std::vector<std::string> countersOf(const std::vector<ChosenMetric>& metrics);

}  // namespace tw::cupti

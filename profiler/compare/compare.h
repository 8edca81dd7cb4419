// Several captures side by side: what differs, what is the same. Pure: captures in, rows out; the command line, reports and the
// window show the same rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/capture/capture.h"

namespace tw::compare {

inline constexpr std::size_t kMostVariants = 8;

struct Variant {
    std::string id;  // as the user names it: "gemm.py@call:40", "run 12"
    const capture::Capture* capture = nullptr;
};

enum class Group : std::uint8_t { kSetting, kResource, kMetric, kOperation };
[[nodiscard]] const char* groupText(Group group);  // "settings", "resources", "metrics", "operations"

// A number, or a word where there is no number; neither: this variant has no such thing.
struct Value {
    std::optional<double> number{};
    std::string text{};
    bool operator==(const Value&) const = default;
};

struct Row {
    Group group{};
    std::string name, unit;  // units as in capture::Metric
    capture::Origin origin = capture::Origin::kModelled;  // one of all values: a metric measured here and modelled there is two rows
    std::vector<Value> values;  // one a variant
    bool differs = false;
    int best = -1;  // the variant with the best number, where one is better than another and they differ by more than their spread
    std::vector<double> spreads{};  // of measured numbers, as in capture::Metric; empty elsewhere
};

// Settings first, then resources (of each launch: the second's names end in " #2"), metrics (headline first), time of operations.
[[nodiscard]] std::vector<Row> rowsOf(const std::vector<Variant>& variants);

// Whether the row's numbers were measured, simulated or modelled: settings and resources are facts of the program.
[[nodiscard]] bool saysOrigin(const Row& row);

// Short names that tell the variants apart: their settings that differ ("block_M=64"), else their ids.
[[nodiscard]] std::vector<std::string> shortNames(const std::vector<Variant>& variants, const std::vector<Row>& rows);

// For a terminal: a table of what differs, each number with its distance to the first variant, then one line a group of what is the same.
[[nodiscard]] std::string toText(const std::vector<Variant>& variants, const std::vector<Row>& rows);

}  // namespace tw::compare

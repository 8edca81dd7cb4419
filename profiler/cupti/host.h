// What a chip's counters offer. Needs CUPTI, but neither a GPU nor a driver.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiler/cupti/library.h"

namespace tw::cupti {

enum class Purpose { kRanges, kOverTime };

struct CounterProperties {
    std::string description, unit;  // unit: as CUPTI names it, "byte", "percent"
};

// Counters that are collected together.
struct CounterConfig {
    std::vector<std::string> counters;
    std::vector<std::uint8_t> image;
    std::size_t passes = 0;  // runs of the kernel that they need
};

// The metrics of one chip, and one choice of them. Used by one thread at a time.
class MetricHost {
public:
    // `chip`: as in "GH100". `availability`: what this GPU grants, as CUPTI says it; empty: whatever the chip has. About 0.2 s.
    [[nodiscard]] static Result<std::unique_ptr<MetricHost>> open(std::shared_ptr<const Library> library, const std::string& chip, Purpose purpose,
                                                                 std::vector<std::uint8_t> availability = {});
    ~MetricHost();
    MetricHost(const MetricHost&) = delete;
    MetricHost& operator=(const MetricHost&) = delete;

    [[nodiscard]] const std::string& chip() const { return chip_; }
    // Base names of everything that the chip counts, sorted: thousands.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    // Whether the chip has this base name ("dram__bytes_read"), or the base name of this full one ("dram__bytes_read.sum").
    [[nodiscard]] bool offers(const std::string& name) const;
    // Base names that hold every word of `query`, case ignored; at most `limit`, shortest first.
    [[nodiscard]] std::vector<std::string> search(const std::string& query, std::size_t limit) const;
    // Base names that an unknown one may mean, at most `limit`: those that hold all of it, else those that share most of its parts ("dram",
    // "bytes", "read" of "dram__byte_read"), at least half of them.
    [[nodiscard]] std::vector<std::string> nearest(const std::string& name, std::size_t limit) const;
    // What may follow a base name, as in ".sum" and ".avg.pct_of_peak_sustained_elapsed". Empty for an unknown name.
    [[nodiscard]] std::vector<std::string> suffixes(const std::string& base) const;
    [[nodiscard]] Result<CounterProperties> properties(const std::string& name) const;

    // Chooses full names, all in one call: one by one, CUPTI schedules them in many more passes. Once for one host.
    [[nodiscard]] Result<CounterConfig> configure(const std::vector<std::string>& counters);
    // Values of the chosen counters in one range or sample of collected data, in the order of `counters`.
    [[nodiscard]] Result<std::vector<double>> evaluate(std::span<const std::uint8_t> data, std::size_t index,
                                                       const std::vector<std::string>& counters) const;

private:
    MetricHost(std::shared_ptr<const Library> library, std::string chip) : library_(std::move(library)), chip_(std::move(chip)) {}
    void readNames();

    std::shared_ptr<const Library> library_;
    std::string chip_;
    std::vector<std::uint8_t> availability_;
    api::HostObject object_ = nullptr;
    std::vector<std::string> names_;
};

// Pointers as CUPTI takes lists of names. They live as long as `names`.
[[nodiscard]] std::vector<const char*> pointersTo(const std::vector<std::string>& names);

}  // namespace tw::cupti

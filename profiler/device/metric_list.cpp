#include "profiler/device/metric_list.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include <fmt/core.h>

#include "profiler/cupti/metrics.h"
#include "profiler/device/cuda_kernels.h"

namespace tw::device {
namespace {

using protocol::MetricInfo;
using protocol::MetricsRequest;
using protocol::MetricsResult;

// Counting passes needs a configuration of its own for each metric, some milliseconds: beyond this number they stay unknown.
constexpr std::size_t kMostPasses = 60;

MetricsResult refused(protocol::Outcome outcome, std::string message)
{
    MetricsResult out;
    out.head.outcome = outcome;
    out.head.diagnostics.push_back({outcome == protocol::Outcome::kUsage ? Code::kUsage : Code::kNotSupported, Severity::kError, {}, std::move(message), {}, {}, {}});
    return out;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool holdsAll(const std::string& text, const std::vector<std::string>& words)
{
    const std::string low = lower(text);
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) { return low.find(word) != std::string::npos; });
}

std::vector<std::string> wordsOf(const std::string& text)
{
    std::istringstream in(lower(text));
    std::vector<std::string> out;
    for (std::string word; in >> word;)
        out.push_back(word);
    return out;
}

// Runs of a kernel that this counter alone needs; 0 where CUPTI does not say.
int passesOf(const std::shared_ptr<const cupti::Library>& library, const std::string& chip, const std::string& counter)
{
    const auto host = cupti::MetricHost::open(library, chip, cupti::Purpose::kRanges);
    if (!host)
        return 0;
    const auto config = (*host)->configure({counter});
    return config ? static_cast<int>(config->passes) : 0;
}

void addOurs(const cupti::MetricHost& host, const std::vector<std::string>& words, MetricsResult& out)
{
    for (const cupti::MetricDefinition& d : cupti::metricDefinitions()) {
        const std::string counter = cupti::counterFor(host, d);
        const std::string sets = cupti::setNames(d.sets);
        if (!counter.empty() && holdsAll(fmt::format("{} {} {} {}", d.name, d.meaning, sets, counter), words))
            out.metrics.push_back({std::string(d.name), std::string(d.unit), std::string(d.meaning), sets, counter, 0});
    }
}

// Of the chip: those whose name fits, shortest first, then those whose description does.
void addCounters(const cupti::MetricHost& host, const std::vector<std::string>& words, std::size_t limit, MetricsResult& out)
{
    std::vector<std::string> byName, byMeaning;
    for (const std::string& name : host.names())
        if (holdsAll(name, words))
            byName.push_back(name);
        else if (const auto properties = host.properties(name); properties && holdsAll(name + " " + properties->description, words))
            byMeaning.push_back(name);
    std::stable_sort(byName.begin(), byName.end(), [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
    byName.insert(byName.end(), byMeaning.begin(), byMeaning.end());
    out.found = static_cast<int>(byName.size());
    byName.resize(std::min(byName.size(), limit));
    for (const std::string& name : byName) {
        const std::string full = cupti::fullName(host, name);
        const auto properties = host.properties(full);
        out.metrics.push_back({full, properties ? cupti::unitOf(properties->unit, full) : "", properties ? properties->description : "", "", full, 0});
    }
}

}  // namespace

std::string chipFor(const std::string& target)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kChips = {{{"sm_70", "GV100"}, {"sm_75", "TU102"}, {"sm_80", "GA100"},
                                                                                      {"sm_86", "GA102"}, {"sm_89", "AD102"}, {"sm_90", "GH100"},
                                                                                      {"sm_90a", "GH100"}, {"sm_100a", "GB100"}}};
    for (const auto& [name, chip] : kChips)
        if (name == target)
            return std::string(chip);
    return {};
}

MetricsResult listMetrics(const MetricsRequest& request, const std::shared_ptr<const cupti::Library>& library, const std::string& chip)
{
    const auto host = cupti::MetricHost::open(library, chip, cupti::Purpose::kRanges);
    if (!host)
        return refused(protocol::Outcome::kCannot, "not supported: " + host.error().text());
    MetricsResult out;
    out.head.device = request.device;
    out.chip = chip;
    out.library = fmt::format("CUPTI {} ({})", library->versionText(), library->path());
    const std::vector<std::string> words = wordsOf(request.words);
    addOurs(**host, words, out);
    addCounters(**host, words, static_cast<std::size_t>(std::max(0, request.limit)), out);
    for (std::size_t i = 0; i < std::min(out.metrics.size(), kMostPasses); ++i)
        out.metrics[i].passes = passesOf(library, chip, out.metrics[i].counter);
    for (MetricInfo& m : out.metrics)
        if (m.sets.empty())
            m.counter.clear();  // its name says it
    return out;
}

MetricsResult listMetrics(const MetricsRequest& request)
{
    if (!request.device.starts_with("cuda:"))
        return refused(protocol::Outcome::kUsage, fmt::format("{} has no counters to list; GPUs have: --device cuda:N, ssh:HOST/cuda:N", request.device));
    const auto context = openCudaContext(std::atoi(request.device.c_str() + 5));
    const auto library = cupti::Library::open(context ? (*context)->driver().version() : 0);
    if (!library)
        return refused(protocol::Outcome::kCannot, "not supported: " + library.error().text());
    std::string chip = context ? std::string() : chipFor(request.target);
    if (context) {
        if (const auto started = cupti::startProfiling(**library, (*context)->deviceHandle(), cupti::Interface::kRanges); !started)
            return refused(protocol::Outcome::kCannot, "not supported: " + started.error().text());
        const auto found = cupti::chipOf(**library, (*context)->device().ordinal);
        if (!found)
            return refused(protocol::Outcome::kCannot, "not supported: " + found.error().text());
        chip = *found;
    }
    if (chip.empty())
        return refused(protocol::Outcome::kCannot, context.error() + "; with --target (sm_70 to sm_100a) that target's counters are listed without a GPU");
    return listMetrics(request, *library, chip);
}

}  // namespace tw::device

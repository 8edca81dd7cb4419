#include "profiler/cupti/host.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/core.h>

namespace tw::cupti {
namespace {

constexpr int kTypes[] = {api::kTypeCounter, api::kTypeRatio, api::kTypeThroughput};

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// "dram", "bytes", "read", "sum" of "dram__bytes_read.sum".
std::vector<std::string> partsOf(const std::string& name)
{
    std::string spaced = lower(name);
    std::replace_if(spaced.begin(), spaced.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, ' ');
    std::istringstream in(spaced);
    std::vector<std::string> parts;
    for (std::string part; in >> part;)
        parts.push_back(part);
    return parts;
}

}  // namespace

std::vector<const char*> pointersTo(const std::vector<std::string>& names)
{
    std::vector<const char*> out;
    for (const std::string& name : names)
        out.push_back(name.c_str());
    return out;
}

Result<std::unique_ptr<MetricHost>> MetricHost::open(std::shared_ptr<const Library> library, const std::string& chip, Purpose purpose,
                                                    std::vector<std::uint8_t> availability)
{
    std::unique_ptr<MetricHost> host(new MetricHost(std::move(library), chip));
    host->availability_ = std::move(availability);
    auto params = api::make<api::HostInitialize>();
    params.kind = purpose == Purpose::kRanges ? api::kForRanges : api::kForPmSampling;
    params.chip = host->chip_.c_str();
    params.availability = host->availability_.empty() ? nullptr : host->availability_.data();
    if (auto done = host->library_->check(host->library_->call().hostInitialize(&params), fmt::format("listing the metrics of {}", chip)); !done)
        return tl::unexpected(done.error());
    host->object_ = params.object;
    host->readNames();
    return host;
}

MetricHost::~MetricHost()
{
    if (!object_)
        return;
    auto params = api::make<api::HostDeinitialize>();
    params.object = object_;
    library_->call().hostDeinitialize(&params);
}

void MetricHost::readNames()
{
    for (const int type : kTypes) {
        auto params = api::make<api::BaseMetrics>();
        params.object = object_;
        params.type = type;
        if (library_->call().baseMetrics(&params) == 0)
            names_.insert(names_.end(), params.names, params.names + params.count);
    }
    std::sort(names_.begin(), names_.end());
}

bool MetricHost::offers(const std::string& name) const
{
    // Base names of the PM sampler have dots of their own ("LTS.TriageCompute.lts__throughput").
    for (std::size_t end = name.size(); end != std::string::npos && end > 0; end = name.rfind('.', end - 1))
        if (std::binary_search(names_.begin(), names_.end(), name.substr(0, end)))
            return true;
    return false;
}

std::vector<std::string> MetricHost::search(const std::string& query, std::size_t limit) const
{
    std::vector<std::string> words;
    std::istringstream in(lower(query));
    for (std::string word; in >> word;)
        words.push_back(word);
    std::vector<std::string> out;
    for (const std::string& name : names_) {
        const std::string text = lower(name);
        if (std::all_of(words.begin(), words.end(), [&](const std::string& word) { return text.find(word) != std::string::npos; }))
            out.push_back(name);
    }
    std::stable_sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
    out.resize(std::min(out.size(), limit));
    return out;
}

std::vector<std::string> MetricHost::nearest(const std::string& name, std::size_t limit) const
{
    if (std::vector<std::string> holding = search(name, limit); !holding.empty())
        return holding;
    const std::vector<std::string> wanted = partsOf(name);
    std::vector<std::pair<std::size_t, std::string>> found;  // parts that are not shared
    for (const std::string& candidate : names_) {
        const std::vector<std::string> parts = partsOf(candidate);
        const auto shared = static_cast<std::size_t>(std::count_if(wanted.begin(), wanted.end(), [&](const std::string& part) {
            return std::any_of(parts.begin(), parts.end(), [&](const std::string& p) { return p.starts_with(part) || part.starts_with(p); });
        }));
        if (shared > 0 && 2 * shared >= wanted.size())
            found.emplace_back(wanted.size() + parts.size() - 2 * shared, candidate);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> out;
    for (std::size_t i = 0; i < std::min(limit, found.size()); ++i)
        out.push_back(found[i].second);
    return out;
}

std::vector<std::string> MetricHost::suffixes(const std::string& base) const
{
    for (const int type : kTypes) {
        auto params = api::make<api::SubMetrics>();
        params.object = object_;
        params.type = type;
        params.metric = base.c_str();
        if (library_->call().subMetrics(&params) == 0 && params.count > 0)
            return {params.names, params.names + params.count};
    }
    return {};
}

Result<CounterProperties> MetricHost::properties(const std::string& name) const
{
    auto params = api::make<api::MetricProperties>();
    params.object = object_;
    params.metric = name.c_str();
    if (auto done = library_->check(library_->call().metricProperties(&params), fmt::format("looking for the metric {}", name)); !done)
        return tl::unexpected(done.error());
    return CounterProperties{params.description ? params.description : "", params.dimension ? params.dimension : ""};
}

Result<CounterConfig> MetricHost::configure(const std::vector<std::string>& counters)
{
    CounterConfig config{counters, {}, 0};
    std::vector<const char*> names = pointersTo(counters);
    auto add = api::make<api::AddMetrics>();
    add.object = object_;
    add.names = names.data();
    add.count = names.size();
    if (auto done = library_->check(library_->call().addMetrics(&add), "choosing the metrics"); !done)
        return tl::unexpected(done.error());
    auto size = api::make<api::ConfigImageSize>();
    size.object = object_;
    if (auto done = library_->check(library_->call().configImageSize(&size), "scheduling the metrics"); !done)
        return tl::unexpected(done.error());
    config.image.resize(size.bytes);
    auto image = api::make<api::ConfigImage>();
    image.object = object_;
    image.bytes = config.image.size();
    image.image = config.image.data();
    if (auto done = library_->check(library_->call().configImage(&image), "scheduling the metrics"); !done)
        return tl::unexpected(done.error());
    auto passes = api::make<api::PassCount>();
    passes.bytes = config.image.size();
    passes.image = config.image.data();
    if (auto done = library_->check(library_->call().passCount(&passes), "counting the passes"); !done)
        return tl::unexpected(done.error());
    config.passes = passes.passes;
    return config;
}

Result<std::vector<double>> MetricHost::evaluate(std::span<const std::uint8_t> data, std::size_t index,
                                                 const std::vector<std::string>& counters) const
{
    std::vector<const char*> names = pointersTo(counters);
    std::vector<double> values(counters.size());
    auto params = api::make<api::Evaluate>();
    params.object = object_;
    params.data = data.data();
    params.dataBytes = data.size();
    params.index = index;
    params.names = names.data();
    params.count = names.size();
    params.values = values.data();
    if (auto done = library_->check(library_->call().evaluate(&params), "computing the metrics"); !done)
        return tl::unexpected(done.error());
    return values;
}

}  // namespace tw::cupti

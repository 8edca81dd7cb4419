#include "profiler/compare/compare.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include <fmt/ranges.h>

#include "core/support/check.h"

namespace tw::compare {
namespace {

using namespace capture;

enum class Better { kNeither, kLess, kMore };

Better betterOf(const std::string& name)
{
    static const std::set<std::string> kLess = {metric::kDuration, metric::kSharedConflicts, metric::kDramRead, metric::kDramWrite, metric::kL2Read,
                                                metric::kL2Write, "spill_bytes"};
    if (kLess.contains(name))
        return Better::kLess;
    return name.ends_with("_pct") ? Better::kMore : Better::kNeither;
}

std::string joined(const std::vector<std::int64_t>& extents) { return fmt::format("{}", fmt::join(extents, " × ")); }

class Rows {
public:
    explicit Rows(const std::vector<Variant>& variants) : variants_(variants) {}

    using Pick = std::function<Value(const Capture&)>;

    // Left out where no variant has a value.
    void add(Group group, std::string name, std::string unit, Origin origin, const Pick& pick)
    {
        Row row{.group = group, .name = std::move(name), .unit = std::move(unit), .origin = origin, .values = {}};
        for (const Variant& variant : variants_)
            row.values.push_back(pick(*variant.capture));
        if (std::all_of(row.values.begin(), row.values.end(), [](const Value& v) { return v == Value{}; }))
            return;
        row.differs = std::any_of(row.values.begin(), row.values.end(), [&](const Value& v) { return v != row.values.front(); });
        rows_.push_back(std::move(row));
    }
    void word(std::string name, const std::function<std::string(const Capture&)>& pick)
    {
        add(Group::kSetting, std::move(name), "", Origin::kModelled, [&](const Capture& c) { return Value{.text = pick(c)}; });
    }

    void settings()
    {
        std::set<std::string> params, dims;
        for (const Variant& v : variants_) {
            for (const auto& [name, value] : v.capture->params)
                params.insert(name);
            for (const auto& [name, value] : v.capture->dims)
                dims.insert(name);
        }
        word("file", [](const Capture& c) { return c.files.empty() ? std::string() : c.files.front().name; });
        word("kernel", [](const Capture& c) { return c.kernel; });
        word("instance", [](const Capture& c) { return c.instance; });
        word("target", [](const Capture& c) { return c.target; });
        word("device", [](const Capture& c) { return c.environment.device; });
        word("GPU", [](const Capture& c) { return c.environment.gpu; });
        for (const std::string& name : params)
            word(name, [&](const Capture& c) { return c.params.contains(name) ? c.params.at(name) : std::string(); });
        for (const std::string& name : dims)
            word(name, [&](const Capture& c) { return c.dims.contains(name) ? std::to_string(c.dims.at(name)) : std::string(); });
    }

    void resources()
    {
        std::size_t most = 0;
        for (const Variant& v : variants_)
            most = std::max(most, v.capture->launches.size());
        for (std::size_t i = 0; i < most; ++i)
            resourcesOf(i, i == 0 ? std::string() : fmt::format(" #{}", i + 1));
    }

    void metrics()
    {
        std::vector<std::pair<std::string, Origin>> seen;
        const auto note = [&](const std::string& name, Origin origin) {
            if (std::find(seen.begin(), seen.end(), std::pair(name, origin)) == seen.end())
                seen.emplace_back(name, origin);
        };
        for (const char* name : {metric::kDuration, metric::kTensorPipe, metric::kDramBandwidth, metric::kL2Bandwidth, metric::kIssueSlots, metric::kOccupancy})
            for (const Origin origin : {Origin::kMeasured, Origin::kSimulated, Origin::kModelled})
                note(name, origin);
        for (const Variant& v : variants_)
            for (const Metric& m : v.capture->metrics)
                note(m.name, m.origin);
        for (const auto& [name, origin] : seen)
            metricRow(name, origin);
    }

    // The time that tile operations of one name take, in the order of the first variant that has them.
    void operations()
    {
        std::vector<std::string> names;
        for (const Variant& v : variants_)
            for (const Operation& o : v.capture->operations)
                if (std::find(names.begin(), names.end(), o.name) == names.end())
                    names.push_back(o.name);
        for (const std::string& name : names)
            for (const Origin origin : {Origin::kMeasured, Origin::kSimulated, Origin::kModelled})
                add(Group::kOperation, name, "us", origin, [&](const Capture& c) { return timeOf(c, name, origin); });
    }

    [[nodiscard]] std::vector<Row> take() { return std::move(rows_); }

private:
    static const Metric* metricOf(const Capture& c, const std::string& name, Origin origin)
    {
        const auto find = [&](int launch) -> const Metric* {
            const auto found = std::find_if(c.metrics.begin(), c.metrics.end(), [&](const Metric& m) { return m.name == name && m.origin == origin && m.launch == launch; });
            return found == c.metrics.end() ? nullptr : &*found;
        };
        if (const Metric* whole = find(-1))
            return whole;
        return c.launches.size() <= 1 ? find(0) : nullptr;
    }

    static Value timeOf(const Capture& c, const std::string& name, Origin origin)
    {
        const Metric* duration = metricOf(c, metric::kDuration, origin);
        double share = 0;
        bool isThere = false;
        for (const Operation& o : c.operations) {
            if (o.name != name || o.origin != origin)
                continue;
            share += o.timeShare;
            isThere = true;
        }
        return isThere && duration ? Value{.number = share * duration->value} : Value{};
    }

    void resourcesOf(std::size_t launch, const std::string& suffix)
    {
        const auto put = [&](const char* name, const char* unit, const std::function<Value(const Launch&)>& pick) {
            add(Group::kResource, name + suffix, unit, Origin::kModelled, [&](const Capture& c) { return launch < c.launches.size() ? pick(c.launches[launch]) : Value{}; });
        };
        const auto counted = [](std::int64_t n) { return n > 0 ? Value{.number = static_cast<double>(n)} : Value{}; };
        put("grid", "", [](const Launch& l) { return Value{.text = joined(l.grid)}; });
        put("cluster", "", [](const Launch& l) { return Value{.text = joined(l.cluster)}; });
        put("threads", "count", [&](const Launch& l) {
            std::int64_t threads = l.block.empty() ? 0 : 1;
            for (const std::int64_t n : l.block)
                threads *= n;
            return counted(threads);
        });
        put("shared_bytes", "bytes", [](const Launch& l) { return Value{.number = static_cast<double>(l.staticSharedBytes + l.dynamicSharedBytes)}; });
        put("registers", "count", [&](const Launch& l) { return counted(l.registers); });
        put("spill_bytes", "bytes", [](const Launch& l) { return l.registers > 0 ? Value{.number = static_cast<double>(l.spillBytes)} : Value{}; });
        put("blocks_per_sm", "count", [&](const Launch& l) { return counted(l.blocksPerSm); });
        put("resident_warps_pct", "%", [](const Launch& l) { return l.blocksPerSm > 0 ? Value{.number = 100 * l.occupancy} : Value{}; });
        put("limiter", "", [](const Launch& l) { return Value{.text = l.limiter}; });
    }

    void metricRow(const std::string& name, Origin origin)
    {
        std::string unit;
        std::vector<double> spreads;
        for (const Variant& v : variants_) {
            const Metric* m = metricOf(*v.capture, name, origin);
            spreads.push_back(m ? m->spread : 0);
            if (m && unit.empty())
                unit = m->unit;
        }
        const std::size_t before = rows_.size();
        add(Group::kMetric, name, unit, origin, [&](const Capture& c) {
            const Metric* m = metricOf(c, name, origin);
            return m ? Value{.number = m->value} : Value{};
        });
        if (rows_.size() == before)
            return;
        if (origin == Origin::kMeasured)
            rows_.back().spreads = spreads;
        markBest(rows_.back());
    }

    // Only where it is ahead of the next by more than the larger of their spreads.
    static void markBest(Row& row)
    {
        const Better better = betterOf(row.name);
        if (better == Better::kNeither || !row.differs)
            return;
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < row.values.size(); ++i)
            if (row.values[i].number)
                order.push_back(i);
        if (order.size() < 2)
            return;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return better == Better::kLess ? *row.values[a].number < *row.values[b].number : *row.values[a].number > *row.values[b].number;
        });
        const double first = *row.values[order[0]].number, second = *row.values[order[1]].number;
        const double noise = row.spreads.empty() ? 0 : std::max(row.spreads[order[0]], row.spreads[order[1]]);
        if (std::abs(first - second) > noise * std::abs(second))
            row.best = static_cast<int>(order[0]);
    }

    const std::vector<Variant>& variants_;
    std::vector<Row> rows_;
};

}  // namespace

const char* groupText(Group group)
{
    static constexpr std::array kNames = {"settings", "resources", "metrics", "operations"};
    return kNames.at(static_cast<std::size_t>(group));
}

bool saysOrigin(const Row& row) { return row.group == Group::kMetric || row.group == Group::kOperation; }

std::vector<Row> rowsOf(const std::vector<Variant>& variants)
{
    TW_CHECK(std::all_of(variants.begin(), variants.end(), [](const Variant& v) { return v.capture != nullptr; }), "every variant has a capture");
    Rows rows(variants);
    rows.settings();
    rows.resources();
    rows.metrics();
    rows.operations();
    return rows.take();
}

std::vector<std::string> shortNames(const std::vector<Variant>& variants, const std::vector<Row>& rows)
{
    std::vector<std::string> names(variants.size());
    for (const Row& row : rows) {
        if (row.group != Group::kSetting || !row.differs || row.name == "instance" || row.name == "GPU")
            continue;
        for (std::size_t i = 0; i < names.size(); ++i)
            names[i] += (names[i].empty() ? "" : " ") + (row.name == "file" || row.name == "kernel" || row.name == "target" || row.name == "device"
                                                             ? row.values[i].text : row.name + "=" + (row.values[i].text.empty() ? "-" : row.values[i].text));
    }
    const bool tellsApart = std::set<std::string>(names.begin(), names.end()).size() == names.size();
    for (std::size_t i = 0; i < names.size(); ++i)
        if (!tellsApart || names[i].empty() || names[i].size() > 40)
            names[i] = variants[i].id;
    return names;
}

}  // namespace tw::compare

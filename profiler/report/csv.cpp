#include "profiler/report/csv.h"

#include <fmt/core.h>

namespace tw::report {
namespace {

using namespace capture;

struct Row {
    std::string part, name, key{}, launch{}, line{}, timeNs{};
    double value = 0;
    std::string unit{};
    Origin origin = Origin::kMeasured;
    std::string samples{}, spread{};
};

std::string number(double value) { return fmt::format("{}", value); }

std::string lineText(int line) { return line > 0 ? std::to_string(line) : std::string(); }

class Table {
public:
    void add(const Row& row)
    {
        out_ += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\r\n", row.part, csvField(row.name), csvField(row.key), row.launch, row.line, row.timeNs,
                            number(row.value), csvField(row.unit), originText(row.origin), row.samples, row.spread);
    }
    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    std::string out_ = std::string(kCsvHeader);
};

void addOperation(const Operation& operation, Table& table)
{
    Row row{.part = "operation", .name = operation.name, .line = lineText(operation.line), .origin = operation.origin};
    const auto put = [&](const std::string& key, double value, const char* unit) {
        row.key = key;
        row.value = value;
        row.unit = unit;
        table.add(row);
    };
    put("time", 100 * operation.timeShare, "%");
    for (const auto& [level, bytes] : operation.bytes)
        put("bytes " + level, bytes, "bytes");
    for (const auto& [reason, share] : operation.stalls)
        put("stalls " + reason, 100 * share, "%");
    if (operation.flops > 0)
        put("flops", operation.flops, "count");
    row.origin = Origin::kMeasured;
    for (const auto& [name, value] : operation.counts)
        put("counts " + name, value, "count");
}

}  // namespace

std::string csvField(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string out = "\"";
    for (const char c : text)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

std::string toCsv(const Capture& capture)
{
    Table table;
    for (const Metric& m : capture.metrics)
        table.add({.part = "metric", .name = m.name, .launch = m.launch < 0 ? "" : std::to_string(m.launch), .value = m.value, .unit = m.unit,
                   .origin = m.origin, .samples = std::to_string(m.samples), .spread = number(m.spread)});
    for (const double us : capture.samplesUs)
        table.add({.part = "sample", .name = metric::kDuration, .value = us, .unit = "us"});
    for (const Operation& operation : capture.operations)
        addOperation(operation, table);
    for (const LineCost& line : capture.lines) {
        if (line.share > 0)
            table.add({.part = "line", .name = line.text, .key = "share", .line = lineText(line.line), .value = 100 * line.share, .unit = "%", .origin = line.origin});
        for (const auto& [name, value] : line.counts)
            table.add({.part = "line", .name = line.text, .key = "counts " + name, .line = lineText(line.line), .value = value, .unit = "count"});
    }
    for (const Series& series : capture.series)
        for (std::size_t i = 0; i < series.values.size(); ++i)
            table.add({.part = "series", .name = series.name, .launch = std::to_string(series.launch), .timeNs = number(series.timeNs[i]),
                       .value = series.values[i], .unit = series.unit, .origin = series.origin});
    for (const Finding& finding : capture.findings)
        table.add({.part = "finding", .name = finding.code, .key = finding.reason, .line = lineText(finding.line), .value = finding.value,
                   .unit = finding.unit, .origin = finding.origin});
    return table.take();
}

}  // namespace tw::report

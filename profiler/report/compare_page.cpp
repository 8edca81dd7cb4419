#include "profiler/report/compare_page.h"

#include <algorithm>

#include <fmt/core.h>

#include "profiler/report/charts.h"
#include "profiler/report/code_diff.h"
#include "profiler/report/csv.h"
#include "profiler/report/html_parts.h"
#include "profiler/report/quantity.h"
#include "profiler/report/svg.h"

namespace tw::report {
namespace {

using namespace compare;

std::string cell(const Row& row, std::size_t i)
{
    const Value& value = row.values[i];
    if (!value.number)
        return fmt::format("<td>{}</td>", escaped(value.text));
    const std::optional<double>& first = row.values.front().number;
    std::string delta;
    if (i > 0 && first && *first != 0 && *first != *value.number)
        delta = fmt::format(" <span class=\"same\">{:+.1f} %</span>", 100 * (*value.number / *first - 1));
    return fmt::format("<td class=\"{}\">{}{}</td>", row.best == static_cast<int>(i) ? "better" : "", escaped(quantity(*value.number, row.unit)), delta);
}

std::string tableOf(const std::vector<std::string>& names, const std::vector<Row>& rows, bool differing)
{
    std::string out;
    for (const Row& row : rows) {
        if (row.differs != differing)
            continue;
        out += fmt::format("<tr><td>{}</td><td>{}</td>", escaped(row.name), saysOrigin(row) ? originTag(row.origin) : "");
        for (std::size_t i = 0; i < (differing ? row.values.size() : 1); ++i)
            out += cell(row, i);
        out += "</tr>\n";
    }
    if (out.empty())
        return {};
    std::string head = "<th></th><th></th>";
    for (const std::string& name : names)
        head += differing ? fmt::format("<th>{}</th>", escaped(name)) : "";
    return "<div class=\"scroll\"><table><tr>" + head + (differing ? "" : "<th>every variant</th>") + "</tr>" + out + "</table></div>\n";
}

// The program at each stage, side by side, in the order of the compiler.
std::string programSections(const std::vector<Variant>& variants, const std::vector<std::string>& names)
{
    const auto diffOf = [&](auto text) {
        std::vector<std::string_view> texts;
        for (const Variant& variant : variants)
            texts.push_back(text(*variant.capture));
        return codeDiff(names, texts);
    };
    std::string machine;
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const std::string code = machineCode(*variants[i].capture);
        machine += code.empty() ? "" : fmt::format("<h3>{}</h3>{}", escaped(names[i]), code);
    }
    using capture::Capture;
    return section("source", "Source", diffOf([](const Capture& c) { return c.files.empty() ? std::string_view() : std::string_view(c.files.front().text); })) +
           section("schedule", "Schedule", diffOf([](const Capture& c) { return std::string_view(c.schedule); })) +
           section("tile-ir", "Tile IR", diffOf([](const Capture& c) { return std::string_view(c.tileIr); })) +
           section("thread-ir", "Thread IR", diffOf([](const Capture& c) { return std::string_view(c.threadIr); })) +
           section("cuda", "CUDA", diffOf([](const Capture& c) { return std::string_view(c.cuda.text); })) + section("sass", "SASS", machine);
}

}  // namespace

std::string comparisonChart(const std::vector<Variant>& variants, const std::vector<Row>& rows)
{
    constexpr std::size_t kMostGroups = 10;
    std::vector<Row> ordered = rows;
    std::stable_partition(ordered.begin(), ordered.end(), [](const Row& row) { return row.group == Group::kMetric; });
    std::vector<BarGroup> groups;
    for (const Row& row : ordered) {
        if (!row.differs || groups.size() >= kMostGroups || !std::all_of(row.values.begin(), row.values.end(), [](const Value& v) { return v.number.has_value(); }))
            continue;
        BarGroup group{saysOrigin(row) ? fmt::format("{}, {}", row.name, capture::originText(row.origin)) : row.name, row.unit, {}};
        for (const Value& value : row.values)
            group.values.push_back(*value.number);
        groups.push_back(std::move(group));
    }
    return groupedBars(shortNames(variants, rows), groups);
}

std::string comparisonPage(const std::vector<Variant>& variants, const std::vector<Row>& rows)
{
    const std::vector<std::string> names = shortNames(variants, rows);
    std::string list;
    for (std::size_t i = 0; i < variants.size(); ++i)
        list += fmt::format("<p>{}: {}</p>", escaped(names[i]), escaped(variants[i].id));
    const std::string same = tableOf(names, rows, false);
    return page("variants - Tilewright",
                fmt::format("<h1>{} variants side by side</h1><p class=\"sub\">numbers beside a value: distance to the first variant; green: the best, by more than the spread</p>\n",
                            variants.size()) +
                    section("chart", "At a glance", comparisonChart(variants, rows)) + section("differences", "What differs", tableOf(names, rows, true)) +
                    section("same", "What is the same", same.empty() ? same : "<details><summary>show</summary>" + same + "</details>") +
                    programSections(variants, names) + section("variants", "Variants", list));
}

std::string comparisonCsv(const std::vector<Variant>& variants, const std::vector<Row>& rows)
{
    std::string out = "group,name,unit,source,differs";
    for (const Variant& variant : variants)
        out += "," + csvField(variant.id);
    out += "\r\n";
    for (const Row& row : rows) {
        out += fmt::format("{},{},{},{},{}", groupText(row.group), csvField(row.name), csvField(row.unit), saysOrigin(row) ? capture::originText(row.origin) : "",
                           row.differs ? "yes" : "no");
        for (const Value& value : row.values)
            out += "," + csvField(value.number ? fmt::format("{}", *value.number) : value.text);
        out += "\r\n";
    }
    return out;
}

}  // namespace tw::report

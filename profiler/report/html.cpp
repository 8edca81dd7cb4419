#include "profiler/report/html.h"

#include <fmt/ranges.h>

#include "profiler/report/charts.h"
#include "profiler/report/html_parts.h"
#include "profiler/report/quantity.h"
#include "profiler/report/style.h"
#include "profiler/report/svg.h"

namespace tw::report {
namespace {

using namespace capture;

std::string card(const std::string& value, std::string_view label, const std::string& more)
{
    return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span> {}</div>", escaped(value), escaped(label), more);
}

std::string metricCard(const Capture& capture, const char* name, const char* label)
{
    const Metric* m = findMetric(capture, name);
    return m ? card(quantity(m->value, m->unit), label, originTag(m->origin)) : std::string();
}

std::string cards(const Capture& capture)
{
    std::string out;
    if (const Metric* m = findMetric(capture, metric::kDuration)) {
        const std::string label = m->samples > 1 ? fmt::format("median of {} ± {} %", m->samples, digits(100 * m->spread)) : "duration";
        out += card(quantity(m->value, m->unit), label, originTag(m->origin));
        const Metric* flops = findMetric(capture, metric::kFlops);
        if (flops && flops->value > 0 && m->value > 0)
            out += card(quantity(flops->value / (m->value * 1e-6), "flop/s"), "reached", originTag(m->origin));
        const Metric* least = findMetric(capture, metric::kMinBytes);
        if (least && least->value > 0 && m->value > 0)
            out += card(quantity(least->value / (m->value * 1e-6), "bytes/s"), "of bytes that must move", originTag(m->origin));
    }
    out += metricCard(capture, metric::kDramRead, "read from DRAM") + metricCard(capture, metric::kDramWrite, "written to DRAM");
    out += metricCard(capture, metric::kRegisters, "registers a thread") + metricCard(capture, metric::kSharedConflicts, "shared bank conflicts");
    return out.empty() ? out : "<div class=\"cards\">" + out + "</div>\n";
}

std::string timelines(const Capture& capture)
{
    std::string out;
    for (const Timeline& timeline : capture.timelines) {
        const std::string chart = timelineChart(timeline);
        if (chart.empty())
            continue;
        out += "<p>" + originTag(timeline.origin);
        if (timeline.plainUs > 0 && timeline.recordedUs > 0)
            out += fmt::format(" recording it took {:+.1f} %: {} without, {} with records", 100 * (timeline.recordedUs / timeline.plainUs - 1),
                               quantity(timeline.plainUs, "us"), quantity(timeline.recordedUs, "us"));
        if (timeline.dropped > 0)
            out += fmt::format(" <span class=\"worse\">{} records did not fit</span>", timeline.dropped);
        out += "</p>\n<div class=\"scroll\">" + chart + "</div>\n";
    }
    return out;
}

std::string header(const Capture& capture)
{
    const std::string device = capture.environment.gpu.empty() ? capture.environment.device : capture.environment.gpu + " (" + capture.environment.device + ")";
    std::vector<std::string> params;
    for (const auto& [name, value] : capture.params)
        params.push_back(name + "=" + value);
    return fmt::format("<h1>{}</h1><p class=\"sub\">{}@{} for {} on {} · {}<br>{}</p>\n", escaped(capture.kernel), escaped(capture.kernel), escaped(capture.instance),
                       escaped(capture.target), escaped(device.empty() ? "no device" : device), escaped(capture.created), escaped(fmt::format("{}", fmt::join(params, "  "))));
}

// Links to the sections that are there.
std::string contents(const std::string& sections)
{
    std::string out;
    for (const auto& [id, name] : {std::pair{"findings", "Findings"}, {"peak", "Share of peak"}, {"roofline", "Roofline"}, {"operations", "Operations"},
                                   {"stalls", "Stalls"}, {"timeline", "Timeline"}, {"series", "Counters over time"}, {"source", "Source"},
                                   {"metrics", "All numbers"}, {"environment", "Environment"}})
        if (sections.find(fmt::format("<section id=\"{}\">", id)) != std::string::npos)
            out += fmt::format("<a href=\"#{}\">{}</a>", id, name);
    return "<nav>" + out + "</nav>\n";
}

}  // namespace

std::string page(std::string_view title, std::string_view sections)
{
    // The policy keeps a page made of a stranger's capture from running or fetching anything.
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
                       "<meta name=\"color-scheme\" content=\"light dark\"><title>{}</title><style>{}</style></head>\n<body><main>\n{}</main></body></html>\n",
                       escaped(title), pageStyle(), sections);
}

std::string section(std::string_view id, std::string_view heading, const std::string& body)
{
    return body.empty() ? std::string() : fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", id, heading, body);
}

std::string toHtml(const Capture& capture, const Capture* baseline)
{
    const std::string sections =
        section("findings", "Findings", findingsList(capture)) + section("peak", "Share of peak", headlineChart(capture) + samplesChart(capture.samplesUs)) +
        section("roofline", "Roofline", rooflineChart(capture.roofline)) + section("operations", "Tile operations", operationsTable(capture)) +
        section("stalls", "Why warps wait", stallChart(capture)) + section("timeline", "Stages over time", timelines(capture)) +
        section("series", "Counters over time", seriesChart(capture.series)) + section("source", "Source", sourceWithHeat(capture)) +
        section("code", "Generated code", generatedCode(capture)) + section("launches", "Launches", launchesTable(capture)) +
        section("metrics", "All numbers", metricsTable(capture, baseline)) + section("environment", "How it ran", environmentTable(capture));
    return page(capture.kernel + " - Tilewright", header(capture) + cards(capture) + contents(sections) + sections);
}

}  // namespace tw::report

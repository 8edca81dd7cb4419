#include <algorithm>

#include <fmt/ranges.h>

#include "profiler/report/html_parts.h"
#include "profiler/report/quantity.h"
#include "profiler/report/svg.h"

namespace tw::report {
namespace {

using namespace capture;

std::string lineLink(int line) { return line > 0 ? fmt::format("<a href=\"#L{}\">line {}</a>", line, line) : std::string(); }

std::string table(const std::string& head, const std::string& rows)
{
    return rows.empty() ? std::string() : "<div class=\"scroll\"><table><tr>" + head + "</tr>" + rows + "</table></div>\n";
}

std::string row(std::string_view name, std::string_view value)
{
    return value.empty() ? std::string() : fmt::format("<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(value));
}

// "long_scoreboard 41 %": the largest.
std::string topStall(const Operation& operation)
{
    const auto most = std::max_element(operation.stalls.begin(), operation.stalls.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == operation.stalls.end() ? std::string() : fmt::format("{} {} %", most->first, digits(100 * most->second));
}

std::string bytesOf(const Operation& operation, const char* level)
{
    const auto found = operation.bytes.find(level);
    return found == operation.bytes.end() ? std::string() : quantity(found->second, "bytes");
}

// How far from the baseline's number of the same name, launch and origin; "better" only where a direction is known.
std::string delta(const Metric& metric, const Capture* baseline)
{
    if (!baseline)
        return {};
    const auto found = std::find_if(baseline->metrics.begin(), baseline->metrics.end(), [&](const Metric& m) {
        return m.name == metric.name && m.launch == metric.launch && m.origin == metric.origin;
    });
    if (found == baseline->metrics.end() || found->value == 0)
        return "<td></td>";
    const double change = metric.value / found->value - 1;
    const bool isLessBetter = metric.name == metric::kDuration || metric.name == metric::kSharedConflicts;
    const bool isMoreBetter = metric.name.ends_with("_pct");
    const bool isNoise = std::abs(change) <= std::max({metric.spread, found->spread, 0.001});
    const char* kind = isNoise || !(isLessBetter || isMoreBetter) ? "same" : (change < 0) == isLessBetter ? "better" : "worse";
    return fmt::format("<td class=\"n {}\">{:+.1f} %</td>", kind, 100 * change);
}

}  // namespace

std::string originTag(Origin origin) { return fmt::format("<span class=\"tag {}\">{}</span>", originText(origin), originText(origin)); }

std::string operationsTable(const Capture& capture)
{
    std::string rows;
    for (const Operation& o : capture.operations) {
        rows += fmt::format("<tr><td>{}</td><td>{}</td><td><span class=\"bar\" style=\"width:{:.0f}px\"></span>{} %</td>", escaped(o.name), lineLink(o.line),
                            140 * std::clamp(o.timeShare, 0.0, 1.0), digits(100 * o.timeShare));
        for (const char* level : {"dram", "l2", "shared"})
            rows += fmt::format("<td class=\"n\">{}</td>", bytesOf(o, level));
        rows += fmt::format("<td class=\"n\">{}</td><td>{}</td><td>{}</td></tr>\n", o.flops > 0 ? quantity(o.flops, "count") : "", escaped(topStall(o)), originTag(o.origin));
    }
    return table("<th>operation</th><th></th><th>share of time</th><th class=\"n\">DRAM</th><th class=\"n\">L2</th><th class=\"n\">shared</th>"
                 "<th class=\"n\">operations</th><th>mostly waits for</th><th></th>", rows);
}

std::string launchesTable(const Capture& capture)
{
    std::string rows;
    for (const Launch& l : capture.launches)
        rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
                            "<td>{}</td></tr>\n", escaped(l.entry), fmt::join(l.grid, " × "), fmt::join(l.block, " × "),
                            quantity(static_cast<double>(l.staticSharedBytes + l.dynamicSharedBytes), "bytes"), l.registers > 0 ? std::to_string(l.registers) : "",
                            l.registers > 0 ? quantity(static_cast<double>(l.spillBytes), "bytes") : "", l.blocksPerSm > 0 ? std::to_string(l.blocksPerSm) : "",
                            l.occupancy > 0 ? fmt::format("{} % ({})", digits(100 * l.occupancy), escaped(l.limiter)) : "");
    return table("<th>launch</th><th>grid</th><th>block</th><th class=\"n\">shared memory</th><th class=\"n\">registers</th><th class=\"n\">spills</th>"
                 "<th class=\"n\">blocks an SM</th><th>resident warps (limit)</th>", rows);
}

std::string metricsTable(const Capture& capture, const Capture* baseline)
{
    std::string rows;
    for (const Metric& m : capture.metrics) {
        rows += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"n\" title=\"{}\">{}</td>{}<td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                            escaped(m.name), m.launch < 0 ? "" : fmt::format("#{}", m.launch + 1), m.value, escaped(quantity(m.value, m.unit)), delta(m, baseline),
                            originTag(m.origin), m.samples, m.spread > 0 ? fmt::format("± {} %", digits(100 * m.spread)) : "");
    }
    return table(fmt::format("<th>metric</th><th>launch</th><th class=\"n\">value</th>{}<th></th><th class=\"n\">samples</th><th class=\"n\">spread</th>",
                             baseline ? "<th class=\"n\">to the baseline</th>" : ""), rows);
}

std::string environmentTable(const Capture& capture)
{
    const Environment& e = capture.environment;
    const auto number = [](double value, const char* unit) { return value > 0 ? fmt::format("{} {}", digits(value), unit) : std::string(); };
    std::string rows = row("device", e.device) + row("GPU", e.gpu) + row("driver", e.driver) + row("CUDA", e.cuda) + row("CUPTI", e.cupti) +
                       row("host", e.host) + row("system", e.system) + row("SM clock", number(e.smClockMHz, "MHz")) +
                       row("memory clock", number(e.memoryClockMHz, "MHz")) + row("temperature", number(e.temperatureC, "°C")) +
                       row("power", number(e.powerW, "W")) + row("throttling", fmt::format("{}", fmt::join(e.throttling, ", "))) +
                       row("L2 before each run", e.coldL2 ? "flushed" : "as the run before left it") + row("seed", std::to_string(capture.seed));
    for (const auto& [name, value] : capture.params)
        rows += row("parameter " + name, value);
    for (const auto& [name, value] : capture.dims)
        rows += row("extent " + name, std::to_string(value));
    for (const auto& [what, why] : capture.absences)
        rows += row("without " + what, why);
    rows += row("Tilewright", capture.tilewright) + row("tags", fmt::format("{}", fmt::join(capture.tags, ", "))) + row("notes", capture.notes);
    return "<table>" + rows + "</table>\n";
}

std::string findingsList(const Capture& capture)
{
    std::string out;
    for (const Finding& f : capture.findings) {
        out += fmt::format("<div class=\"finding\"><b>{}</b>{} {}", escaped(f.code), lineLink(f.line), originTag(f.origin));
        if (f.gain > 1)
            out += fmt::format(" <span class=\"tag\">up to {:.2f}× faster</span>", f.gain);
        out += fmt::format("<p>{}</p>", escaped(f.reason));
        if (f.edit.isPossible())
            out += fmt::format("<p class=\"sub\">possible edit: {}{}</p>", escaped(f.edit.label), f.edit.modelledGain > 1 ? fmt::format(" (modelled {:.2f}×)", f.edit.modelledGain) : "");
        out += "</div>\n";
    }
    return out;
}

}  // namespace tw::report

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "profiler/report/html_parts.h"
#include "profiler/report/quantity.h"
#include "profiler/report/svg.h"

namespace tw::report {
namespace {

using namespace capture;

struct Heat {
    double share = 0;
    std::string tip;
};

// By line of one text. Several operations may share a line.
std::map<int, Heat> heatOf(const Capture& capture, std::string_view text)
{
    std::map<int, Heat> out;
    for (const LineCost& cost : capture.lines) {
        if (cost.text != text || !(cost.share > 0))
            continue;
        Heat& heat = out[cost.line];
        heat.share += cost.share;
        for (const auto& [reason, share] : cost.stalls)
            heat.tip += fmt::format("{}{} {} %", heat.tip.empty() ? "" : ", ", reason, digits(100 * share));
    }
    return out;
}

// `anchor`: each line is a place to jump to.
std::string codeTable(std::string_view text, const std::map<int, Heat>& heat, bool hasAnchors)
{
    double most = 0;
    for (const auto& [line, h] : heat)
        most = std::max(most, h.share);
    std::string out = "<div class=\"code\"><table>";
    int line = 1;
    for (std::size_t begin = 0; begin < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const auto found = heat.find(line);
        out += hasAnchors ? fmt::format("<tr id=\"L{}\">", line) : "<tr>";
        fmt::format_to(std::back_inserter(out), "<td class=\"l\">{}</td>", line);
        if (found != heat.end())
            fmt::format_to(std::back_inserter(out), "<td class=\"h\" style=\"background:rgba(var(--heat),{:.2f})\" title=\"{}\">{:.1f} %</td>",
                           0.12 + 0.6 * found->second.share / most, escaped(found->second.tip), 100 * found->second.share);
        else if (!heat.empty())
            out += "<td class=\"h\"></td>";
        fmt::format_to(std::back_inserter(out), "<td>{}</td></tr>\n", escaped(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return out + "</table></div>\n";
}

std::string folded(std::string_view title, std::string_view text, const std::map<int, Heat>& heat)
{
    if (text.empty())
        return {};
    return fmt::format("<details><summary>{}</summary>", escaped(title)) + codeTable(text, heat, false) + "</details>\n";
}

}  // namespace

std::string sourceWithHeat(const Capture& capture)
{
    std::string out;
    for (std::size_t i = 0; i < capture.files.size(); ++i) {
        const SourceFile& file = capture.files[i];
        out += i == 0 ? fmt::format("<p class=\"sub\">{}</p>", escaped(file.name)) + codeTable(file.text, heatOf(capture, "source"), true)
                      : folded(file.name, file.text, {});
    }
    return out;
}

std::string generatedCode(const Capture& capture)
{
    return folded("schedule", capture.schedule, {}) + folded("tile IR", capture.tileIr, {}) + folded("thread IR", capture.threadIr, {}) +
           folded("CUDA", capture.cuda.text, heatOf(capture, "cuda")) + machineCode(capture);
}

std::string machineCode(const Capture& capture) { return folded("SASS", capture.sass.text, heatOf(capture, "sass")); }

}  // namespace tw::report

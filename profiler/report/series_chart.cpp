#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "profiler/report/charts.h"
#include "profiler/report/quantity.h"
#include "profiler/report/svg.h"

namespace tw::report {
namespace {

using namespace capture;

constexpr double kWidth = 1080, kLeft = 190, kRight = 90, kPanel = 84;
constexpr std::size_t kMostPoints = 1000;  // more than there are pixels

void drawPanel(Svg& svg, const Series& series, double top, double lastNs, std::size_t color)
{
    const double bottom = top + kPanel - 24;
    const double most = std::max(*std::max_element(series.values.begin(), series.values.end()), 1e-300);
    svg.rule(kLeft, bottom, kWidth - kRight, bottom);
    svg.rule(kLeft, top, kWidth - kRight, top);
    svg.text(kLeft - 12, top + 24, shortened(series.name, 25), Anchor::kEnd);
    svg.text(kLeft - 12, top + 42, originText(series.origin), Anchor::kEnd, Ink::kMuted, 11);
    svg.text(kWidth - kRight + 8, top + 4, quantity(most, series.unit), Anchor::kStart, Ink::kMuted, 11);
    svg.text(kWidth - kRight + 8, bottom + 4, "0", Anchor::kStart, Ink::kMuted, 11);
    std::string data;
    const std::size_t step = std::max<std::size_t>(1, series.values.size() / kMostPoints);
    for (std::size_t i = 0; i < series.values.size(); i += step)
        fmt::format_to(std::back_inserter(data), "{}{:.1f} {:.1f}", data.empty() ? "M" : "L", kLeft + (kWidth - kLeft - kRight) * series.timeNs[i] / lastNs,
                       bottom - (bottom - top) * std::max(series.values[i], 0.0) / most);
    svg.path(data, categoryColor(color));
}

}  // namespace

std::string seriesChart(const std::vector<Series>& series)
{
    double lastNs = 0;
    std::vector<const Series*> drawn;
    for (const Series& s : series) {
        if (s.values.size() < 2 || s.values.size() != s.timeNs.size())
            continue;
        lastNs = std::max(lastNs, *std::max_element(s.timeNs.begin(), s.timeNs.end()));
        drawn.push_back(&s);
    }
    if (drawn.empty() || !(lastNs > 0))
        return {};
    drawn.resize(std::min<std::size_t>(drawn.size(), 12));
    const double height = kPanel * static_cast<double>(drawn.size()) + 30;
    Svg svg(kWidth, height, "counters over time");
    for (std::size_t i = 0; i < drawn.size(); ++i)
        drawPanel(svg, *drawn[i], 8 + kPanel * static_cast<double>(i), lastNs, i);
    for (int i = 0; i <= 4; ++i)
        svg.text(kLeft + (kWidth - kLeft - kRight) * i / 4, height - 10, quantity(lastNs * i / 4, "ns"), Anchor::kMiddle, Ink::kMuted, 11);
    return std::move(svg).finish();
}

}  // namespace tw::report

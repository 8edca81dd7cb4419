#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "core/support/statistics.h"
#include "profiler/report/charts.h"
#include "profiler/report/quantity.h"
#include "profiler/report/svg.h"

namespace tw::report {
namespace {

using namespace capture;

constexpr double kWidth = 1080, kLabel = 190;

struct Part {
    std::string name;
    double share = 0;  // 0 … 1
};

// One bar whose parts add up to its length.
void stackedBar(Svg& svg, double y, double height, const std::vector<Part>& parts, const std::map<std::string, std::size_t>& colors)
{
    const double width = kWidth - kLabel - 20;
    double x = kLabel;
    svg.track(kLabel, y, width, height);
    for (const Part& part : parts) {
        const double w = width * std::clamp(part.share, 0.0, 1.0);
        if (w >= 0.5)
            svg.rect(x, y, w, height, categoryColor(colors.at(part.name)), fmt::format("{}: {} %", part.name, digits(100 * part.share)));
        x += w;
    }
}

std::vector<Part> sortedParts(const std::map<std::string, double>& shares)
{
    std::vector<Part> parts;
    for (const auto& [name, share] : shares)
        parts.push_back({name, share});
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.share > b.share; });
    return parts;
}

// Names left to right, wrapped; gives the height used.
double legend(Svg& svg, double y, const std::vector<Part>& parts)
{
    double x = kLabel;
    const double top = y;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string text = fmt::format("{} {} %", parts[i].name, digits(100 * parts[i].share));
        const double width = 26 + 6.6 * static_cast<double>(text.size());
        if (x > kLabel && x + width > kWidth) {
            x = kLabel;
            y += 20;
        }
        svg.rect(x, y - 9, 11, 11, categoryColor(i));
        svg.text(x + 17, y, text, Anchor::kStart, Ink::kMuted, 12);
        x += width;
    }
    return y - top + 20;
}

}  // namespace

std::string headlineChart(const Capture& capture)
{
    struct Bar {
        const char* label;
        const Metric* value;
    };
    std::vector<Bar> bars;
    for (const auto& [label, name] : {std::pair{"tensor pipe", metric::kTensorPipe}, {"DRAM bandwidth", metric::kDramBandwidth},
                                      {"L2 bandwidth", metric::kL2Bandwidth}, {"issue slots", metric::kIssueSlots}, {"occupancy", metric::kOccupancy}})
        if (const Metric* value = findMetric(capture, name))
            bars.push_back({label, value});
    if (bars.empty())
        return {};
    constexpr double kRow = 30;
    Svg svg(kWidth, kRow * static_cast<double>(bars.size()) + 26, "share of peak");
    const double width = kWidth - kLabel - 190;
    const double bottom = kRow * static_cast<double>(bars.size());
    for (int percent = 0; percent <= 100; percent += 25) {
        const double x = kLabel + width * percent / 100;
        svg.rule(x, 0, x, bottom);
        svg.text(x, bottom + 18, fmt::format("{} %", percent), Anchor::kMiddle, Ink::kMuted, 11);
    }
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const Metric& m = *bars[i].value;
        const double y = kRow * static_cast<double>(i) + 6;
        svg.text(kLabel - 12, y + 13, bars[i].label, Anchor::kEnd);
        svg.track(kLabel, y, width, 18);
        svg.rect(kLabel, y, width * std::clamp(m.value / 100, 0.0, 1.0), 18, categoryColor(0), fmt::format("{}: {} %, {}", m.name, digits(m.value), originText(m.origin)),
                 m.origin == Origin::kMeasured ? 1 : 0.6);
        svg.text(kLabel + width + 12, y + 13, fmt::format("{} %", digits(m.value)));
        svg.text(kLabel + width + 80, y + 13, originText(m.origin), Anchor::kStart, Ink::kMuted, 11);
    }
    return std::move(svg).finish();
}

std::string stallChart(const Capture& capture)
{
    std::vector<const Operation*> sampled;
    double all = 0;
    std::map<std::string, double> total;
    for (const Operation& operation : capture.operations) {
        if (operation.stalls.empty())
            continue;
        const double weight = operation.samples > 0 ? operation.samples : operation.timeShare;
        all += weight;
        for (const auto& [reason, share] : operation.stalls)
            total[reason] += weight * share;
        sampled.push_back(&operation);
    }
    if (sampled.empty() || !(all > 0))
        return {};
    for (auto& [reason, share] : total)
        share /= all;
    const std::vector<Part> parts = sortedParts(total);
    std::map<std::string, std::size_t> colors;
    for (const Part& part : parts)
        colors.emplace(part.name, colors.size());
    sampled.resize(std::min<std::size_t>(sampled.size(), 8));
    constexpr double kRow = 26;
    const double legendRows = 2 + static_cast<double>(parts.size()) / 6;
    Svg svg(kWidth, kRow * static_cast<double>(sampled.size() + 1) + 20 * legendRows, "why warps wait");
    svg.text(kLabel - 12, 17, "whole kernel", Anchor::kEnd);
    stackedBar(svg, 4, 18, parts, colors);
    double y = kRow;
    for (const Operation* operation : sampled) {
        svg.text(kLabel - 12, y + 17, shortened(operation->name, 24), Anchor::kEnd, Ink::kMuted);
        stackedBar(svg, y + 4, 18, sortedParts(operation->stalls), colors);
        y += kRow;
    }
    legend(svg, y + 22, parts);
    return std::move(svg).finish();
}

std::string samplesChart(const std::vector<double>& samplesUs)
{
    if (samplesUs.size() < 2)
        return {};
    const auto [low, high] = std::minmax_element(samplesUs.begin(), samplesUs.end());
    const double least = *low, most = *high > *low ? *high : *low + 1;
    const double middle = median(samplesUs);
    constexpr double kHeight = 120, kBottom = 96;
    Svg svg(kWidth, kHeight, "durations of the single runs");
    const auto yOf = [&](double us) { return kBottom - 80 * (us - least) / (most - least); };
    svg.rule(kLabel, kBottom, kWidth - 110, kBottom);
    svg.line(kLabel, yOf(middle), kWidth - 110, yOf(middle), categoryColor(1), true);
    svg.text(kWidth - 104, yOf(middle) + 4, quantity(middle, "us"));
    svg.text(kLabel - 12, yOf(most) + 4, quantity(*high, "us"), Anchor::kEnd, Ink::kMuted);
    svg.text(kLabel - 12, kBottom + 4, quantity(least, "us"), Anchor::kEnd, Ink::kMuted);
    const double step = (kWidth - kLabel - 120) / static_cast<double>(samplesUs.size());
    const std::size_t stride = 1 + samplesUs.size() / 800;  // a dot a pixel is enough
    for (std::size_t i = 0; i < samplesUs.size(); i += stride)
        svg.circle(kLabel + 6 + step * static_cast<double>(i), yOf(samplesUs[i]), 3, categoryColor(0), true, fmt::format("run {}: {}", i + 1, quantity(samplesUs[i], "us")));
    return std::move(svg).finish();
}

std::string groupedBars(const std::vector<std::string>& variants, const std::vector<BarGroup>& groups)
{
    if (groups.empty() || variants.empty())
        return {};
    constexpr double kRow = 16, kGap = 18;
    const double group = kRow * static_cast<double>(variants.size()) + kGap;
    Svg svg(kWidth, group * static_cast<double>(groups.size()) + 30 + 20 * static_cast<double>(variants.size()), "variants side by side");
    const double width = kWidth - kLabel - 130;
    double y = 6;
    for (std::size_t i = 0; i < variants.size(); ++i, y += 20) {
        svg.rect(kLabel, y, 11, 11, categoryColor(i));
        svg.text(kLabel + 17, y + 10, variants[i], Anchor::kStart, Ink::kMuted);
    }
    y += 10;
    for (const BarGroup& g : groups) {
        const double most = std::max(*std::max_element(g.values.begin(), g.values.end()), 1e-300);
        svg.text(kLabel - 12, y + 12, shortened(g.name, 30), Anchor::kEnd, Ink::kText, 11);
        for (std::size_t i = 0; i < g.values.size(); ++i, y += kRow) {
            const std::string value = quantity(g.values[i], g.unit);
            svg.track(kLabel, y, width, kRow - 3);
            svg.rect(kLabel, y, width * std::clamp(g.values[i] / most, 0.0, 1.0), kRow - 3, categoryColor(i), fmt::format("{}: {}", variants[i], value));
            svg.text(kLabel + width + 10, y + 11, value, Anchor::kStart, Ink::kText, 11);
        }
        y += kGap;
    }
    return std::move(svg).finish();
}

}  // namespace tw::report

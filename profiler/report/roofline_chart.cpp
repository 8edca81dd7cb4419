#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "profiler/report/charts.h"
#include "profiler/report/quantity.h"
#include "profiler/report/svg.h"

namespace tw::report {
namespace {

using namespace capture;

constexpr double kWidth = 1080, kHeight = 460, kLeft = 92, kRight = 40, kTop = 20, kBottom = 50;

// Powers of ten that hold all values, and pixels for them.
struct LogAxis {
    int first = 0, last = 1;
    double from = 0, to = 1;  // pixels
    void fit(std::vector<double> values)
    {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        first = static_cast<int>(std::floor(std::log10(*low)));
        last = std::max(first + 1, static_cast<int>(std::ceil(std::log10(*high))));
    }
    [[nodiscard]] double at(double value) const { return from + (to - from) * (std::log10(value) - first) / (last - first); }
};

bool isDrawn(const RooflinePoint& point) { return point.flops > 0 && point.bytes > 0 && point.seconds > 0; }

struct Picture {
    const Roofline& roofline;
    LogAxis x{0, 1, kLeft, kWidth - kRight}, y{0, 1, kHeight - kBottom, kTop};
    double highest = 0;  // rate of the highest level ceiling
    Svg svg{kWidth, kHeight, "roofline"};

    void fit()
    {
        std::vector<double> intensities, rates;
        for (const RooflinePoint& p : roofline.points) {
            if (!isDrawn(p))
                continue;
            intensities.insert(intensities.end(), {p.flops / p.bytes / 2, p.flops / p.bytes * 2});
            rates.push_back(p.flops / p.seconds / 2);
        }
        for (const Ceiling& c : roofline.ceilings)
            if (!c.isBandwidth && c.perSecond > 0)
                highest = std::max(highest, c.perSecond);
        if (highest > 0)
            rates.push_back(highest * 1.5);
        for (const Ceiling& c : roofline.ceilings)
            if (c.isBandwidth && c.perSecond > 0 && highest > 0)
                intensities.insert(intensities.end(), {highest / c.perSecond * 4, highest / c.perSecond / 50});
        x.fit(intensities);
        y.fit(rates);
    }

    void grid()
    {
        for (int power = x.first; power <= x.last; ++power) {
            const double at = x.at(std::pow(10, power));
            svg.rule(at, kTop, at, kHeight - kBottom);
            svg.text(at, kHeight - kBottom + 18, digits(std::pow(10, power)), Anchor::kMiddle, Ink::kMuted, 11);
        }
        for (int power = y.first; power <= y.last; ++power) {
            const double at = y.at(std::pow(10, power));
            svg.rule(kLeft, at, kWidth - kRight, at);
            svg.text(kLeft - 8, at + 4, quantity(std::pow(10, power), "flop/s"), Anchor::kEnd, Ink::kMuted, 11);
        }
        svg.text((kLeft + kWidth - kRight) / 2, kHeight - 10, "operations a byte", Anchor::kMiddle, Ink::kMuted);
    }

    // A line of slope one from the left or lower edge to where the highest rate cuts it.
    void bandwidth(const Ceiling& c, std::size_t color)
    {
        const double lowX = std::pow(10, x.first), lowY = std::pow(10, y.first);
        const double x1 = std::max(lowX, lowY / c.perSecond);
        const double x2 = std::min(std::pow(10, x.last), (highest > 0 ? highest : std::pow(10, y.last)) / c.perSecond);
        if (x2 <= x1)
            return;
        svg.line(x.at(x1), y.at(x1 * c.perSecond), x.at(x2), y.at(x2 * c.perSecond), categoryColor(color), c.origin != Origin::kMeasured);
        const double middle = std::sqrt(x1 * x2);
        svg.text(x.at(middle) - 8, y.at(middle * c.perSecond) - 8, fmt::format("{} {}", c.name, quantity(c.perSecond, "bytes/s")), Anchor::kEnd, Ink::kText, 11);
    }

    void rate(const Ceiling& c, std::size_t color)
    {
        const double at = y.at(c.perSecond);
        if (at > kHeight - kBottom)
            return;
        svg.line(kLeft, at, kWidth - kRight, at, categoryColor(color), c.origin != Origin::kMeasured);
        svg.text(kWidth - kRight - 4, at - 6, fmt::format("{} {}", c.name, quantity(c.perSecond, "flop/s")), Anchor::kEnd, Ink::kText, 11);
    }

    void point(const RooflinePoint& p)
    {
        const double intensity = p.flops / p.bytes, rate = p.flops / p.seconds;
        const std::string tip = fmt::format("{}: {} at {}, {}", p.name, quantity(rate, "flop/s"), quantity(intensity, "flop/byte"), originText(p.origin));
        svg.circle(x.at(intensity), y.at(rate), 6, categoryColor(3), p.origin == Origin::kMeasured, tip);
        svg.text(x.at(intensity) + 11, y.at(rate) + 4, p.name);
    }
};

}  // namespace

std::string rooflineChart(const Roofline& roofline)
{
    const bool hasPoint = std::any_of(roofline.points.begin(), roofline.points.end(), isDrawn);
    const bool hasRate = std::any_of(roofline.ceilings.begin(), roofline.ceilings.end(), [](const Ceiling& c) { return !c.isBandwidth && c.perSecond > 0; });
    if (!hasPoint || !hasRate)
        return {};
    Picture picture{roofline};
    picture.fit();
    picture.grid();
    std::size_t color = 4;
    for (const Ceiling& c : roofline.ceilings) {
        if (!(c.perSecond > 0))
            continue;
        if (c.isBandwidth)
            picture.bandwidth(c, color++);
        else
            picture.rate(c, color++);
    }
    for (const RooflinePoint& p : roofline.points)
        if (isDrawn(p))
            picture.point(p);
    return std::move(picture.svg).finish();
}

}  // namespace tw::report

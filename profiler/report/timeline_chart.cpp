#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "profiler/report/charts.h"
#include "profiler/report/quantity.h"
#include "profiler/report/svg.h"

namespace tw::report {
namespace {

using namespace capture;

constexpr double kWidth = 1080, kLeft = 190, kRight = 20, kRow = 22, kTop = 34;
constexpr std::size_t kMostRows = 64, kMostSpans = 6000;

struct Picture {
    const Timeline& timeline;
    double lastNs = 0;
    std::size_t rows = 0;
    std::map<std::string, std::size_t> colors;

    [[nodiscard]] double xOf(double ns) const { return kLeft + (kWidth - kLeft - kRight) * std::clamp(ns / lastNs, 0.0, 1.0); }

    void measure()
    {
        rows = std::min(timeline.tracks.size(), kMostRows);
        // Known events keep their colours from one timeline to the next.
        for (const char* event : {"issue", "wait", "tensor", "epilogue"})
            colors.emplace(event, colors.size());
        colors["tensor"] = 2;
        colors["wait"] = 3;
        colors["issue"] = 0;
        colors["epilogue"] = 4;
        for (const Span& span : timeline.spans) {
            lastNs = std::max(lastNs, span.endNs);
            colors.emplace(span.event, colors.size() + 1);
        }
    }

    void legend(Svg& svg) const
    {
        double x = kLeft;
        for (const auto& [event, color] : colors) {
            if (std::none_of(timeline.spans.begin(), timeline.spans.end(), [&name = event](const Span& s) { return s.event == name; }))
                continue;
            svg.rect(x, 6, 11, 11, categoryColor(color));
            svg.text(x + 16, 16, event, Anchor::kStart, Ink::kMuted);
            x += 34 + 7 * static_cast<double>(event.size());
        }
    }

    void frame(Svg& svg) const
    {
        const double bottom = kTop + kRow * static_cast<double>(rows);
        for (int i = 0; i <= 8; ++i) {
            const double x = xOf(lastNs * i / 8);
            svg.rule(x, kTop, x, bottom);
            svg.text(x, bottom + 16, quantity(lastNs * i / 8, "ns"), Anchor::kMiddle, Ink::kMuted, 11);
        }
        for (std::size_t i = 0; i < rows; ++i) {
            const Track& track = timeline.tracks[i];
            const double y = kTop + kRow * static_cast<double>(i);
            const bool startsBlock = i == 0 || timeline.tracks[i - 1].block != track.block || timeline.tracks[i - 1].launch != track.launch;
            if (startsBlock) {
                svg.rule(8, y, kWidth - kRight, y);
                svg.text(8, y + 15, track.sm >= 0 ? fmt::format("block {}, SM {}", track.block, track.sm) : fmt::format("block {}", track.block), Anchor::kStart,
                         Ink::kMuted, 11);
            }
            svg.text(kLeft - 8, y + 15, track.role, Anchor::kEnd, Ink::kText, 11);
        }
    }

    // Nested spans are drawn inside the one around them.
    void spans(Svg& svg) const
    {
        struct Open {
            int track;
            double endNs;
        };
        std::vector<Open> around;
        double lastX = -1;
        const Span* last = nullptr;
        std::size_t drawn = 0;
        for (const Span& span : timeline.spans) {
            if (static_cast<std::size_t>(span.track) >= rows || drawn >= kMostSpans)
                continue;
            while (!around.empty() && (around.back().track != span.track || around.back().endNs <= span.startNs))
                around.pop_back();
            const double x = xOf(span.startNs), width = std::max(xOf(span.endNs) - x, 0.4);
            const bool isHidden = last && last->track == span.track && last->event == span.event && x + width < lastX + 0.5;
            if (!isHidden) {
                const double inset = std::min<double>(6, 3 * static_cast<double>(around.size()));
                svg.rect(x, kTop + kRow * span.track + 3 + inset, width, kRow - 6 - 2 * inset, categoryColor(colors.at(span.event)), tip(span));
                lastX = x + width;
                last = &span;
                ++drawn;
            }
            around.push_back({span.track, span.endNs});
        }
    }

    static std::string tip(const Span& span)
    {
        std::string out = fmt::format("{}: {} from {}", span.event, quantity(span.endNs - span.startNs, "ns"), quantity(span.startNs, "ns"));
        if (span.iteration >= 0)
            out += fmt::format(", iteration {}", span.iteration);
        if (span.stage >= 0)
            out += fmt::format(", stage {}", span.stage);
        return out;
    }
};

}  // namespace

std::string timelineChart(const Timeline& timeline)
{
    Picture picture{timeline, 0, 0, {}};
    picture.measure();
    if (picture.rows == 0 || !(picture.lastNs > 0))
        return {};
    Svg svg(kWidth, kTop + kRow * static_cast<double>(picture.rows) + 28, fmt::format("stage timeline, {}", originText(timeline.origin)));
    picture.legend(svg);
    picture.frame(svg);
    picture.spans(svg);
    return std::move(svg).finish();
}

}  // namespace tw::report

#include "app/cli/timeline_text.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "profiler/timeline/summary.h"

namespace tw::cli {
namespace {

constexpr std::size_t kMostBubbles = 3;
constexpr double kWholeBlock = 0.99;

int lineOf(const capture::Capture& capture, std::uint32_t op)
{
    const auto found = std::ranges::find(capture.operations, op, &capture::Operation::id);
    return found == capture.operations.end() ? 0 : found->line;
}

std::string roleText(const timeline::RoleSummary& role)
{
    std::vector<std::pair<std::string, double>> events(role.byEvent.begin(), role.byEvent.end());
    std::ranges::stable_sort(events, std::greater{}, &std::pair<std::string, double>::second);
    std::string text = fmt::format("  {:<14} {:>10.2f} us", role.role, role.totalNs / 1000 / role.tracks);
    // Shares are of the role's own life; one that starts later or ends earlier than its block says so.
    if (role.blockShare < kWholeBlock)
        text += fmt::format(" ({:.0f} % of its block)", 100 * role.blockShare);
    for (const auto& [event, ns] : events)
        if (role.totalNs > 0)
            text += fmt::format("  {} {:.1f} %", event, 100 * ns / role.totalNs);
    return text + "\n";
}

std::string bubbleText(const timeline::Bubble& bubble, const capture::Timeline& t, const capture::Capture& capture)
{
    std::string text = fmt::format("  {} waits {:.2f} us", t.tracks.at(static_cast<std::size_t>(bubble.track)).role, bubble.ns / 1000);
    if (bubble.times > 1)
        text += fmt::format(" in {} waits", bubble.times);
    else if (bubble.iteration >= 0)
        text += fmt::format(" in iteration {}", bubble.iteration);
    if (const int line = lineOf(capture, bubble.nextOp); line > 0)
        text += fmt::format(", before line {}", line);
    if (const std::string cause = timeline::causeText(bubble.cause); !cause.empty())
        text += ": " + cause;
    return text + "\n";
}

}  // namespace

std::string timelineText(const capture::Capture& capture)
{
    std::string text;
    for (const capture::Timeline& t : capture.timelines) {
        const timeline::Summary summary = timeline::summarize(t);
        text += fmt::format("\nstages, {}", capture::originText(t.origin));
        if (t.plainUs > 0)
            text += fmt::format(" (recording costs {:+.1f} %: {:.2f} us instead of {:.2f} us; {:.1f} ns a record)", 100 * summary.overhead, t.recordedUs, t.plainUs, t.recordCostNs);
        text += "\n";
        for (const timeline::RoleSummary& role : summary.roles)
            text += roleText(role);
        std::set<std::tuple<std::string, std::uint32_t, std::uint32_t>> shown;  // the longest of the blocks speaks for all
        for (const timeline::Bubble& bubble : summary.bubbles)
            if (shown.size() < kMostBubbles && shown.emplace(t.tracks.at(static_cast<std::size_t>(bubble.track)).role, bubble.op, bubble.nextOp).second)
                text += bubbleText(bubble, t, capture);
    }
    return text;
}

}  // namespace tw::cli

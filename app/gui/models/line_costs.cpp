#include "app/gui/models/line_costs.h"

#include <QObject>

#include <algorithm>
#include <iterator>
#include <map>

#include "app/gui/models/metric_text.h"
#include "profiler/analysis/attribute.h"

namespace tw::gui {
namespace {

constexpr std::size_t kNamedStalls = 3;

QString textOf(double share, capture::Origin origin, const std::map<std::string, double>& stalls)
{
    QString text = origin == capture::Origin::kMeasured ? QObject::tr("%1 of all samples, measured").arg(percentText(share))
                                                        : QObject::tr("%1 of the time, %2").arg(percentText(share), originName(origin));
    std::vector<std::pair<double, std::string>> sorted;
    for (const auto& [reason, part] : stalls)
        sorted.emplace_back(part, reason);
    std::sort(sorted.rbegin(), sorted.rend());
    for (std::size_t i = 0; i < std::min(kNamedStalls, sorted.size()); ++i)
        text += QStringLiteral("\n%1 %2").arg(QString::fromStdString(sorted[i].second), percentText(sorted[i].first));
    return text;
}

// What the line's instructions did, where they were counted.
QString countsText(const std::map<std::string, double>& counts)
{
    namespace count = capture::count;
    const auto of = [&](const char* name) { return counts.contains(name) ? counts.at(name) : 0; };
    if (of(count::kExecuted) <= 0)
        return {};
    QString text = QObject::tr("\n%1 warp instructions, %2 of 32 lanes").arg(of(count::kExecuted), 0, 'g', 4).arg(of(count::kThreads) / of(count::kExecuted), 0, 'f', 1);
    if (of(count::kIdealSectors) > 0)
        text += QObject::tr("\n%1 sectors, %2× the fewest").arg(of(count::kSectors), 0, 'g', 4).arg(of(count::kSectors) / of(count::kIdealSectors), 0, 'f', 2);
    if (of(count::kIdealWavefronts) > 0)
        text += QObject::tr("\n%1 shared wavefronts, %2× the fewest").arg(of(count::kWavefronts), 0, 'g', 4).arg(of(count::kWavefronts) / of(count::kIdealWavefronts), 0, 'f', 2);
    return text;
}

// One entry a line that took time, with what its instructions did.
std::map<int, capture::LineCost> summed(const std::vector<capture::LineCost>& costs)
{
    std::map<int, capture::LineCost> lines;
    for (const auto& cost : costs) {
        if (cost.line <= 0 || cost.share <= 0)
            continue;
        auto& sum = lines[cost.line];
        const double share = sum.share + cost.share;
        for (auto& [reason, part] : sum.stalls)
            part *= sum.share / share;
        for (const auto& [reason, part] : cost.stalls)
            sum.stalls[reason] += part * cost.share / share;
        sum.share = share;
        sum.origin = cost.origin;
    }
    for (const auto& cost : costs)
        if (const auto line = lines.find(cost.line); line != lines.end())
            for (const auto& [name, value] : cost.counts)
                line->second.counts[name] += value;
    return lines;
}

std::vector<LineCostText> textsOf(const std::vector<capture::LineCost>& costs)
{
    std::vector<LineCostText> texts;
    for (const auto& [line, cost] : summed(costs))
        texts.push_back({line, cost.share, textOf(cost.share, cost.origin, cost.stalls) + countsText(cost.counts)});
    return texts;
}

std::vector<capture::LineCost> ownCosts(const capture::Capture& capture, const std::string& text)
{
    std::vector<capture::LineCost> costs;
    std::copy_if(capture.lines.begin(), capture.lines.end(), std::back_inserter(costs), [&](const auto& cost) { return cost.text == text; });
    return costs;
}

bool hasHeat(const std::vector<capture::LineCost>& costs)
{
    return std::any_of(costs.begin(), costs.end(), [](const auto& cost) { return cost.share > 0; });
}

std::string_view withoutEnd(std::string_view text)
{
    while (text.ends_with('\n'))
        text.remove_suffix(1);
    return text;
}

std::vector<gpu::LineSource> lineMapOf(const Listing& listing)
{
    std::vector<gpu::LineSource> lines;
    for (std::size_t i = 0; i < listing.lines.size(); ++i)
        if (const auto& line = listing.lines[i]; (line.source.isKnown() || line.op != 0) && line.mark != ListingLine::Mark::kRemoved)
            lines.push_back({static_cast<int>(i) + 1, line.source, line.op});
    return lines;
}

// Why a program's listing has no costs.
QString absenceOf(const capture::Capture& capture)
{
    for (const char* part : {"stalls", "counters", "model"})
        if (const auto found = capture.absences.find(part); found != capture.absences.end())
            return QObject::tr("no heat: %1").arg(QString::fromStdString(found->second));
    return capture.operations.empty() ? QObject::tr("no heat: this profile charges nothing to operations")
                                      : QObject::tr("no heat: nothing was charged to these lines");
}

}  // namespace

std::vector<LineCostText> lineCosts(const capture::Capture& capture, const std::string& text)
{
    auto costs = ownCosts(capture, text);
    if (!hasHeat(costs) && text == "source")
        for (const auto& op : capture.operations)
            if (op.where.file == 0)
                costs.push_back({text, op.line, op.id, op.timeShare, op.stalls, op.origin, {}});
    return textsOf(costs);
}

ListingCosts listingCosts(const capture::Capture& capture, const std::string& text, const Listing& listing)
{
    const bool isOfProcessor = text == "llvm" || text == "assembly";
    if (isOfProcessor != (capture.target == "cpu") && text != "ir")
        return {{}, QObject::tr("no heat: the profile is of %1").arg(QString::fromStdString(capture.target))};
    const auto& profiled = text == "cuda" ? capture.cuda.text : text == "sass" ? capture.sass.text : std::string();
    const bool isSame = !profiled.empty() && withoutEnd(profiled) == withoutEnd(listing.text);
    auto costs = isSame ? ownCosts(capture, text) : std::vector<capture::LineCost>();
    if (!hasHeat(costs))
        costs = profile_analysis::spreadCosts(capture, text, lineMapOf(listing));
    if (!hasHeat(costs))
        return {{}, absenceOf(capture)};
    const auto origin = costs.front().origin;
    return {textsOf(costs), origin == capture::Origin::kMeasured ? QObject::tr("heat: samples, measured") : QObject::tr("heat: time, %1").arg(originName(origin))};
}

}  // namespace tw::gui

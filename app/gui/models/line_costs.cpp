#include "app/gui/models/line_costs.h"

#include <QObject>

#include <map>

#include "app/gui/models/metric_text.h"

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

}  // namespace

std::vector<LineCostText> lineCosts(const capture::Capture& capture, const std::string& text)
{
    std::map<int, capture::LineCost> lines;
    std::map<int, std::map<std::string, double>> counts;
    const auto add = [&](const capture::LineCost& cost) {
        if (cost.line <= 0 || cost.share <= 0)
            return;
        auto& sum = lines[cost.line];
        const double share = sum.share + cost.share;
        for (const auto& [reason, part] : cost.stalls)
            sum.stalls[reason] = (sum.stalls[reason] * sum.share + part * cost.share) / share;
        sum.share = share;
        sum.origin = cost.origin;
    };
    for (const auto& cost : capture.lines)
        if (cost.text == text) {
            add(cost);
            for (const auto& [name, value] : cost.counts)
                counts[cost.line][name] += value;
        }
    if (lines.empty() && text == "source")
        for (const auto& op : capture.operations)
            if (op.where.file == 0)
                add({text, op.line, op.id, op.timeShare, op.stalls, op.origin, {}});
    std::vector<LineCostText> costs;
    for (const auto& [line, cost] : lines)
        costs.push_back({line, cost.share, textOf(cost.share, cost.origin, cost.stalls) + countsText(counts[line])});
    return costs;
}

}  // namespace tw::gui

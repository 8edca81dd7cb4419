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

}  // namespace

std::vector<LineCostText> lineCosts(const capture::Capture& capture, const std::string& text)
{
    std::map<int, capture::LineCost> lines;
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
        if (cost.text == text)
            add(cost);
    if (lines.empty() && text == "source")
        for (const auto& op : capture.operations)
            if (op.where.file == 0)
                add({text, op.line, op.id, op.timeShare, op.stalls, op.origin});
    std::vector<LineCostText> costs;
    for (const auto& [line, cost] : lines)
        costs.push_back({line, cost.share, textOf(cost.share, cost.origin, cost.stalls)});
    return costs;
}

}  // namespace tw::gui

#include "app/gui/models/stage_lanes.h"

#include <QLocale>
#include <QObject>

#include "app/gui/models/metric_text.h"

namespace tw::gui {
namespace {

struct Look {
    const char* event;
    QRgb light, dark;
    bool isHatched;
};
// Waiting stands out by its hatching, work by its colour; told apart with every kind of colour vision.
constexpr Look kLooks[] = {{"issue", 0xff3b7dd8, 0xff5d9bf0, false},   {"copy", 0xff4a4fb5, 0xff8f95f2, false},
                           {"wait", 0xffc0504d, 0xffe8837f, true},     {"tensor", 0xff2f8f4e, 0xff5fc27f, false},
                           {"epilogue", 0xff8455b8, 0xffb08ae0, false}, {"prologue", 0xffb07a1e, 0xffe0ad57, false},
                           {"block", 0xff9aa4b2, 0xff566070, false}};
constexpr QRgb kOthers[][2] = {{0xff1b8a94, 0xff52c1ca}, {0xffa35c8b, 0xffd592bf}, {0xff6d7a2b, 0xffa9b75d}, {0xff7a6a5a, 0xffb6a593}};

StageCategory categoryFor(const std::string& event, std::size_t others, bool dark)
{
    for (const auto& look : kLooks)
        if (event == look.event)
            return {QString::fromStdString(event), QColor(dark ? look.dark : look.light), look.isHatched};
    return {QString::fromStdString(event), QColor(kOthers[others % std::size(kOthers)][dark ? 1 : 0]), false};
}

class LaneMaker {
public:
    LaneMaker(const std::string& role, bool dark) : role_(role), dark_(dark) {}

    void addAll(const capture::Capture& capture)
    {
        capture_ = &capture;
        for (const int i : order())
            addTimeline(i, {});
    }
    void addBest(const capture::Capture& capture, const QString& label, bool isBaseline = false)
    {
        capture_ = &capture;
        isBaseline_ = isBaseline;
        if (const auto all = order(); !all.empty())
            addTimeline(all.back(), label);
    }
    StageLanes take() { return std::move(lanes_); }

private:
    [[nodiscard]] const capture::Timeline& timeline(int i) const { return capture_->timelines[static_cast<std::size_t>(i)]; }
    // Planned before recorded.
    [[nodiscard]] std::vector<int> order() const
    {
        std::vector<int> order;
        for (int i = 0; i < static_cast<int>(capture_->timelines.size()); ++i)
            order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return timeline(a).origin > timeline(b).origin; });
        return order;
    }

    void addTimeline(int index, const QString& label)
    {
        const auto& t = timeline(index);
        StageLane heading;
        heading.isHeading = true;
        heading.title = t.origin == capture::Origin::kModelled ? QObject::tr("Planned") : QObject::tr("Recorded");
        if (!label.isEmpty())
            heading.title = label;
        heading.detail = timelineDetail(t);
        lanes_.chart.lanes.push_back(std::move(heading));
        const auto first = lanes_.chart.lanes.size();
        std::vector<int> laneOf(t.tracks.size(), -1);
        for (std::size_t k = 0; k < t.tracks.size(); ++k) {
            const auto& track = t.tracks[k];
            if (!role_.empty() && track.role != role_)
                continue;
            laneOf[k] = static_cast<int>(lanes_.chart.lanes.size());
            StageLane lane;
            lane.title = QString::fromStdString(track.role);
            lane.detail = track.sm >= 0 ? QObject::tr("b%1 SM%2").arg(track.block).arg(track.sm) : QObject::tr("b%1 w%2").arg(track.block).arg(track.warp);
            lanes_.chart.lanes.push_back(std::move(lane));
        }
        for (std::size_t s = 0; s < t.spans.size(); ++s)
            if (const auto track = static_cast<std::size_t>(t.spans[s].track); track < laneOf.size() && laneOf[track] >= 0)
                addSpan(lanes_.chart.lanes[static_cast<std::size_t>(laneOf[track])], t.spans[s], {index, static_cast<int>(s), isBaseline_});
        if (lanes_.chart.lanes.size() == first)
            lanes_.chart.lanes.pop_back();  // nobody of that role
    }

    void addSpan(StageLane& lane, const capture::Span& span, SpanPlace place)
    {
        StageBar bar;
        bar.start = span.startNs;
        bar.end = std::max(span.startNs, span.endNs);
        for (auto it = lane.bars.rbegin(); it != lane.bars.rend(); ++it)
            if (it->end >= bar.end && it->start <= bar.start) {  // the innermost that holds it
                bar.depth = it->depth + 1;
                break;
            } else if (it->depth == 0 && it->end <= bar.start) {
                break;
            }
        bar.depth = std::min(bar.depth, 2);
        lane.depths = std::max(lane.depths, bar.depth + 1);
        bar.category = categoryOf(span.event);
        bar.label = span.iteration >= 0 ? QObject::tr("%1 %2").arg(QString::fromStdString(span.event)).arg(span.iteration) : QString::fromStdString(span.event);
        bar.detail = detailOf(span);
        bar.key = span.op;
        bar.id = static_cast<int>(lanes_.places.size());
        lanes_.places.push_back(place);
        lanes_.chart.end = std::max(lanes_.chart.end, bar.end);
        lane.bars.push_back(std::move(bar));
    }

    [[nodiscard]] QString detailOf(const capture::Span& span) const
    {
        QString text = QObject::tr("%1, %2 from %3").arg(QString::fromStdString(span.event), timeText(span.endNs - span.startNs), timeText(span.startNs));
        if (span.iteration >= 0)
            text += QObject::tr("\niteration %1").arg(span.iteration);
        if (span.stage >= 0)
            text += QObject::tr(", stage %1").arg(span.stage);
        for (const auto& op : capture_->operations)
            if (op.id == span.op && span.op != 0)
                text += QObject::tr("\n%1, line %2").arg(QString::fromStdString(op.name)).arg(op.line);
        return text;
    }

    int categoryOf(const std::string& event)
    {
        const auto found = categories_.find(event);
        if (found != categories_.end())
            return found->second;
        const auto index = static_cast<int>(lanes_.chart.categories.size());
        lanes_.chart.categories.push_back(categoryFor(event, categories_.size(), dark_));
        categories_[event] = index;
        return index;
    }

    const capture::Capture* capture_ = nullptr;
    const std::string& role_;
    bool dark_, isBaseline_ = false;
    StageLanes lanes_;
    std::map<std::string, int> categories_;
};

}  // namespace

const capture::Timeline* bestTimeline(const capture::Capture& capture)
{
    const capture::Timeline* best = nullptr;
    for (const auto& t : capture.timelines)
        if (!best || t.origin < best->origin)
            best = &t;
    return best;
}

StageLanes stageLanes(const capture::Capture& capture, const capture::Capture* baseline, const std::string& role, bool dark)
{
    LaneMaker maker(role, dark);
    maker.addAll(capture);
    if (baseline)
        maker.addBest(*baseline, QObject::tr("Baseline"), true);
    return maker.take();
}

StageChartData stackedLanes(const std::vector<LabelledCapture>& captures, bool dark)
{
    const std::string all;
    LaneMaker maker(all, dark);
    for (const auto& c : captures)
        maker.addBest(*c.capture, c.label);
    return maker.take().chart;
}

QStringList timelineRoles(const capture::Capture& capture)
{
    QStringList roles;
    for (const auto& t : capture.timelines)
        for (const auto& track : t.tracks)
            if (const QString role = QString::fromStdString(track.role); !roles.contains(role))
                roles << role;
    return roles;
}

std::vector<EventSum> eventSums(const capture::Timeline& timeline, const std::string& role, double startNs, double endNs)
{
    std::map<std::string, EventSum> sums;
    for (const auto& span : timeline.spans) {
        const auto track = static_cast<std::size_t>(span.track);
        if (track >= timeline.tracks.size() || (!role.empty() && timeline.tracks[track].role != role))
            continue;
        const double overlap = std::min(endNs, span.endNs) - std::max(startNs, span.startNs);
        if (overlap <= 0)
            continue;
        auto& sum = sums[span.event];
        sum.event = span.event;
        sum.ns += overlap;
        ++sum.spans;
    }
    std::vector<EventSum> ordered;
    for (const auto& [event, sum] : sums)
        ordered.push_back(sum);
    std::stable_sort(ordered.begin(), ordered.end(), [](const EventSum& a, const EventSum& b) { return a.ns > b.ns; });
    return ordered;
}

QStringList spanHeaders()
{
    return {QObject::tr("Event"), QObject::tr("Role"), QObject::tr("Block"), QObject::tr("Warp"), QObject::tr("Iteration"), QObject::tr("Stage"),
            QObject::tr("Start"), QObject::tr("Duration"), QObject::tr("Operation"), QObject::tr("Origin")};
}

std::vector<TableRow> spanRows(const capture::Capture& own, const capture::Capture* baseline, const StageLanes& lanes)
{
    std::vector<TableRow> rows;
    rows.reserve(lanes.places.size());
    for (const auto& place : lanes.places) {
        const auto& capture = place.isBaseline ? *baseline : own;
        const auto& t = capture.timelines[static_cast<std::size_t>(place.timeline)];
        const auto& span = t.spans[static_cast<std::size_t>(place.span)];
        const auto& track = t.tracks[static_cast<std::size_t>(span.track)];
        const auto op = std::find_if(capture.operations.begin(), capture.operations.end(), [&](const auto& o) { return o.id == span.op; });
        TableRow row;
        row.cells = {QString::fromStdString(span.event), QString::fromStdString(track.role), QString::number(track.block), QString::number(track.warp),
                     span.iteration >= 0 ? QString::number(span.iteration) : QString(), span.stage >= 0 ? QString::number(span.stage) : QString(),
                     timeText(span.startNs), timeText(span.endNs - span.startNs), op == capture.operations.end() ? QString() : QString::fromStdString(op->name),
                     place.isBaseline ? QObject::tr("%1, baseline").arg(originName(t.origin)) : originName(t.origin)};
        if (op != capture.operations.end())
            row.range = op->where;
        row.op = span.op;
        rows.push_back(std::move(row));
    }
    return rows;
}

QString timelineDetail(const capture::Timeline& timeline)
{
    QStringList parts{originName(timeline.origin)};
    if (timeline.clockMHz > 0)
        parts << QObject::tr("SMs at %1 MHz").arg(QLocale(QLocale::English).toString(timeline.clockMHz, 'f', 0));
    const double percent = timeline.plainUs > 0 ? (timeline.recordedUs / timeline.plainUs - 1) * 100 : 0;
    if (timeline.plainUs > 0 && timeline.recordedUs > 0)
        parts << (percent >= 0.05 ? QObject::tr("recording cost %1 % of the time").arg(percent, 0, 'f', 1) : QObject::tr("recording cost nothing that can be measured"));
    if (timeline.dropped > 0)
        parts << QObject::tr("%1 records did not fit").arg(timeline.dropped);
    return parts.join(QStringLiteral(", "));
}

}  // namespace tw::gui

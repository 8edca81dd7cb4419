#include "app/gui/models/profile_charts.h"

#include <QObject>

#include <cmath>

#include "app/gui/models/metric_text.h"
#include "app/gui/widgets/cell_grid.h"

namespace tw::gui {
namespace {

using SeriesKind = ChartSeries::Kind;

constexpr double kTera = 1e12;
constexpr std::size_t kMostReasons = 8;

const capture::Ceiling* ceiling(const capture::Roofline& roofline, const std::string& name)
{
    const auto found = std::find_if(roofline.ceilings.begin(), roofline.ceilings.end(), [&](const auto& c) { return c.name == name; });
    return found == roofline.ceilings.end() ? nullptr : &*found;
}

bool isDrawable(const capture::RooflinePoint& p) { return p.flops > 0 && p.bytes > 0 && p.seconds > 0; }

QString pointText(const capture::Roofline& roofline, const capture::RooflinePoint& p)
{
    QString text = QObject::tr("%1 FLOP/B, %2, %3").arg(p.flops / p.bytes, 0, 'g', 3).arg(valueText(p.flops / p.seconds, "flop/s"), originName(p.origin));
    if (const double best = attainable(roofline, p); best > 0)
        text += QObject::tr("\n%1 of what %2 and %3 allow").arg(percentText(p.flops / p.seconds / best), QString::fromStdString(p.bandwidth), QString::fromStdString(p.compute));
    return text;
}

struct Extent {
    double low = std::numeric_limits<double>::max(), high = 0;
    void add(double v)
    {
        if (v > 0 && std::isfinite(v)) {
            low = std::min(low, v);
            high = std::max(high, v);
        }
    }
    [[nodiscard]] bool isEmpty() const { return high == 0; }
};

// Whole decades around an extent.
ChartAxis decades(const QString& title, const Extent& e)
{
    if (e.isEmpty())
        return {title, 1, 10, true};
    return {title, std::pow(10, std::floor(std::log10(e.low) - 0.01)), std::pow(10, std::ceil(std::log10(e.high) + 0.01)), true};
}

void addCeilings(ChartData& chart, const capture::Roofline& roofline, const QColor& ink)
{
    double peak = 0, fastest = 0;
    for (const auto& c : roofline.ceilings)
        (c.isBandwidth ? fastest : peak) = std::max(c.isBandwidth ? fastest : peak, c.perSecond);
    for (const auto& c : roofline.ceilings) {
        ChartSeries line;
        line.kind = c.origin == capture::Origin::kMeasured ? SeriesKind::kLine : SeriesKind::kDashed;
        line.color = ink;
        line.inLegend = false;
        line.name = QObject::tr("%1, %2").arg(QString::fromStdString(c.name), originName(c.origin));
        const auto add = [&](double x, double perSecond) {
            line.points << QPointF(x, perSecond / kTera);
            line.labels << valueText(c.perSecond, c.isBandwidth ? "bytes/s" : "flop/s");
        };
        if (c.isBandwidth) {
            add(chart.x.min, c.perSecond * chart.x.min);
            const double end = peak > 0 ? std::min(chart.x.max, peak / c.perSecond) : chart.x.max;
            add(std::sqrt(chart.x.min * end), c.perSecond * std::sqrt(chart.x.min * end));
            add(end, c.perSecond * end);
        } else {
            const double begin = fastest > 0 ? std::max(chart.x.min, c.perSecond / fastest) : chart.x.min;
            add(begin, c.perSecond);
            add(std::sqrt(begin * chart.x.max), c.perSecond);
            add(chart.x.max, c.perSecond);
        }
        // A bandwidth is named near where its line comes in, a rate at its right end.
        const double low = chart.y.min * std::pow(chart.y.max / chart.y.min, 0.12) * kTera;
        const double x = c.isBandwidth ? std::max(low / c.perSecond, chart.x.min * 1.2) : chart.x.max;
        line.tag = QStringLiteral("%1  %2").arg(QString::fromStdString(c.name), valueText(c.perSecond, c.isBandwidth ? "bytes/s" : "flop/s"));
        line.tagAt = {x, (c.isBandwidth ? c.perSecond * x : c.perSecond) / kTera};
        chart.series << line;
    }
}

// Reasons by their part of all samples, the largest first; past kMostReasons they are one.
std::vector<std::string> mainReasons(const std::vector<StallBar>& bars)
{
    std::map<std::string, double> totals;
    for (const auto& bar : bars)
        for (const auto& [reason, share] : bar.shown->stalls)
            totals[reason] += share * std::max(bar.shown->timeShare, 1e-9);
    std::vector<std::pair<double, std::string>> sorted;
    for (const auto& [reason, total] : totals)
        sorted.emplace_back(-total, reason);
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(kMostReasons, sorted.size()); ++i)
        names.push_back(sorted[i].second);
    return names;
}

const capture::Operation* operationOf(const capture::Capture& capture, const std::string& name)
{
    const auto found = std::find_if(capture.operations.begin(), capture.operations.end(), [&](const auto& op) { return op.name == name; });
    return found == capture.operations.end() ? nullptr : &*found;
}

// What two launches of one program share: the counter of the same name, unit and launch.
const capture::Series* seriesOf(const capture::Capture* capture, const capture::Series& like)
{
    if (!capture)
        return nullptr;
    const auto found = std::find_if(capture->series.begin(), capture->series.end(), [&](const auto& s) { return s.name == like.name && s.unit == like.unit && s.launch == like.launch; });
    return found == capture->series.end() ? nullptr : &*found;
}

}  // namespace

double attainable(const capture::Roofline& roofline, const capture::RooflinePoint& point)
{
    const auto* bandwidth = ceiling(roofline, point.bandwidth);
    const auto* compute = ceiling(roofline, point.compute);
    if (!bandwidth || !compute || point.bytes <= 0)
        return 0;
    return std::min(compute->perSecond, bandwidth->perSecond * point.flops / point.bytes);
}

ChartData rooflineChart(const std::vector<ChartedRun>& runs, const QColor& ink)
{
    Extent x, y;
    const capture::Roofline* ceilings = nullptr;
    for (const auto& run : runs) {
        const auto& roofline = run.capture->roofline;
        if (!ceilings && !roofline.ceilings.empty())
            ceilings = &roofline;
        for (const auto& p : roofline.points)
            if (isDrawable(p)) {
                x.add(p.flops / p.bytes);
                y.add(p.flops / p.seconds / kTera);
            }
    }
    double peak = 0, slowest = std::numeric_limits<double>::max();
    for (const auto& c : ceilings ? ceilings->ceilings : std::vector<capture::Ceiling>()) {
        if (c.isBandwidth)
            slowest = std::min(slowest, c.perSecond);
        else
            peak = std::max(peak, c.perSecond);
        if (!c.isBandwidth)
            y.add(c.perSecond / kTera);
    }
    if (peak > 0) {
        y.add(peak / kTera);
        x.add(1.1);
        if (slowest < std::numeric_limits<double>::max())
            x.add(4 * peak / slowest);  // past the last ridge
    }
    ChartData chart;
    chart.x = decades(QObject::tr("operations a byte (FLOP/B)"), x);
    chart.y = decades(QObject::tr("TFLOP/s"), y);
    if (ceilings)
        addCeilings(chart, *ceilings, ink);
    for (const auto& run : runs) {
        ChartSeries points;
        points.kind = SeriesKind::kPoints;
        points.color = run.color;
        points.name = run.label;
        for (const auto& p : run.capture->roofline.points)
            if (isDrawable(p)) {
                points.points << QPointF(p.flops / p.bytes, p.flops / p.seconds / kTera);
                points.pointTags << QString::fromStdString(p.bandwidth);
                points.labels << QString::fromStdString(p.name) + QLatin1Char('\n') + pointText(run.capture->roofline, p);
            }
        if (!points.points.isEmpty())
            chart.series << points;
    }
    return chart;
}

QStringList rooflineHeaders()
{
    return {QObject::tr("Point"), QObject::tr("Run"), QObject::tr("FLOP/B"), QObject::tr("Rate"), QObject::tr("Bandwidth"), QObject::tr("Of its roof"),
            QObject::tr("Origin")};
}

std::vector<TableRow> rooflineRows(const std::vector<ChartedRun>& runs)
{
    std::vector<TableRow> rows;
    for (const auto& run : runs) {
        for (const auto& p : run.capture->roofline.points) {
            TableRow row;
            const double best = attainable(run.capture->roofline, p), rate = p.seconds > 0 ? p.flops / p.seconds : 0;
            row.cells = {QString::fromStdString(p.name), run.label, p.bytes > 0 ? QString::number(p.flops / p.bytes, 'g', 4) : QString(),
                         p.flops > 0 ? valueText(rate, "flop/s") : QString(), p.seconds > 0 ? valueText(p.bytes / p.seconds, "bytes/s") : QString(),
                         best > 0 ? percentText(rate / best) : QString(), originName(p.origin)};
            rows.push_back(std::move(row));
        }
    }
    if (runs.empty())
        return rows;
    for (const auto& c : runs.front().capture->roofline.ceilings) {
        TableRow row;
        const QString rate = valueText(c.perSecond, c.isBandwidth ? "bytes/s" : "flop/s");
        row.cells = {QObject::tr("ceiling: %1").arg(QString::fromStdString(c.name)), {}, {}, c.isBandwidth ? QString() : rate,
                     c.isBandwidth ? rate : QString(), {}, originName(c.origin)};
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<StallBar> stallOrder(const capture::Capture& capture, const capture::Capture* baseline)
{
    std::vector<StallBar> order;
    for (const auto& op : capture.operations) {
        if (op.stalls.empty())
            continue;
        order.push_back({&op, &op});
        if (const auto* before = baseline ? operationOf(*baseline, op.name) : nullptr; before && !before->stalls.empty())
            order.push_back({&op, before});
    }
    return order;
}

BarData stallBars(const capture::Capture& capture, const capture::Capture* baseline, bool dark)
{
    const auto order = stallOrder(capture, baseline);
    const auto reasons = mainReasons(order);
    BarData bars;
    bars.valueTitle = QObject::tr("share of the operation's samples, %");
    for (const auto& bar : order)
        bars.categories << QObject::tr("%1  %2").arg(bar.isBaseline() ? QObject::tr("baseline") : QString::fromStdString(bar.op->name),
                                                     percentText(bar.shown->timeShare));
    BarSet other{QObject::tr("other"), categoryColor(static_cast<int>(kMostReasons), dark), QList<double>(static_cast<qsizetype>(order.size()), 0)};
    for (std::size_t r = 0; r < reasons.size(); ++r)
        bars.sets << BarSet{reasonText(reasons[r]), categoryColor(static_cast<int>(r), dark), {}};
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& stalls = order[i].shown->stalls;
        double left = 0;
        for (const auto& [reason, share] : stalls)
            left += std::find(reasons.begin(), reasons.end(), reason) == reasons.end() ? share : 0;
        other.values[static_cast<qsizetype>(i)] = left * 100;
        for (std::size_t r = 0; r < reasons.size(); ++r) {
            const auto found = stalls.find(reasons[r]);
            bars.sets[static_cast<qsizetype>(r)].values << (found == stalls.end() ? 0 : found->second * 100);
        }
    }
    if (std::any_of(other.values.begin(), other.values.end(), [](double v) { return v > 0; }))
        bars.sets << other;
    return bars;
}

QStringList stallHeaders()
{
    return {QObject::tr("Operation"), QObject::tr("Line"),   QObject::tr("Of the time"), QObject::tr("Reason"), QObject::tr("Of its samples"),
            QObject::tr("Change"),    QObject::tr("Origin")};
}

std::vector<TableRow> stallRows(const capture::Capture& capture, const capture::Capture* baseline)
{
    std::vector<TableRow> rows;
    for (const auto& op : capture.operations) {
        std::vector<std::pair<double, std::string>> sorted;
        for (const auto& [reason, share] : op.stalls)
            sorted.emplace_back(share, reason);
        std::sort(sorted.rbegin(), sorted.rend());
        const auto* before = baseline ? operationOf(*baseline, op.name) : nullptr;
        for (const auto& [share, reason] : sorted) {
            QString change;
            if (before && !before->stalls.empty()) {
                const auto old = before->stalls.find(reason);
                change = deltaText(share * 100, old == before->stalls.end() ? 0 : old->second * 100, "%");
            }
            TableRow row;
            row.cells = {QString::fromStdString(op.name), op.line > 0 ? QString::number(op.line) : QString(), percentText(op.timeShare),
                         reasonText(reason), percentText(share), change, originName(op.origin)};
            row.range = op.where;
            row.op = op.id;
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

QStringList seriesUnits(const capture::Capture& capture)
{
    QStringList units;
    for (const auto& s : capture.series)
        if (const QString unit = QString::fromStdString(s.unit); !units.contains(unit))
            units << unit;
    return units;
}

namespace {

ChartSeries lineOf(const capture::Series& series, const QColor& color, bool isBaseline)
{
    ChartSeries line;
    line.name = isBaseline ? QObject::tr("%1, the baseline").arg(metricTitle(series.name)) : metricTitle(series.name);
    line.color = color;
    line.kind = isBaseline ? ChartSeries::Kind::kDashed : ChartSeries::Kind::kLine;
    line.inLegend = !isBaseline;
    for (std::size_t i = 0; i < std::min(series.timeNs.size(), series.values.size()); ++i) {
        line.points << QPointF(series.timeNs[i] / 1e3, series.values[i]);
        line.labels << QObject::tr("%1 at %2, %3").arg(valueText(series.values[i], series.unit), timeText(series.timeNs[i]), originName(series.origin));
    }
    return line;
}

}  // namespace

ChartData seriesChart(const capture::Capture& capture, const capture::Capture* baseline, const QString& unit, bool dark)
{
    ChartData chart;
    double end = 0, top = 0;
    int k = 0;
    for (const auto& s : capture.series) {
        if (QString::fromStdString(s.unit) != unit)
            continue;
        const QColor color = lineColor(k++, dark);
        if (const auto* before = seriesOf(baseline, s))
            chart.series << lineOf(*before, color, true);
        chart.series << lineOf(s, color, false);
    }
    for (const auto& line : chart.series)
        for (const auto& point : line.points) {
            end = std::max(end, point.x());
            top = std::max(top, point.y());
        }
    chart.x = {QObject::tr("time since the launch, \u00b5s"), 0, end > 0 ? end : 1, false};
    chart.y = {unit, 0, unit == QLatin1String("%") ? 100 : top > 0 ? top : 1, false};
    return chart;
}

QStringList seriesHeaders() { return {QObject::tr("Counter"), QObject::tr("Time"), QObject::tr("Value"), QObject::tr("Run"), QObject::tr("Origin")}; }

std::vector<TableRow> seriesRows(const capture::Capture& capture, const capture::Capture* baseline, const QString& unit)
{
    std::vector<TableRow> rows;
    const auto add = [&](const capture::Series& s, const QString& run) {
        for (std::size_t i = 0; i < std::min(s.timeNs.size(), s.values.size()); ++i) {
            TableRow row;
            row.cells = {metricTitle(s.name), timeText(s.timeNs[i]), valueText(s.values[i], s.unit), run, originName(s.origin)};
            rows.push_back(std::move(row));
        }
    };
    for (const auto& s : capture.series) {
        if (QString::fromStdString(s.unit) != unit)
            continue;
        add(s, QObject::tr("this one"));
        if (const auto* before = seriesOf(baseline, s))
            add(*before, QObject::tr("the baseline"));
    }
    return rows;
}

}  // namespace tw::gui

#include "app/gui/models/memory_flow.h"

#include <QObject>

#include "app/gui/models/metric_text.h"

namespace tw::gui {
namespace {

namespace metric = capture::metric;

enum Box { kGlobal, kL2, kShared, kRegisters, kTensor };

QStringList boxTitles() { return {QObject::tr("Global memory"), QObject::tr("L2"), QObject::tr("Shared memory"), QObject::tr("Registers"), QObject::tr("Tensor cores")}; }

struct Link {
    const char* name;    // of the metric
    Box from, to;
    const char* ceiling; // of the roofline
};
constexpr Link kLinks[] = {{metric::kDramRead, kGlobal, kL2, "DRAM"},      {metric::kDramWrite, kL2, kGlobal, "DRAM"},
                           {metric::kL2Read, kL2, kShared, "L2"},          {metric::kL2Write, kShared, kL2, "L2"},
                           {metric::kSharedRead, kShared, kRegisters, "shared"}, {metric::kSharedWrite, kRegisters, kShared, "shared"},
                           {metric::kFlops, kRegisters, kTensor, ""}};

// Of the whole call, or the sum over its launches.
const capture::Metric* total(const capture::Capture& capture, const char* name, capture::Metric& sum)
{
    if (const auto* found = capture::findMetric(capture, name))
        return found;
    bool any = false;
    for (const auto& m : capture.metrics) {
        if (m.name != name)
            continue;
        const double before = any ? sum.value : 0;
        sum = m;
        sum.value += before;
        any = true;
    }
    return any ? &sum : nullptr;
}

const capture::Ceiling* ceilingOf(const capture::Capture& capture, const Link& link)
{
    const std::string name = link.to == kTensor && !capture.roofline.points.empty() ? capture.roofline.points.front().compute : link.ceiling;
    for (const auto& c : capture.roofline.ceilings)
        if (c.name == name)
            return &c;
    return nullptr;
}

}  // namespace

std::vector<MemoryFlow> memoryFlows(const capture::Capture& capture)
{
    std::vector<MemoryFlow> flows;
    capture::Metric durationSum, sum, pipeSum;
    const auto* duration = total(capture, metric::kDuration, durationSum);
    for (const auto& link : kLinks) {
        const auto* m = total(capture, link.name, sum);
        if (!m)
            continue;
        MemoryFlow flow;
        flow.from = boxTitles()[link.from];
        flow.to = boxTitles()[link.to];
        flow.fromBox = link.from;
        flow.toBox = link.to;
        flow.amount = m->value;
        flow.origin = flow.shareOrigin = m->origin;
        flow.isOperations = link.to == kTensor;
        flow.rate = duration && duration->value > 0 ? m->value / (duration->value * 1e-6) : 0;
        if (const auto* c = ceilingOf(capture, link)) {
            flow.peak = c->perSecond;
            if (flow.rate > 0 && c->perSecond > 0)
                flow.share = flow.rate / c->perSecond;
        }
        if (flow.isOperations)
            if (const auto* pipe = total(capture, metric::kTensorPipe, pipeSum)) {
                flow.share = pipe->value / 100;
                flow.shareOrigin = pipe->origin;
            }
        flows.push_back(flow);
    }
    return flows;
}

namespace {

// "+3.1 %"; empty where the baseline has no such flow.
QString changeOf(const MemoryFlow& flow, const std::vector<MemoryFlow>& before)
{
    for (const auto& b : before)
        if (b.fromBox == flow.fromBox && b.toBox == flow.toBox)
            return deltaText(flow.amount, b.amount, "bytes");
    return {};
}

}  // namespace

FlowData flowPicture(const capture::Capture& capture, const capture::Capture* baseline)
{
    FlowData data;
    data.groups = {QObject::tr("Multiprocessors")};
    const auto percent = [&](const char* name) {
        capture::Metric sum;
        const auto* m = total(capture, name, sum);
        return m ? m->value / 100 : -1.0;
    };
    const auto titles = boxTitles();
    const double busy[] = {percent(metric::kDramBandwidth), percent(metric::kL2Bandwidth), -1, -1, percent(metric::kTensorPipe)};
    for (int i = 0; i < titles.size(); ++i)
        data.boxes.push_back({titles[i], busy[i] >= 0 ? QObject::tr("%1 busy").arg(percentText(busy[i])) : QString(), busy[i], i >= kShared ? 0 : -1});
    capture::Metric sum;
    if (const auto* conflicts = total(capture, metric::kSharedConflicts, sum); conflicts && conflicts->value > 0)
        data.boxes[kShared].detail = QObject::tr("%1 bank conflicts").arg(valueText(conflicts->value, "count"));
    if (const auto* registers = total(capture, metric::kRegisters, sum))
        data.boxes[kRegisters].detail = QObject::tr("%1 a thread").arg(valueText(registers->value, "count"));
    const auto flows = memoryFlows(capture), before = baseline ? memoryFlows(*baseline) : std::vector<MemoryFlow>();
    double most = 1;
    for (const auto& f : flows)
        most = std::max(most, f.isOperations ? 0 : f.amount);
    for (const auto& f : flows) {
        FlowArrow arrow;
        arrow.from = f.fromBox;
        arrow.to = f.toBox;
        arrow.amount = valueText(f.amount, f.isOperations ? "flop" : "bytes");
        arrow.rate = f.rate > 0 ? valueText(f.rate, f.isOperations ? "flop/s" : "bytes/s") : QString();
        arrow.share = f.share >= 0 ? QObject::tr("%1 of peak").arg(percentText(f.share)) : QString();
        arrow.origin = f.share < 0 || f.shareOrigin == f.origin ? originName(f.origin) : QObject::tr("%1, share %2").arg(originName(f.origin), originName(f.shareOrigin));
        arrow.busy = f.share;
        arrow.weight = f.isOperations ? std::max(0.0, f.share) : f.amount / most;
        QStringList tip{QObject::tr("%1 \u2192 %2").arg(f.from, f.to), arrow.amount, arrow.rate};
        if (f.share >= 0)
            tip << QObject::tr("%1 of the peak, %2").arg(percentText(f.share), originName(f.shareOrigin));
        tip << arrow.origin;
        if (const QString change = changeOf(f, before); !change.isEmpty()) {
            arrow.change = change;
            tip << QObject::tr("%1 against the baseline").arg(change);
        }
        tip.removeAll(QString());
        arrow.toolTip = tip.join(QLatin1Char('\n'));
        data.arrows.push_back(std::move(arrow));
    }
    return data;
}

QStringList flowHeaders()
{
    return {QObject::tr("From"), QObject::tr("To"), QObject::tr("Amount"), QObject::tr("Rate"), QObject::tr("Peak"), QObject::tr("Of the peak"), QObject::tr("Change"),
            QObject::tr("Origin")};
}

std::vector<TableRow> flowRows(const capture::Capture& capture, const capture::Capture* baseline)
{
    const auto before = baseline ? memoryFlows(*baseline) : std::vector<MemoryFlow>();
    std::vector<TableRow> rows;
    for (const auto& f : memoryFlows(capture)) {
        TableRow row;
        row.cells = {f.from, f.to, valueText(f.amount, f.isOperations ? "flop" : "bytes"),
                     f.rate > 0 ? valueText(f.rate, f.isOperations ? "flop/s" : "bytes/s") : QString(),
                     f.peak > 0 ? valueText(f.peak, f.isOperations ? "flop/s" : "bytes/s") : QString(), f.share >= 0 ? percentText(f.share) : QString(),
                     changeOf(f, before), originName(f.origin)};
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace tw::gui

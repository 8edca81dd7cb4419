#include "app/gui/models/profile_rows.h"

#include <QObject>

#include <set>

#include "app/gui/models/metric_text.h"

namespace tw::gui {
namespace {

namespace metric = capture::metric;

constexpr const char* kHeadline[] = {metric::kDuration,     metric::kTensorPipe, metric::kDramBandwidth, metric::kL2Bandwidth,
                                     metric::kIssueSlots,   metric::kOccupancy,  metric::kDramRead,      metric::kDramWrite,
                                     metric::kRegisters,    metric::kSharedConflicts};

bool isHeadline(const std::string& name)
{
    return std::any_of(std::begin(kHeadline), std::end(kHeadline), [&](const char* known) { return name == known; });
}

const capture::Metric* counterpart(const capture::Metric& m, const capture::Capture* baseline)
{
    if (!baseline)
        return nullptr;
    const auto* other = capture::findMetric(*baseline, m.name, m.launch);
    return other && other->unit == m.unit ? other : nullptr;
}

QString joined(const QStringList& words)
{
    if (words.size() < 2)
        return words.join(QString());
    return QObject::tr("%1 and %2").arg(words.mid(0, words.size() - 1).join(QStringLiteral(", ")), words.back());
}

QString bytesOf(const capture::Operation& op, const char* level)
{
    const auto found = op.bytes.find(level);
    return found == op.bytes.end() ? QString() : valueText(found->second, "bytes");
}

QString stallsOf(const std::map<std::string, double>& stalls)
{
    std::vector<std::pair<double, std::string>> byShare;
    for (const auto& [reason, share] : stalls)
        byShare.emplace_back(share, reason);
    std::sort(byShare.rbegin(), byShare.rend());
    QStringList texts;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, byShare.size()); ++i)
        texts << QStringLiteral("%1 %2").arg(QString::fromStdString(byShare[i].second), percentText(byShare[i].first));
    return texts.join(QStringLiteral(", "));
}

}  // namespace

QColor MeaningColors::of(capture::Origin origin) const
{
    return origin == capture::Origin::kMeasured ? measured : origin == capture::Origin::kSimulated ? simulated : modelled;
}

std::vector<const capture::Metric*> orderedMetrics(const capture::Capture& capture)
{
    std::vector<const capture::Metric*> ordered;
    for (const char* name : kHeadline)
        if (const auto* m = capture::findMetric(capture, name))
            ordered.push_back(m);
    for (const auto& m : capture.metrics)
        if (std::find(ordered.begin(), ordered.end(), &m) == ordered.end())
            ordered.push_back(&m);
    return ordered;
}

QList<MetricCard> metricCards(const capture::Capture& capture, const capture::Capture* baseline, const MeaningColors& colors)
{
    QList<MetricCard> cards;
    std::set<std::string> seen;  // a measured one stands before the modelled one of its name
    for (const auto* m : orderedMetrics(capture)) {
        if (!isHeadline(m->name) || (m->launch >= 0 && capture.launches.size() > 1) || !seen.insert(m->name).second)
            continue;
        MetricCard card;
        card.title = metricTitle(m->name);
        card.value = valueText(m->value, m->unit);
        card.badge = originName(m->origin);
        card.badgeColor = colors.of(m->origin);
        if (m->samples > 1)
            card.note = QObject::tr("\u00b1%1 % of %2").arg(m->spread * 100, 0, 'f', 1).arg(m->samples);
        card.fraction = m->unit == "%" ? m->value / 100 : -1;
        card.toolTip = metricHelp(m->name);
        if (m->samples > 1)
            card.toolTip += QLatin1Char('\n') + spreadText(*m);
        if (const auto* base = counterpart(*m, baseline)) {
            card.delta = deltaText(m->value, base->value, m->unit);
            const int sign = deltaSign(m->value, base->value, betterOf(m->name));
            card.deltaColor = sign > 0 ? colors.good : sign < 0 ? colors.bad : colors.neutral;
            card.toolTip += QObject::tr("; the baseline has %1 (%2)").arg(valueText(base->value, base->unit), originName(base->origin));
        }
        cards << card;
    }
    return cards;
}

QStringList metricHeaders()
{
    return {QObject::tr("Metric"), QObject::tr("Value"), QObject::tr("Spread"), QObject::tr("Against the baseline"), QObject::tr("Origin"),
            QObject::tr("Launch")};
}

std::vector<TableRow> metricRows(const capture::Capture& capture, const capture::Capture* baseline)
{
    std::vector<TableRow> rows;
    for (const auto* m : orderedMetrics(capture)) {
        TableRow row;
        const auto* base = counterpart(*m, baseline);
        const QString launch = m->launch < 0 || static_cast<std::size_t>(m->launch) >= capture.launches.size()
                                   ? QString()
                                   : QString::fromStdString(capture.launches[static_cast<std::size_t>(m->launch)].entry);
        row.cells = {metricTitle(m->name), valueText(m->value, m->unit), spreadText(*m),
                     base ? deltaText(m->value, base->value, m->unit) : QString(), originName(m->origin), launch};
        row.toolTip = isHeadline(m->name) ? metricHelp(m->name) : QString::fromStdString(m->name);
        rows.push_back(std::move(row));
    }
    return rows;
}

QStringList findingHeaders()
{
    return {QObject::tr("Finding"), QObject::tr("Number"), QObject::tr("Gain"), QObject::tr("Line"), QObject::tr("Origin"), QObject::tr("Remedy")};
}

std::vector<TableRow> findingRows(const capture::Capture& capture)
{
    std::vector<TableRow> rows;
    for (const auto& f : capture.findings) {
        TableRow row;
        row.cells = {QString::fromStdString(f.reason), valueText(f.value, f.unit),
                     f.gain > 1 ? QObject::tr("%1\u00d7").arg(f.gain, 0, 'f', 2) : QString(), f.line > 0 ? QString::number(f.line) : QString(),
                     originName(f.origin), QString::fromStdString(f.edit.label)};
        row.range = f.where;
        row.op = f.op;
        row.toolTip = QString::fromStdString(f.reason);
        if (f.edit.isPossible())
            row.toolTip += f.edit.modelledGain > 1 ? QObject::tr("\nRemedy: %1, modelled %2\u00d7").arg(QString::fromStdString(f.edit.label)).arg(f.edit.modelledGain, 0, 'f', 2)
                                                  : QObject::tr("\nRemedy: %1").arg(QString::fromStdString(f.edit.label));
        rows.push_back(std::move(row));
    }
    return rows;
}

QStringList operationHeaders()
{
    return {QObject::tr("Operation"), QObject::tr("Line"), QObject::tr("Time"), QObject::tr("DRAM"), QObject::tr("L2"), QObject::tr("Shared"),
            QObject::tr("Operations"), QObject::tr("Stalls"), QObject::tr("Origin")};
}

std::vector<TableRow> operationRows(const capture::Capture& capture)
{
    std::vector<TableRow> rows;
    for (const auto& op : capture.operations) {
        TableRow row;
        row.cells = {QString::fromStdString(op.name), op.line > 0 ? QString::number(op.line) : QString(), percentText(op.timeShare),
                     bytesOf(op, "dram"), bytesOf(op, "l2"), bytesOf(op, "shared"), op.flops > 0 ? valueText(op.flops, "flop") : QString(),
                     stallsOf(op.stalls), originName(op.origin)};
        row.range = op.where;
        row.op = op.id;
        rows.push_back(std::move(row));
    }
    return rows;
}

QString captureTitle(const capture::Capture& capture)
{
    const QString kernel = QString::fromStdString(capture.kernel), instance = QString::fromStdString(capture.instance);
    const QString device = QString::fromStdString(capture.environment.device);
    const QString name = instance.isEmpty() ? kernel : kernel + QLatin1Char('@') + instance;
    return device.isEmpty() ? name : QObject::tr("%1 on %2").arg(name, device);
}

QString captureDetail(const capture::Capture& capture)
{
    QStringList parts;
    for (const auto& [name, value] : capture.params)
        parts << QStringLiteral("%1=%2").arg(QString::fromStdString(name), QString::fromStdString(value));
    for (const auto& [name, value] : capture.dims)
        parts << QStringLiteral("%1=%2").arg(QString::fromStdString(name)).arg(value);
    const auto& e = capture.environment;
    if (!e.gpu.empty())
        parts << QString::fromStdString(e.gpu);
    if (e.smClockMHz > 0)
        parts << QObject::tr("SMs at %1 MHz").arg(e.smClockMHz, 0, 'f', 0);
    for (const auto& reason : e.throttling)
        parts << QObject::tr("throttled: %1").arg(QString::fromStdString(reason));
    return parts.join(QStringLiteral(", "));
}

QStringList absenceTexts(const capture::Capture& capture)
{
    QStringList texts;
    for (const auto& [part, reason] : capture.absences)
        texts << QObject::tr("No %1: %2.").arg(QString::fromStdString(part), QString::fromStdString(reason));
    return texts;
}

QString originsText(const capture::Capture& capture)
{
    QStringList words;
    for (const auto origin : {capture::Origin::kMeasured, capture::Origin::kSimulated, capture::Origin::kModelled})
        if (std::any_of(capture.metrics.begin(), capture.metrics.end(), [&](const capture::Metric& m) { return m.origin == origin; }))
            words << originName(origin);
    return joined(words);
}

}  // namespace tw::gui

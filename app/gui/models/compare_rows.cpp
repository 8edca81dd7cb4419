#include "app/gui/models/compare_rows.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QObject>

#include "app/gui/models/metric_text.h"
#include "app/gui/widgets/cell_grid.h"
#include "core/ir/print.h"

namespace tw::gui {
namespace {

QString unitText(const std::string& unit) { return unit == "us" ? QStringLiteral("\u00b5s") : QString::fromStdString(unit); }

QString textOf(const compare::Value& value, const std::string& unit)
{
    return value.number ? valueText(*value.number, unit) : QString::fromStdString(value.text);
}

std::optional<ChartData> curveOf(const compare::Row& row, const std::vector<ComparedVariant>& variants, const std::string& swept, bool dark)
{
    ChartSeries line;
    line.name = numberTitle(row);
    line.color = lineColor(0, dark);
    line.inLegend = false;
    double top = 0;
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const auto& params = variants[i].capture->params;
        const auto found = params.find(swept);
        bool fine = found != params.end();
        const double x = fine ? QString::fromStdString(found->second).toDouble(&fine) : 0;
        if (!fine)
            return std::nullopt;
        const auto& value = row.values[i];
        if (!value.number)
            continue;
        line.points << QPointF(x, *value.number);
        line.labels << QStringLiteral("%1: %2").arg(variants[i].label, textOf(value, row.unit));
        top = std::max(top, *value.number);
    }
    if (line.points.size() < 2)
        return std::nullopt;
    const auto [first, last] = std::minmax_element(line.points.begin(), line.points.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    ChartData chart;
    chart.x = {QString::fromStdString(swept), first->x(), last->x() > first->x() ? last->x() : first->x() + 1, false};
    chart.y = {row.unit == "count" ? line.name : QStringLiteral("%1, %2").arg(line.name, unitText(row.unit)), 0, top > 0 ? top * 1.05 : 1, false};
    ChartSeries points = line;
    points.kind = ChartSeries::Kind::kPoints;
    chart.series = {line, points};
    return chart;
}

}  // namespace

std::vector<compare::Variant> toCompare(const std::vector<ComparedVariant>& variants)
{
    std::vector<compare::Variant> all;
    for (const auto& v : variants)
        all.push_back({v.label.toStdString(), v.capture});
    return all;
}

QString numberTitle(const compare::Row& row) { return metricTitle(row.name); }

QStringList compareHeaders(const std::vector<ComparedVariant>& variants)
{
    QStringList headers{QObject::tr("Number")};
    for (const auto& v : variants)
        headers << v.label;
    return headers << QObject::tr("Origin");
}

std::vector<TableRow> compareRows(const std::vector<compare::Row>& rows, bool withEqual, const CompareInks& inks)
{
    std::vector<TableRow> table;
    for (const auto& row : rows) {
        if (!withEqual && !row.differs)
            continue;
        TableRow line;
        line.cells << numberTitle(row);
        line.inks << QColor();
        line.toolTip = QStringLiteral("%1: %2").arg(QObject::tr(compare::groupText(row.group)), QString::fromStdString(row.name));
        const auto& first = row.values.front();
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            const auto& value = row.values[i];
            QString text = textOf(value, row.unit);
            QColor ink;
            if (i > 0 && row.differs && value != first) {
                ink = inks.different;
                if (value.number && first.number) {
                    ink = deltaSign(*value.number, *first.number, betterOf(row.name)) < 0 ? inks.bad : inks.different;
                    if (const QString delta = deltaText(*value.number, *first.number, row.unit); !delta.isEmpty())
                        text += QStringLiteral("   ") + delta;
                }
            }
            if (static_cast<int>(i) == row.best)
                ink = inks.good;
            line.cells << (text.isEmpty() ? QStringLiteral("\u2013") : text);
            line.inks << ink;
        }
        line.cells << (row.group == compare::Group::kSetting || row.group == compare::Group::kResource ? QString() : originName(row.origin));
        table.push_back(std::move(line));
    }
    return table;
}

QStringList comparedPasses(const std::vector<ComparedVariant>& variants)
{
    QStringList passes;
    for (const auto& v : variants) {
        if (!v.snapshot)
            continue;
        for (const auto& record : v.snapshot->passes)
            if (const QString name = QString::fromStdString(record.name); !passes.contains(name))
                passes << name;
    }
    return passes;
}

std::string variantText(const ComparedVariant& v, ComparedText kind, const QString& pass)
{
    switch (kind) {
    case ComparedText::kSource:
        if (v.snapshot && v.snapshot->source)
            return std::string(v.snapshot->source->text());
        return v.capture->files.empty() ? std::string() : v.capture->files.front().text;
    case ComparedText::kCuda:
        if (!v.capture->cuda.text.empty())
            return v.capture->cuda.text;  // as it ran
        return v.snapshot && v.snapshot->cuda ? v.snapshot->cuda->text : std::string();
    case ComparedText::kIr: break;
    }
    if (!v.snapshot)
        return v.capture->threadIr.empty() ? v.capture->tileIr : v.capture->threadIr;
    for (const auto& record : v.snapshot->passes)
        if (QString::fromStdString(record.name) == pass && record.after)
            return ir::print(*record.after).text;
    return {};
}

std::vector<const compare::Row*> chartableRows(const std::vector<compare::Row>& rows)
{
    std::vector<const compare::Row*> found;
    for (const auto& row : rows)
        if (row.group != compare::Group::kSetting && std::count_if(row.values.begin(), row.values.end(), [](const auto& v) { return v.number.has_value(); }) >= 2)
            found.push_back(&row);
    std::stable_sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return (a->group == compare::Group::kMetric) > (b->group == compare::Group::kMetric); });
    return found;
}

ComparedChart comparedChart(const compare::Row& row, const std::vector<ComparedVariant>& variants, const std::string& swept, bool dark)
{
    ComparedChart chart;
    if (!swept.empty())
        chart.curve = curveOf(row, variants, swept, dark);
    chart.bars.unit = row.unit == "count" ? QString() : QLatin1Char(' ') + unitText(row.unit);
    chart.bars.valueTitle = numberTitle(row) + (chart.bars.unit.isEmpty() ? QString() : QLatin1Char(',') + chart.bars.unit);
    BarSet set{QStringLiteral("%1, %2").arg(numberTitle(row), originName(row.origin)), categoryColor(0, dark), {}};
    double top = 0;
    for (std::size_t i = 0; i < variants.size(); ++i) {
        chart.bars.categories << QStringLiteral("%1  %2").arg(variants[i].label.left(40), textOf(row.values[i], row.unit));
        set.values << row.values[i].number.value_or(0);
        top = std::max(top, row.values[i].number.value_or(0));
    }
    chart.bars.sets << set;
    chart.bars.largest = row.unit == "%" ? 100 : top > 0 ? top * 1.05 : 1;
    return chart;
}

namespace {
QString overTime(const capture::Series& series) { return QObject::tr("%1 over time, %2").arg(metricTitle(series.name), originName(series.origin)); }
}  // namespace

QStringList comparedSeries(const std::vector<ComparedVariant>& variants)
{
    QStringList names;
    for (const auto& v : variants)
        for (const auto& series : v.capture->series)
            if (const QString name = overTime(series); !names.contains(name))
                names << name;
    return names;
}

ChartData comparedSeriesChart(const QString& name, const std::vector<ComparedVariant>& variants, bool dark)
{
    ChartData chart;
    double end = 1, top = 0;
    QString unit;
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const auto& all = variants[i].capture->series;
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& series) { return overTime(series) == name; });
        if (found == all.end())
            continue;
        ChartSeries line;
        line.name = variants[i].label;
        line.color = lineColor(static_cast<int>(i), dark);
        for (std::size_t k = 0; k < std::min(found->timeNs.size(), found->values.size()); ++k) {
            line.points << QPointF(found->timeNs[k] / 1e3, found->values[k]);
            line.labels << QObject::tr("%1 at %2, %3").arg(valueText(found->values[k], found->unit), timeText(found->timeNs[k]), originName(found->origin));
            end = std::max(end, found->timeNs[k] / 1e3);
            top = std::max(top, found->values[k]);
        }
        unit = QString::fromStdString(found->unit);
        chart.series << line;
    }
    chart.x = {QObject::tr("time since the launch, \u00b5s"), 0, end, false};
    chart.y = {unit, 0, unit == QLatin1String("%") ? 100 : top > 0 ? top : 1, false};
    return chart;
}

QByteArray compareJson(const std::vector<ComparedVariant>& variants, const std::vector<compare::Row>& rows)
{
    QJsonArray ids, lines;
    for (const auto& v : variants) {
        QJsonObject params;
        for (const auto& [name, value] : v.capture->params)
            params.insert(QString::fromStdString(name), QString::fromStdString(value));
        ids.append(QJsonObject{{QStringLiteral("id"), v.label}, {QStringLiteral("kernel"), QString::fromStdString(v.capture->kernel)},
                               {QStringLiteral("params"), params}, {QStringLiteral("target"), QString::fromStdString(v.capture->target)}});
    }
    for (const auto& row : rows) {
        QJsonArray values;
        for (const auto& v : row.values)
            values.append(v.number ? QJsonValue(*v.number) : v.text.empty() ? QJsonValue() : QJsonValue(QString::fromStdString(v.text)));
        lines.append(QJsonObject{{QStringLiteral("name"), QString::fromStdString(row.name)}, {QStringLiteral("unit"), QString::fromStdString(row.unit)},
                                 {QStringLiteral("values"), values}, {QStringLiteral("source"), QString::fromLatin1(capture::originText(row.origin))}});
    }
    return QJsonDocument(QJsonObject{{QStringLiteral("variants"), ids}, {QStringLiteral("rows"), lines}}).toJson();
}

}  // namespace tw::gui

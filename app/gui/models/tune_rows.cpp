#include "app/gui/models/tune_rows.h"

#include <QObject>

#include <cmath>
#include <set>

#include "app/gui/models/history_rows.h"
#include "app/gui/models/metric_text.h"

namespace tw::gui {
namespace {

bool isMeasured(const store::Trial& t) { return t.state == store::Trial::State::kMeasured && t.medianUs.has_value(); }

std::string valueOf(const store::Trial& t, const std::string& name)
{
    const auto found = t.params.find(name);
    return found == t.params.end() ? std::string() : found->second;
}

// Numbers by size, words by their letters.
QStringList orderedValues(const std::vector<store::Trial>& trials, const std::string& name)
{
    std::set<std::string> values;
    for (const auto& t : trials)
        values.insert(valueOf(t, name));
    QStringList ordered;
    for (const auto& value : values)
        ordered << QString::fromStdString(value);
    std::stable_sort(ordered.begin(), ordered.end(), [](const QString& a, const QString& b) {
        bool fineA = false, fineB = false;
        const double x = a.toDouble(&fineA), y = b.toDouble(&fineB);
        return fineA && fineB ? x < y : a < b;
    });
    return ordered;
}

QString stateText(const store::Trial& t)
{
    switch (t.state) {
    case store::Trial::State::kWrong: return QObject::tr("wrong answer");
    case store::Trial::State::kFailed: return t.message.empty() ? QObject::tr("failed") : QString::fromStdString(t.message);
    default: return t.medianUs ? QObject::tr("measured") : QObject::tr("modelled only");
    }
}

double position(qsizetype index, qsizetype count) { return count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0.5; }

}  // namespace

std::vector<store::Trial> rankedTrials(std::vector<store::Trial> trials)
{
    const auto group = [](const store::Trial& t) { return isMeasured(t) ? 0 : t.state == store::Trial::State::kMeasured && t.modelUs ? 1 : 2; };
    std::stable_sort(trials.begin(), trials.end(), [&](const store::Trial& a, const store::Trial& b) {
        if (group(a) != group(b))
            return group(a) < group(b);
        if (group(a) == 0)
            return *a.medianUs < *b.medianUs;
        return group(a) == 1 && *a.modelUs < *b.modelUs;
    });
    return trials;
}

std::optional<double> timeOf(const store::Trial& trial, const std::vector<store::Trial>& ranked)
{
    if (!ranked.empty() && isMeasured(ranked.front()))
        return isMeasured(trial) ? trial.medianUs : std::nullopt;
    return trial.state == store::Trial::State::kMeasured ? trial.modelUs : std::nullopt;
}

std::vector<std::string> tunedParameters(const std::vector<store::Trial>& trials)
{
    std::map<std::string, std::set<std::string>> values;
    for (const auto& t : trials)
        for (const auto& [name, value] : t.params)
            values[name].insert(value);
    std::vector<std::string> tuned;
    for (const auto& [name, taken] : values)
        if (taken.size() > 1)
            tuned.push_back(name);
    return tuned;
}

QStringList trialHeaders(const std::vector<std::string>& parameters)
{
    QStringList headers{QObject::tr("Rank"), QObject::tr("Time"), QObject::tr("Modelled"), QObject::tr("Against the best")};
    for (const auto& name : parameters)
        headers << QString::fromStdString(name);
    return headers << QObject::tr("State");
}

std::vector<TableRow> trialRows(const std::vector<store::Trial>& ranked, const std::vector<std::string>& parameters)
{
    std::vector<TableRow> rows;
    const double best = ranked.empty() ? 0 : timeOf(ranked.front(), ranked).value_or(0);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        const auto& t = ranked[i];
        TableRow row;
        const double relative = best > 0 ? timeOf(t, ranked).value_or(0) / best : 0;  // 0: it has no place
        row.cells = {relative > 0 ? QString::number(i + 1) : QString(), t.medianUs ? valueText(*t.medianUs, "us") : QString(),
                     t.modelUs ? valueText(*t.modelUs, "us") : QString(),
                     relative > 0 ? QObject::tr("%1\u00d7").arg(relative, 0, 'f', 2) : QString()};
        row.values = {static_cast<double>(i), t.medianUs.value_or(1e300), t.modelUs.value_or(1e300), relative > 0 ? relative : 1e300};
        for (const auto& name : parameters)
            row.cells << QString::fromStdString(valueOf(t, name));
        row.cells << stateText(t);
        row.toolTip = paramsText(t.params) + (t.message.empty() ? QString() : QLatin1Char('\n') + QString::fromStdString(t.message));
        rows.push_back(std::move(row));
    }
    return rows;
}

ParallelData trialLines(const std::vector<store::Trial>& ranked, const std::vector<std::string>& parameters)
{
    ParallelData data;
    std::vector<QStringList> values;
    for (const auto& name : parameters) {
        values.push_back(orderedValues(ranked, name));
        data.axes << ParallelAxis{QString::fromStdString(name), values.back()};
    }
    double least = 0, most = 0;
    for (const auto& t : ranked)
        if (const auto time = timeOf(t, ranked)) {
            least = least == 0 ? *time : least;
            most = *time;  // they stand by their time
        }
    const bool isModelled = ranked.empty() || !isMeasured(ranked.front());
    data.axes << ParallelAxis{isModelled ? QObject::tr("modelled, fast on top") : QObject::tr("time, fast on top"), {valueText(most, "us"), valueText(std::sqrt(most * least), "us"), valueText(least, "us")}};
    for (const auto& t : ranked) {
        const auto time = timeOf(t, ranked);
        if (!time)
            break;
        ParallelLine line;
        for (std::size_t p = 0; p < parameters.size(); ++p)
            line.values << position(values[p].indexOf(QString::fromStdString(valueOf(t, parameters[p]))), values[p].size());
        line.goodness = most > least && least > 0 ? std::log(most / *time) / std::log(most / least) : 1;  // factors count, not differences
        line.values << line.goodness;
        line.toolTip = (isModelled ? QObject::tr("%1 modelled\n%2") : QStringLiteral("%1\n%2")).arg(valueText(*time, "us"), paramsText(t.params));
        data.lines << line;
    }
    return data;
}

ChartData trialScatter(const std::vector<store::Trial>& ranked, const QColor& points, const QColor& line)
{
    ChartSeries trials;
    trials.name = QObject::tr("configurations");
    trials.color = points;
    trials.kind = ChartSeries::Kind::kPoints;
    double low = 1e300, high = 0;
    for (const auto& t : ranked) {
        if (!isMeasured(t) || !t.modelUs || *t.modelUs <= 0 || *t.medianUs <= 0)
            continue;
        trials.points << QPointF(*t.modelUs, *t.medianUs);
        trials.labels << QObject::tr("%1 measured, %2 modelled\n%3").arg(valueText(*t.medianUs, "us"), valueText(*t.modelUs, "us"), paramsText(t.params));
        low = std::min({low, *t.modelUs, *t.medianUs});
        high = std::max({high, *t.modelUs, *t.medianUs});
    }
    ChartData chart;
    if (trials.points.isEmpty()) {
        low = 1;
        high = 10;
    }
    const bool isWide = high > 20 * low;  // a logarithmic axis of less than a decade has no numbers
    chart.x = {QObject::tr("modelled, \u00b5s"), low * 0.8, high * 1.25, isWide};
    chart.y = {QObject::tr("measured, \u00b5s"), low * 0.8, high * 1.25, isWide};
    ChartSeries equal;
    equal.name = QObject::tr("model and measurement agree");
    equal.color = line;
    equal.kind = ChartSeries::Kind::kDashed;
    equal.points = {QPointF(low * 0.8, low * 0.8), QPointF(high * 1.25, high * 1.25)};
    equal.labels = {equal.name, equal.name};
    chart.series = {equal, trials};
    return chart;
}

}  // namespace tw::gui

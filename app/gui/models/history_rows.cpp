#include "app/gui/models/history_rows.h"

#include <QDateTime>
#include <QLocale>
#include <QObject>

#include "app/gui/models/metric_text.h"

namespace tw::gui {
namespace {

QDateTime timeOf(const std::string& created) { return QDateTime::fromString(QString::fromStdString(created), Qt::ISODate).toLocalTime(); }

// In this machine's zone; of today to the second.
QString whenText(const std::string& created)
{
    const auto time = timeOf(created);
    if (!time.isValid())
        return QString::fromStdString(created);
    return time.date() == QDate::currentDate() ? QObject::tr("today, %1").arg(time.toString(QStringLiteral("HH:mm:ss")))
                                               : time.toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

QString joined(const std::vector<std::string>& words)
{
    QStringList list;
    for (const auto& word : words)
        list << QString::fromStdString(word);
    return list.join(QStringLiteral(", "));
}

}  // namespace

QString paramsText(const std::map<std::string, std::string>& params)
{
    QStringList list;
    for (const auto& [name, value] : params)
        list << QStringLiteral("%1=%2").arg(QString::fromStdString(name), QString::fromStdString(value));
    return list.join(QStringLiteral(", "));
}

QStringList historyHeaders()
{
    return {QObject::tr("When"),   QObject::tr("Kernel"), QObject::tr("Device"), QObject::tr("Duration"), QObject::tr("Tensor pipe"),
            QObject::tr("DRAM"),   QObject::tr("Origin"), QObject::tr("Parameters"), QObject::tr("Tags"), QObject::tr("Notes")};
}

namespace {

// "+3.1 %" against the baseline of its kernel on its device, as far as that is among the rows.
QString changeOf(const store::RunRow& run, const std::vector<store::RunRow>& runs)
{
    for (const auto& other : runs)
        if (other.isBaseline && other.id != run.id && other.kernel == run.kernel && other.device == run.device && other.durationUs && run.durationUs)
            return QObject::tr(" (%1)").arg(deltaText(*run.durationUs, *other.durationUs, "us"));
    return {};
}

// The parameters in which the listed runs of the kernel differ come first: they tell the runs apart where the column is narrow.
QString told(const store::RunRow& run, const std::vector<store::RunRow>& runs)
{
    std::map<std::string, std::string> same, different;
    for (const auto& [name, value] : run.params) {
        const bool differs = std::any_of(runs.begin(), runs.end(), [&](const auto& other) {
            const auto found = other.params.find(name);
            return other.kernel == run.kernel && (found == other.params.end() || found->second != value);
        });
        (differs ? different : same)[name] = value;
    }
    QStringList parts{paramsText(different), paramsText(same)};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(", "));
}

}  // namespace

std::vector<TableRow> historyRows(const std::vector<store::RunRow>& runs)
{
    std::vector<TableRow> rows;
    rows.reserve(runs.size());
    for (const auto& run : runs) {
        TableRow row;
        const auto percent = [](const std::optional<double>& v) { return v ? valueText(*v, "%") : QString(); };
        const QString device = run.gpu.empty() ? QString::fromStdString(run.device) : QString::fromStdString(run.device + ", " + run.gpu);
        const QString name = run.instance.empty() ? QString::fromStdString(run.kernel) : QString::fromStdString(run.kernel + "@" + run.instance);
        row.cells = {whenText(run.created), name, device, run.durationUs ? valueText(*run.durationUs, "us") + changeOf(run, runs) : QString(), percent(run.tensorPipePct),
                     percent(run.dramBandwidthPct), originName(run.origin), told(run, runs), joined(run.tags), QString::fromStdString(run.notes).section(QLatin1Char('\n'), 0, 0)};
        row.values = {static_cast<double>(timeOf(run.created).toSecsSinceEpoch())};
        row.iconName = run.isBaseline ? QStringLiteral("pin") : QString();
        row.toolTip = QObject::tr("%1\n%2 on %3\n%4\n%5 in the store, tilewright %6%7")
                          .arg(QString::fromStdString(run.file), name, device, paramsText(run.params), valueText(static_cast<double>(run.bytes), "bytes"),
                               QString::fromStdString(run.version), run.isBaseline ? QObject::tr("\nthe baseline of its kernel on this device") : QString());
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace tw::gui

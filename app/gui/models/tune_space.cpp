#include "app/gui/models/tune_space.h"

#include <QObject>
#include <QStringList>

namespace tw::gui {
namespace {

// At `separator`, but not within brackets or quotes.
QStringList splitOutside(const QString& text, QChar separator)
{
    QStringList parts{QString()};
    int depth = 0;
    QChar quote;
    for (const QChar c : text) {
        if (!quote.isNull())
            quote = c == quote ? QChar() : quote;
        else if (c == QLatin1Char('\'') || c == QLatin1Char('"'))
            quote = c;
        else if (QStringLiteral("([{").contains(c))
            ++depth;
        else if (QStringLiteral(")]}").contains(c))
            --depth;
        if (c == separator && depth == 0 && quote.isNull())
            parts << QString();
        else
            parts.back() += c;
    }
    return parts;
}

bool isSize(const std::string& name)
{
    const QString n = QString::fromStdString(name).toLower();
    return n.startsWith(QLatin1String("block")) || n.startsWith(QLatin1String("bm")) || n.startsWith(QLatin1String("bn")) || n.startsWith(QLatin1String("bk"));
}

}  // namespace

QString spaceText(const TuneSpace& space)
{
    QStringList parts;
    for (const auto& [name, values] : space) {
        QStringList list;
        for (const auto& value : values)
            list << QString::fromStdString(value);
        parts << QStringLiteral("%1=%2").arg(QString::fromStdString(name), list.join(QLatin1Char(',')));
    }
    return parts.join(QStringLiteral("; "));
}

tl::expected<TuneSpace, std::string> parseSpace(const QString& text)
{
    TuneSpace space;
    for (const auto& part : splitOutside(text, QLatin1Char(';'))) {
        if (part.trimmed().isEmpty())
            continue;
        const auto at = part.indexOf(QLatin1Char('='));
        const QString name = part.left(std::max<qsizetype>(0, at)).trimmed();
        if (name.isEmpty())
            return tl::unexpected(QObject::tr("\"%1\" should be NAME=VALUE,VALUE").arg(part.trimmed()).toStdString());
        for (const auto& value : splitOutside(part.mid(at + 1), QLatin1Char(',')))
            if (!value.trimmed().isEmpty())
                space[name.toStdString()].push_back(value.trimmed().toStdString());
        if (space[name.toStdString()].empty())
            return tl::unexpected(QObject::tr("%1 has no values").arg(name).toStdString());
    }
    return space;
}

TuneSpace proposedSpace(const staging::Kernel& kernel, const staging::Bindings& params)
{
    TuneSpace space;
    if (!kernel.configs.empty() || !kernel.tunable.empty())
        return space;
    for (const auto& parameter : kernel.parameters) {
        const auto found = params.find(parameter.name);
        bool fine = false;
        const int value = found == params.end() ? 0 : QString::fromStdString(found->second).toInt(&fine);
        if (!fine || value <= 0)
            continue;
        auto& values = space[parameter.name];
        if (isSize(parameter.name))
            values = {std::to_string(std::max(16, value / 2)), std::to_string(value), std::to_string(value * 2)};
        else if (parameter.name == "num_stages" || parameter.name == "stages")
            values = {"2", "3", "4"};
        else if (parameter.name == "threads" || parameter.name == "num_threads")
            values = {"128", "256"};
        else
            space.erase(parameter.name);
    }
    return space;
}

}  // namespace tw::gui

#include "app/gui/views/compare_dialogs.h"

#include <QFileDialog>
#include <QInputDialog>

#include "app/gui/session/compare_session.h"
#include "app/gui/session/workbench.h"

namespace tw::gui {
namespace {

// "block_M=128, num_stages=3" as an overlay; a word without "=" is dropped.
std::map<std::string, std::string> overlayOf(const QString& text)
{
    std::map<std::string, std::string> overlay;
    for (const auto& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const auto at = part.indexOf(QLatin1Char('='));
        if (at > 0)
            overlay[part.left(at).trimmed().toStdString()] = part.mid(at + 1).trimmed().toStdString();
    }
    return overlay;
}

}  // namespace

void askForParameters(CompareSession& session, const Workbench& workbench, QWidget* parent)
{
    QString current;
    if (const auto newest = workbench.newest())
        for (const auto& [name, value] : newest->instance.params)
            current += (current.isEmpty() ? QString() : QStringLiteral(", ")) + QStringLiteral("%1=%2").arg(QString::fromStdString(name), QString::fromStdString(value));
    const QString text = QInputDialog::getText(parent, QObject::tr("Other parameters"), QObject::tr("NAME=VALUE, with commas between:"), QLineEdit::Normal, current);
    const auto overlay = overlayOf(text);
    if (overlay.empty())
        return;
    // Called by what is new in it.
    QStringList changes;
    const auto newest = workbench.newest();
    for (const auto& [name, value] : overlay) {
        const auto old = newest ? newest->instance.params.find(name) : overlay.end();
        if (!newest || old == newest->instance.params.end() || old->second != value)
            changes << QStringLiteral("%1=%2").arg(QString::fromStdString(name), QString::fromStdString(value));
    }
    session.addParameters(overlay, changes.isEmpty() ? QObject::tr("as it is") : changes.join(QStringLiteral(", ")));
}

void askForFile(CompareSession& session, QWidget* parent)
{
    const QString path = QFileDialog::getOpenFileName(parent, QObject::tr("Compare with"), {}, QObject::tr("Python files (*.py);;All files (*)"));
    if (!path.isEmpty())
        session.addFile(path);
}

void askForSweep(CompareSession& session, const Workbench& workbench, QWidget* parent)
{
    const auto newest = workbench.newest();
    if (!newest)
        return;
    QStringList names;
    for (const auto& [name, value] : newest->instance.params)
        names << QString::fromStdString(name);
    bool fine = false;
    const QString name = QInputDialog::getItem(parent, QObject::tr("Sweep"), QObject::tr("Over the parameter:"), names, 0, false, &fine);
    if (!fine || name.isEmpty())
        return;
    const QString value = QString::fromStdString(newest->instance.params.at(name.toStdString()));
    const int number = value.toInt(&fine);
    const QString proposed = fine && number > 0 ? QStringLiteral("%1, %2, %3").arg(std::max(1, number / 2)).arg(number).arg(number * 2) : value;
    const QString text = QInputDialog::getText(parent, QObject::tr("Sweep"), QObject::tr("Values of %1, with commas between:").arg(name), QLineEdit::Normal, proposed);
    QStringList values;
    for (const auto& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts))
        values << part.trimmed();
    if (!values.isEmpty())
        session.sweep(name.toStdString(), values);
}

}  // namespace tw::gui

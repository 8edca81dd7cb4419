#include "app/gui/session/settings.h"

#include <QSettings>

namespace tw::gui {
namespace {
constexpr int kMaxRecent = 12;
// Part of the key: docks that a newer version arranges anew must not restore an older one's state.
const QString kLayoutKey = QStringLiteral("layout1/");
}  // namespace

QVariant Settings::read(const QString& key, const QVariant& fallback) const
{
    return persistent_ ? QSettings().value(key, fallback) : fallback;
}

void Settings::write(const QString& key, const QVariant& value)
{
    if (persistent_)
        QSettings().setValue(key, value);
}

QString Settings::theme() const { return read(QStringLiteral("theme"), QStringLiteral("system")).toString(); }
void Settings::setTheme(const QString& name) { write(QStringLiteral("theme"), name); }
double Settings::codeSize() const { return read(QStringLiteral("codeSize"), 10.5).toDouble(); }
void Settings::setCodeSize(double points) { write(QStringLiteral("codeSize"), points); }
bool Settings::inlineMessages() const { return read(QStringLiteral("inlineMessages"), true).toBool(); }
void Settings::setInlineMessages(bool shown) { write(QStringLiteral("inlineMessages"), shown); }

QStringList Settings::recentFiles() const { return read(QStringLiteral("recent"), QStringList()).toStringList(); }

void Settings::addRecentFile(const QString& path)
{
    QStringList files = recentFiles();
    files.removeAll(path);
    files.prepend(path);
    write(QStringLiteral("recent"), QStringList(files.mid(0, kMaxRecent)));
}

void Settings::clearRecentFiles() { write(QStringLiteral("recent"), QStringList()); }

QStringList Settings::devices() const { return read(QStringLiteral("devices"), QStringList()).toStringList(); }
void Settings::setDevices(const QStringList& names) { write(QStringLiteral("devices"), names); }

QList<OpenFile> Settings::session(int& current) const
{
    QList<OpenFile> files;
    for (const auto& entry : read(QStringLiteral("session"), QVariantList()).toList()) {
        const auto map = entry.toMap();
        files.push_back({map.value(QStringLiteral("path")).toString(), map.value(QStringLiteral("caret")).toInt(),
                         map.value(QStringLiteral("line")).toInt()});
    }
    current = read(QStringLiteral("sessionCurrent"), 0).toInt();
    return files;
}

void Settings::setSession(const QList<OpenFile>& files, int current)
{
    QVariantList list;
    for (const auto& file : files)
        list << QVariantMap{{QStringLiteral("path"), file.path},
                            {QStringLiteral("caret"), file.caretOffset},
                            {QStringLiteral("line"), file.firstLine}};
    write(QStringLiteral("session"), list);
    write(QStringLiteral("sessionCurrent"), current);
}

QString Settings::layoutName() const { return read(QStringLiteral("layoutName"), QStringLiteral("author")).toString(); }
void Settings::setLayoutName(const QString& name) { write(QStringLiteral("layoutName"), name); }
QByteArray Settings::layoutState(const QString& name) const { return read(kLayoutKey + name, QByteArray()).toByteArray(); }
void Settings::setLayoutState(const QString& name, const QByteArray& state) { write(kLayoutKey + name, state); }
QByteArray Settings::geometry() const { return read(QStringLiteral("geometry"), QByteArray()).toByteArray(); }
void Settings::setGeometry(const QByteArray& geometry) { write(QStringLiteral("geometry"), geometry); }

}  // namespace tw::gui

#include "app/gui/session/journal.h"

#include <QCryptographicHash>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QUuid>

namespace tw::gui {
namespace {

const QString kLockName = QStringLiteral("window.lock");

std::unique_ptr<QLockFile> makeLock(const QString& folder)
{
    auto lock = std::make_unique<QLockFile>(QDir(folder).filePath(kLockName));
    lock->setStaleLockTime(0);  // only a dead holder makes a lock stale, never age
    return lock;
}

}  // namespace

Journal::Journal(const QString& root) : root_(root)
{
    folder_ = QDir(root).filePath(QUuid::createUuid().toString(QUuid::WithoutBraces));
    QDir().mkpath(folder_);
    lock_ = makeLock(folder_);
    lock_->tryLock();
}

Journal::~Journal()
{
    lock_->unlock();
    QDir(folder_).removeRecursively();
}

QString Journal::fileOf(const QString& key) const
{
    const auto hash = QCryptographicHash::hash(key.toUtf8(), QCryptographicHash::Sha1).toHex().left(16);
    return QDir(folder_).filePath(QString::fromLatin1(hash) + QStringLiteral(".json"));
}

void Journal::record(const JournalEntry& entry)
{
    const QJsonObject json{{QStringLiteral("version"), 1},
                           {QStringLiteral("key"), entry.key},
                           {QStringLiteral("path"), entry.path},
                           {QStringLiteral("text"), QString::fromStdString(entry.text)}};
    QSaveFile file(fileOf(entry.key));
    if (file.open(QIODevice::WriteOnly)) {
        file.write(QJsonDocument(json).toJson(QJsonDocument::Compact));
        file.commit();
    }
}

void Journal::remove(const QString& key) { QFile::remove(fileOf(key)); }

QList<JournalEntry> Journal::takeLeftovers()
{
    QList<JournalEntry> entries;
    for (const auto& name : QDir(root_).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QDir folder(QDir(root_).filePath(name));
        if (folder.path() == folder_)
            continue;
        auto lock = makeLock(folder.path());
        if (!lock->tryLock(0))
            continue;  // that window lives
        for (const auto& fileName : folder.entryList({QStringLiteral("*.json")}, QDir::Files)) {
            QFile file(folder.filePath(fileName));
            if (!file.open(QIODevice::ReadOnly))
                continue;
            const auto json = QJsonDocument::fromJson(file.readAll()).object();
            if (json.value(QStringLiteral("version")).toInt() == 1)
                entries.push_back({json.value(QStringLiteral("key")).toString(), json.value(QStringLiteral("path")).toString(),
                                   json.value(QStringLiteral("text")).toString().toStdString()});
        }
        lock->unlock();
        folder.removeRecursively();
    }
    return entries;
}

}  // namespace tw::gui

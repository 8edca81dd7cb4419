// What the window remembers between starts. Every value has a default.
#pragma once

#include <QByteArray>
#include <QStringList>

namespace tw::gui {

struct OpenFile {
    QString path;
    int caretOffset = 0;
    int firstLine = 0;  // scrolled to
};

class Settings {
public:
    // False: nothing is read from or written to disk (--shot, --safe for reading the session, tests).
    explicit Settings(bool persistent) : persistent_(persistent) {}

    [[nodiscard]] QString theme() const;  // "system", "light", "dark"
    void setTheme(const QString& name);
    [[nodiscard]] double codeSize() const;  // points
    void setCodeSize(double points);
    [[nodiscard]] bool inlineMessages() const;
    void setInlineMessages(bool shown);

    [[nodiscard]] QStringList recentFiles() const;
    void addRecentFile(const QString& path);
    void clearRecentFiles();

    [[nodiscard]] QStringList devices() const;  // that were typed, such as ssh:HOST
    void setDevices(const QStringList& names);

    [[nodiscard]] QList<OpenFile> session(int& current) const;
    void setSession(const QList<OpenFile>& files, int current);

    [[nodiscard]] QString layoutName() const;
    void setLayoutName(const QString& name);
    // Docks and geometry of one layout; empty if it was never changed.
    [[nodiscard]] QByteArray layoutState(const QString& name) const;
    void setLayoutState(const QString& name, const QByteArray& state);
    [[nodiscard]] QByteArray geometry() const;
    void setGeometry(const QByteArray& geometry);

private:
    [[nodiscard]] QVariant read(const QString& key, const QVariant& fallback) const;
    void write(const QString& key, const QVariant& value);

    bool persistent_;
};

}  // namespace tw::gui

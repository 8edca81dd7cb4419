// The command line of the window.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace tw::gui {

struct Options {
    QStringList files;
    QString shot;               // picture to write; empty: none
    QString svg;                // what to draw there instead of the window; empty: the window
    QSize size{1440, 900};
    bool sizeGiven = false;
    QString theme;              // "light", "dark", "system"; empty: the preference
    QString layout;             // "author", "profile", "teach"; empty: as it was
    QString focus;              // view to show in front
    QString kernel, instance;   // NAME[@INSTANCE]
    QString target;             // empty: as the file says
    bool safe = false;
    // Set when the answer is text and no window is wanted: what to print, and the exit code.
    std::optional<QString> answer;
    int exitCode = 0;
};

// Never fails: wrong usage becomes an answer with exit code 2.
[[nodiscard]] Options parseOptions(const QStringList& arguments);
[[nodiscard]] QStringList viewNames();  // what --focus takes

}  // namespace tw::gui

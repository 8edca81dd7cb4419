#include "app/gui/widgets/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPalette>
#include <QStyleFactory>

#include "core/support/check.h"

namespace tw::gui {
namespace {

QByteArray readResource(const QString& path)
{
    QFile file(path);
    TW_CHECK(file.open(QIODevice::ReadOnly), "resource missing: " + path.toStdString());
    return file.readAll();
}

QPalette makePalette(const Theme& t)
{
    QPalette p;
    const auto set = [&](QPalette::ColorRole role, const char* name) { p.setColor(role, t.color(name)); };
    set(QPalette::Window, "window");
    set(QPalette::WindowText, "text");
    set(QPalette::Base, "base");
    set(QPalette::AlternateBase, "gutter");
    set(QPalette::Text, "text");
    set(QPalette::PlaceholderText, "disabled");
    set(QPalette::Button, "raised");
    set(QPalette::ButtonText, "text");
    set(QPalette::BrightText, "error");
    set(QPalette::Highlight, "accent");
    set(QPalette::HighlightedText, "accentText");
    set(QPalette::Link, "accent");
    set(QPalette::ToolTipBase, "raised");
    set(QPalette::ToolTipText, "text");
    set(QPalette::Light, "raised");
    set(QPalette::Mid, "border");
    set(QPalette::Dark, "border");
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, t.color("disabled"));
    return p;
}

QString makeStyleSheet(const Theme& t)
{
    QString sheet = QString::fromUtf8(readResource(QStringLiteral(":/themes/app.qss")));
    for (auto it = t.colors().begin(); it != t.colors().end(); ++it)
        sheet.replace(QLatin1Char('@') + it.key() + QLatin1Char('@'), it.value().name());
    return sheet.replace(QLatin1String("@variant@"), QLatin1String(t.isDark() ? "dark" : "light"));
}

}  // namespace

Theme Theme::load(const QString& name)
{
    Theme theme;
    const auto json = QJsonDocument::fromJson(readResource(QStringLiteral(":/themes/%1.json").arg(name))).object();
    for (auto it = json.begin(); it != json.end(); ++it) {
        if (it.value().isString())
            theme.colors_.insert(it.key(), QColor(it.value().toString()));
    }
    theme.dark_ = json.value(QLatin1String("dark")).toBool();
    return theme;
}

QColor Theme::color(const char* role) const
{
    const auto found = colors_.find(QString::fromLatin1(role));
    TW_CHECK(found != colors_.end(), std::string("theme has no colour ") + role);
    return *found;
}

QString resolveThemeName(const QString& preference)
{
    if (preference == QLatin1String("light") || preference == QLatin1String("dark"))
        return preference;
    // Qt 6.4 cannot ask for the colour scheme; the platform's own palette tells.
    const QPalette system = QStyleFactory::create(QStringLiteral("fusion"))->standardPalette();
    const bool dark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128 ||
                      system.color(QPalette::Window).lightness() < 128;
    return dark ? QStringLiteral("dark") : QStringLiteral("light");
}

void loadFonts()
{
    for (const auto* file : {"TilewrightSans-Regular.otf", "TilewrightSans-SemiBold.otf", "TilewrightMono-Regular.ttf",
                             "TilewrightMono-Bold.ttf", "TilewrightMono-Italic.ttf"})
        QFontDatabase::addApplicationFont(QStringLiteral(":/fonts/") + QLatin1String(file));
}

QFont codeFont(double pointSize)
{
    QFont font(QStringLiteral("Tilewright Mono"));
    font.setPointSizeF(pointSize);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    return font;
}

QFont uiFont(double pointSize)
{
    QFont font(QStringLiteral("Tilewright Sans"));
    font.setPointSizeF(pointSize);
    font.setStyleHint(QFont::SansSerif);
    return font;
}

void applyTheme(QApplication& app, const Theme& theme)
{
    QApplication::setPalette(makePalette(theme));
    app.setStyleSheet(makeStyleSheet(theme));
}

}  // namespace tw::gui

// The look of the window: colours by role, fonts, the style sheet. Colours stand in resources/themes/*.json.
#pragma once

#include <QColor>
#include <QFont>
#include <QHash>
#include <QString>

class QApplication;
class QIcon;

namespace tw::gui {

// Colours by role ("window", "muted", "tileOp", …). A role that the file lacks is a broken resource.
class Theme {
public:
    static Theme load(const QString& name);  // "light" or "dark"

    [[nodiscard]] QColor color(const char* role) const;
    [[nodiscard]] bool isDark() const { return dark_; }
    [[nodiscard]] const QHash<QString, QColor>& colors() const { return colors_; }

private:
    QHash<QString, QColor> colors_;
    bool dark_ = false;
};

// The theme's name for a preference ("system", "light", "dark"): the system's is read from the platform's palette.
[[nodiscard]] QString resolveThemeName(const QString& preference);

void loadFonts();                                    // Tilewright Sans and Mono from the resources, once
[[nodiscard]] QFont codeFont(double pointSize);      // monospaced
[[nodiscard]] QFont uiFont(double pointSize = 9.5);

// Palette, style sheet and fonts of the whole application.
void applyTheme(QApplication& app, const Theme& theme);

// An icon of resources/icons, drawn in the palette's text colour at the moment of painting, so it follows the theme.
[[nodiscard]] QIcon icon(const QString& name);
// The same in a fixed colour: states (error, good) that mean something by their colour as well as by their shape.
[[nodiscard]] QIcon icon(const QString& name, const QColor& color);

}  // namespace tw::gui

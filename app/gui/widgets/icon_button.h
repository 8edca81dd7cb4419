// The small parts that every view's bar is made of.
#pragma once

class QString;
class QToolButton;
class QWidget;

namespace tw::gui {

// A button with an icon of resources/icons; `tip` is also its name for who hears the screen.
[[nodiscard]] QToolButton* iconButton(const QString& iconName, const QString& tip, QWidget* parent);
// The strip above a view's content.
[[nodiscard]] QWidget* barWidget(QWidget* parent);

}  // namespace tw::gui

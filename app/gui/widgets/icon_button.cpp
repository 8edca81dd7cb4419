#include "app/gui/widgets/icon_button.h"

#include <QToolButton>

#include "app/gui/widgets/theme.h"

namespace tw::gui {

QToolButton* iconButton(const QString& iconName, const QString& tip, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setIcon(icon(iconName));
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    return button;
}

QWidget* barWidget(QWidget* parent)
{
    auto* bar = new QWidget(parent);
    bar->setProperty("role", "bar");
    bar->setAttribute(Qt::WA_StyledBackground);
    return bar;
}

}  // namespace tw::gui

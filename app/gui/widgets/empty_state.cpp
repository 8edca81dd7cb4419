#include "app/gui/widgets/empty_state.h"

#include <QIcon>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/widgets/theme.h"

namespace tw::gui {

EmptyState::EmptyState(const QString& iconName, QWidget* parent)
    : QWidget(parent), picture_(new QToolButton(this)),  // a button, since it repaints its icon in the theme's colour
      title_(new QLabel(this)), hint_(new QLabel(this))
{
    setIcon(iconName);
    picture_->setIconSize({32, 32});
    picture_->setEnabled(false);
    picture_->setFocusPolicy(Qt::NoFocus);
    title_->setProperty("role", "title");
    hint_->setProperty("role", "muted");
    for (QLabel* label : {title_, hint_}) {
        label->setAlignment(Qt::AlignHCenter);
        label->setWordWrap(true);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 20, 20, 20);
    layout->setSpacing(6);
    layout->addStretch(2);
    layout->addWidget(picture_, 0, Qt::AlignHCenter);
    layout->addWidget(title_);
    layout->addWidget(hint_);
    layout->addStretch(3);
}

void EmptyState::setIcon(const QString& iconName) { picture_->setIcon(icon(iconName)); }

void EmptyState::setMessage(const QString& title, const QString& hint)
{
    title_->setText(title);
    hint_->setText(hint);
}

}  // namespace tw::gui

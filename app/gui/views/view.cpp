#include "app/gui/views/view.h"

#include <QSplitter>
#include <QStackedWidget>

#include "app/gui/session/workbench.h"
#include "app/gui/widgets/empty_state.h"

namespace tw::gui {

View::View(const QString& name, const QString& title, const QString& iconName, ViewContext context, QWidget* parent)
    : QDockWidget(title, parent), context_(context), stack_(new QStackedWidget(this)), empty_(new EmptyState(iconName, stack_)),
      iconName_(iconName)
{
    setObjectName(name);
    stack_->setProperty("role", "panel");
    stack_->setAttribute(Qt::WA_StyledBackground);
    stack_->addWidget(empty_);
    setWidget(stack_);
    connect(this, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible && stale_)
            invalidate();
        Q_EMIT shownChanged(visible);
    });
}

QWidget* View::frame() const { return stack_; }

void View::setContent(QWidget* content)
{
    stack_->addWidget(content);
    setFocusProxy(content);
}

void View::showContent() { stack_->setCurrentIndex(1); }

void View::showEmpty(const QString& title, const QString& hint)
{
    empty_->setMessage(title, hint);
    stack_->setCurrentIndex(0);
}

void View::resizeEvent(QResizeEvent* event)
{
    QDockWidget::resizeEvent(event);
    if (folding_)
        folding_->setOrientation(width() > height() && width() >= wide_ ? Qt::Horizontal : Qt::Vertical);
}

void View::invalidate()
{
    stale_ = !isVisible();
    if (!stale_)
        refresh();
}

void View::setTheme(const Theme&, double) {}

}  // namespace tw::gui

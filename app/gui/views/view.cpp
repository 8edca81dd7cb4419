#include "app/gui/views/view.h"

#include <QSplitter>
#include <QStackedWidget>

#include "app/gui/session/workbench.h"
#include "app/gui/widgets/empty_state.h"

namespace tw::gui {

View::View(const QString& name, const QString& title, const QString& iconName, ViewContext context, QWidget* parent)
    : QDockWidget(title, parent), context_(context), stack_(new QStackedWidget(this)), iconName_(iconName)
{
    setObjectName(name);
    stack_->setProperty("role", "panel");
    stack_->setAttribute(Qt::WA_StyledBackground);
    auto* blank = new QWidget(stack_);  // until there is something to say
    blank->setMinimumSize(1, 1);        // a dock under a tab has a title of height -1
    stack_->addWidget(blank);
    setWidget(stack_);
    connect(this, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        shown_ = visible;
        if (visible && stale_)
            invalidate();
        Q_EMIT shownChanged(visible);
    });
}

QWidget* View::frame() const { return stack_; }

void View::prepare()
{
    if (std::exchange(prepared_, true))
        return;
    makeContent();
    applyTheme();
}

void View::setTheme(const Theme& theme, double codeSize)
{
    theme_ = theme;
    codeSize_ = codeSize;
    if (!prepared_)
        return;
    applyTheme();
    invalidate();
}

void View::setContent(QWidget* content)
{
    content_ = content;
    stack_->addWidget(content);
    setFocusProxy(content);
}

void View::showContent() { stack_->setCurrentWidget(content_); }

bool View::isEmpty() const { return !content_ || stack_->currentWidget() != content_; }

void View::showEmpty(const QString& title, const QString& hint, const QString& iconName)
{
    if (!empty_) {
        empty_ = new EmptyState(iconName_, stack_);
        stack_->addWidget(empty_);
    }
    empty_->setIcon(iconName.isEmpty() ? iconName_ : iconName);
    empty_->setMessage(title, hint);
    stack_->setCurrentWidget(empty_);
}

bool View::awaitsFirstResult()
{
    if (context_.workbench.newest() || !context_.workbench.isBusy())
        return false;
    stack_->setCurrentIndex(0);
    return true;
}

void View::setFoldingSplitter(QSplitter* splitter, int wide)
{
    folding_ = splitter;
    wide_ = wide;
    fold();
}

void View::fold()
{
    if (folding_)
        folding_->setOrientation(width() > height() && width() >= wide_ ? Qt::Horizontal : Qt::Vertical);
}

void View::resizeEvent(QResizeEvent* event)
{
    QDockWidget::resizeEvent(event);
    fold();
}

void View::invalidate()
{
    stale_ = !shown_;
    if (stale_)
        return;
    prepare();
    refresh();
}

}  // namespace tw::gui

#include "app/gui/widgets/finding_list.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

constexpr double kNarrow = 460;  // below it a button has a row of its own
constexpr double kPad = 12, kNumberWidth = 84, kFoot = 24, kButtonHeight = 22, kFootGap = 4;

// Smaller where the number would not fit.
QFont numberFont(const QString& number)
{
    QFont font = uiFont(13);
    font.setWeight(QFont::DemiBold);
    if (QFontMetricsF(font).horizontalAdvance(number) > kNumberWidth - 8)
        font.setPointSizeF(9.5);
    return font;
}

QRectF textRect(const QRectF& item) { return item.adjusted(kPad + kNumberWidth, kPad - 2, -kPad, -kPad + 2); }

}  // namespace

FindingList::FindingList(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Findings"));
}

void FindingList::setItems(QList<FindingItem> items)
{
    if (items.size() != items_.size())
        current_ = -1;
    items_ = std::move(items);
    QStringList spoken;
    for (const auto& item : items_)
        spoken << item.number + QStringLiteral(": ") + item.reason;
    setAccessibleDescription(spoken.join(QStringLiteral("; ")));
    updateRange();
    viewport()->update();
}

double FindingList::itemHeight(const FindingItem& item, double width) const
{
    const QFontMetricsF metrics(uiFont());
    const double room = std::max(60.0, width - 2 * kPad - kNumberWidth);
    const double text = metrics.boundingRect(QRectF(0, 0, room, 10'000), Qt::TextWordWrap, item.reason).height();
    return text + kFoot + kFootGap + 2 * (kPad - 2) + (item.canApply && width < kNarrow ? kButtonHeight + 4 : 0);
}

double FindingList::heightFor(double width) const
{
    double height = 0;
    for (const auto& item : items_)
        height += itemHeight(item, width);
    return height;
}

QRectF FindingList::rectOf(int index) const
{
    const double width = viewport()->width();
    double y = -verticalScrollBar()->value();
    for (int i = 0; i < index; ++i)
        y += itemHeight(items_[i], width);
    return {0, y, width, itemHeight(items_[index], width)};
}

QRectF FindingList::buttonRect(const FindingItem& item, const QRectF& rect) const
{
    if (!item.canApply)
        return {};
    QFont font = uiFont();
    const double width = QFontMetricsF(font).horizontalAdvance(tr("Apply: %1").arg(item.remedy)) + 20;
    const QRectF text = textRect(rect);
    const double shown = std::min(width, rect.width() < kNarrow ? text.width() : std::max(80.0, text.width() * 0.62));
    return {text.right() - shown, text.bottom() - kButtonHeight, shown, kButtonHeight};
}

void FindingList::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    for (int i = 0; i < items_.size(); ++i) {
        const QRectF rect = rectOf(i);
        if (rect.bottom() >= 0 && rect.top() <= viewport()->height())
            drawItem(painter, i, rect, true);
    }
}

void FindingList::paintAll(QPainter& painter, QSizeF size) const
{
    painter.fillRect(QRectF({0, 0}, size), palette().color(QPalette::Base));
    double y = 0;
    for (int i = 0; i < items_.size(); ++i) {
        const double height = itemHeight(items_[i], size.width());
        drawItem(painter, i, {0, y, size.width(), height}, false);
        y += height;
    }
}

void FindingList::drawItem(QPainter& painter, int index, const QRectF& rect, bool interactive) const
{
    const auto& item = items_[index];
    const QColor ink = palette().color(QPalette::Text), line = palette().color(QPalette::Mid);
    QColor soft = ink;
    soft.setAlphaF(0.66F);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (interactive && index == current_) {
        QColor wash = palette().color(QPalette::Highlight);
        wash.setAlpha(30);
        painter.fillRect(rect, wash);
        if (hasFocus())
            painter.fillRect(QRectF(rect.left(), rect.top(), 3, rect.height()), palette().color(QPalette::Highlight));
    }
    painter.setPen(line);
    painter.drawLine(QPointF(rect.left(), rect.bottom() - 0.5), QPointF(rect.right(), rect.bottom() - 0.5));
    const QFont font = numberFont(item.number);
    painter.setFont(font);
    painter.setPen(ink);
    painter.drawText(QRectF(rect.left() + kPad, rect.top() + kPad - 4, kNumberWidth - 8, 24), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(font).elidedText(item.number, Qt::ElideRight, kNumberWidth - 8));
    painter.setFont(uiFont(8.5));
    painter.setPen(soft);
    painter.drawText(QRectF(rect.left() + kPad, rect.top() + kPad + 20, kNumberWidth - 4, 16), Qt::AlignLeft | Qt::AlignVCenter, item.gain);
    const QRectF text = textRect(rect);
    painter.setFont(uiFont());
    painter.setPen(ink);
    const QRectF button = buttonRect(item, rect);
    const bool ownRow = !button.isNull() && rect.width() < kNarrow;
    const double footTop = text.bottom() - kButtonHeight - (ownRow ? kButtonHeight + 4 : 0);
    painter.drawText(QRectF(text.topLeft(), QPointF(text.right(), footTop)), Qt::TextWordWrap, item.reason);
    const QRectF foot(text.left(), footTop, (button.isNull() || ownRow ? text.right() : button.left() - 8) - text.left(), kButtonHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(item.badgeColor);
    painter.drawEllipse(QRectF(foot.left(), foot.center().y() - 3.5, 7, 7));
    painter.setPen(soft);
    painter.setFont(uiFont(8.5));
    QStringList words{item.badge, item.place};
    if (!item.remedy.isEmpty() && !item.canApply)
        words << tr("remedy: %1").arg(item.remedy);
    words.removeAll(QString());
    painter.drawText(foot.adjusted(12, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(uiFont(8.5)).elidedText(words.join(QStringLiteral(" \u00b7 ")), Qt::ElideRight, foot.width() - 12));
    if (!button.isNull()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.setBrush(palette().color(QPalette::Button));
        painter.drawRoundedRect(button.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
        painter.setFont(uiFont());
        painter.drawText(button.adjusted(8, 0, -8, 0), Qt::AlignCenter,
                         QFontMetricsF(uiFont()).elidedText(tr("Apply: %1").arg(item.remedy), Qt::ElideRight, button.width() - 16));
    }
    painter.restore();
}

int FindingList::itemAt(QPointF position) const
{
    for (int i = 0; i < items_.size(); ++i)
        if (rectOf(i).contains(position))
            return i;
    return -1;
}

void FindingList::setCurrent(int index)
{
    if (index < 0 || index >= items_.size())
        return;
    current_ = index;
    const QRectF rect = rectOf(index);
    if (rect.top() < 0)
        verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(rect.top()));
    else if (rect.bottom() > viewport()->height())
        verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(rect.bottom()) - viewport()->height());
    viewport()->update();
}

void FindingList::mousePressEvent(QMouseEvent* event)
{
    const int index = itemAt(event->position());
    if (index < 0 || event->button() != Qt::LeftButton)
        return;
    setCurrent(index);
    if (buttonRect(items_[index], rectOf(index)).contains(event->position()))
        Q_EMIT applyRequested(index);
    else
        Q_EMIT activated(index);
}

void FindingList::mouseMoveEvent(QMouseEvent* event)
{
    viewport()->setCursor(itemAt(event->position()) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void FindingList::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Down: return setCurrent(current_ + 1);
    case Qt::Key_Up: return setCurrent(current_ - 1);
    case Qt::Key_Home: return setCurrent(0);
    case Qt::Key_End: return setCurrent(static_cast<int>(items_.size()) - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (current_ >= 0)
            Q_EMIT activated(current_);
        return;
    case Qt::Key_A:
        if (current_ >= 0 && items_[current_].canApply)
            Q_EMIT applyRequested(current_);
        return;
    default: QAbstractScrollArea::keyPressEvent(event);
    }
}

void FindingList::updateRange()
{
    const int height = static_cast<int>(heightFor(viewport()->width()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(24);
    verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
}

void FindingList::resizeEvent(QResizeEvent*) { updateRange(); }

void FindingList::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        updateRange();
}

}  // namespace tw::gui
